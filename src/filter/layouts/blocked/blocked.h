// Blocked Bloom filters (kernel.h).
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_

#include "src/filter/bits/unrolled.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

// Each is compiled for its own architecture only.
BlockedKernel PortableBlocked();
BlockedKernel Avx2Blocked();
BlockedKernel Avx512Blocked();
BlockedKernel NeonBlocked();

// The kernel that queries and adds many keys one by one. Each type has Run<K> (unrolled.h).
template <typename QueryOne, typename Insert, typename AddOne>
BlockedKernel OneByOneKernel() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::template Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = RunForEach<OneByOne<QueryOne>>;
  kernel.may_match_blocks_for = [](int) -> BlockedKernel::MayMatchBlocks { return nullptr; };
  kernel.insert_many = RunForEach<Insert>;
  kernel.add_many = RunForEach<OneByOne<AddOne>>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kBlockedRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_H_
