// The one table of all layouts.
#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow kAlwaysMatchRow;

}  // namespace

const LayoutRow* const kLayoutRows[kNumLayoutRows] = {&kClassicRow, &kSmallSetRow, &kAlwaysMatchRow,
                                                      &kBlockedRow, &kFlatRow,     &kCompactRow};

}  // namespace bloomline::filter
