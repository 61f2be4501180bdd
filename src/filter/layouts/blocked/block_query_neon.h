// NEON: queries of one block, eight probes at a time, with a block's 64 bytes as a look-up table.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_NEON_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_NEON_H_

#include <arm_neon.h>

#include "src/filter/cpu/always_inline.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/neon_probes.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {

BLOOMLINE_ALWAYS_INLINE uint16x8_t MissingBits(uint8x16x4_t block, uint16x8_t tops,
                                               uint16x8_t ones) {
  return MissingBits(block, BlockedBytes(tops), BlockedBits(tops), ones);
}

BLOOMLINE_ALWAYS_INLINE bool BlockMayMatch(uint8x16x4_t block, int num_probes, uint64_t hash) {
  const ProbePairs pairs = BlockedPairs(hash);
  uint16x8_t missing = MissingBits(block, EightProbes(pairs, 0), OnesInFirstLanes(num_probes));
  for (int first = kProbesPerStep; first < num_probes; first += kProbesPerStep) {
    missing = vorrq_u16(missing, MissingBits(block, EightProbes(pairs, first),
                                             OnesInFirstLanes(num_probes - first)));
  }
  return LowerBytes(missing) == 0;
}

// kLoadBlock decides whether other threads may set bits meanwhile.
template <uint8x16x4_t (*kLoadBlock)(const char*)>
struct QueryBlocks {
  template <int K>
  static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                  bool* may_match) {
    const PayloadView filter = caller_filter;
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = BlockMayMatch(kLoadBlock(BlockOf(filter, hashes[i])),
                                   K == 0 ? filter.num_probes : K, hashes[i]);
    }
  }
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_NEON_H_
