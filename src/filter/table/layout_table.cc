#include "src/filter/table/layout_table.h"

namespace bloomline::filter {

constexpr LayoutRow kAlwaysMatchRow;

}  // namespace bloomline::filter
