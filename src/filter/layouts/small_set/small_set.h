// LevelDB's small sets (kernel.h).
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
