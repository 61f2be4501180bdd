// Compact filters (kernel.h).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_H_

#include "src/filter/kernel/kernel.h"
#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

CompactKernel PortableCompact();
CompactKernel Avx2Compact();    // x86-64
CompactKernel Avx512Compact();  // x86-64

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kCompactRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_H_
