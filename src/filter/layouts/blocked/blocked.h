// Blocked Bloom filters (docs/format.md, section 3.3): all bits of a key lie in one block of 512
// bits, which is one cache line (Putze, Sanders and Singler, 2007).
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_

#include "src/filter/kernel/kernel.h"
#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

// Each is compiled for its own architecture only.
BlockedKernel PortableBlocked();
BlockedKernel Avx2Blocked();
BlockedKernel Avx512Blocked();
BlockedKernel NeonBlocked();

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kBlockedRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_
