// LevelDB's small sets (docs/format.md, section 3.8): blocks of 8 to 64 bytes that are solved as a
// linear system over GF(2), as in Ribbon and Bloomier filters.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_H_

#include "src/filter/kernel/kernel.h"
#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

SmallSetKernel PortableSmallSet();
SmallSetKernel Avx2SmallSet();  // x86-64

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kSmallSetRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_H_
