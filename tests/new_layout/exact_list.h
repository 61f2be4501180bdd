// The row of a layout that only the program of this folder has, and its format.
#ifndef BLOOMLINE_TESTS_NEW_LAYOUT_EXACT_LIST_H_
#define BLOOMLINE_TESTS_NEW_LAYOUT_EXACT_LIST_H_

#include "src/filter/kernel/layout_row.h"

namespace bloomline::filter {

constexpr auto kExactFormat = static_cast<Format>(5);
extern const LayoutRow kExactListRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_TESTS_NEW_LAYOUT_EXACT_LIST_H_
