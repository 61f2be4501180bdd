// Blocked Bloom filters (docs/format.md, section 3.3): all bits of a key lie in one block of 512
// bits, which is one cache line (Putze, Sanders and Singler, 2007).
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView

namespace bloomline::kernels {

struct BlockedKernel {
  using MayMatch = bool (*)(const PayloadView& filter, uint64_t hash);
  using Add = bool (*)(const PayloadView& filter, uint64_t hash);

  MayMatch may_match = nullptr;
  // may_match specialised for a fixed k, so that k is not read per query: up to 7 % faster. It is
  // for callers that keep the pointer, and for filters with this k alone.
  MayMatch (*may_match_for)(int num_probes) = nullptr;
  // Prefetches nothing: the caller prefetches while it computes the hashes (PrefetchBlock in
  // blocks.h).
  void (*may_match_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  // Prefetches the blocks kInsertAhead keys ahead.
  void (*insert_many)(const PayloadView& filter, size_t n, const uint64_t* hashes) = nullptr;
  // Inserts one key after the other and reports which of them changed a bit. Prefetches nothing.
  void (*add_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                   bool* changed) = nullptr;
  // The same for one key and a fixed k. True: it changed a bit.
  Add (*add_for)(int num_probes) = nullptr;
};

BlockedKernel PortableBlocked();
// Each of these is compiled on its own architecture only.
BlockedKernel Avx2Blocked();
BlockedKernel Avx512Blocked();
BlockedKernel NeonBlocked();

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_KERNEL_H_
