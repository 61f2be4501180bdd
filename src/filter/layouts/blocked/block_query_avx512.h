// AVX-512: queries of one block, eight probes at a time. They stay in registers of 256 bits: where
// an Intel processor has not multiplied in 512 bits right before, a key takes twice as long there
// (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {
namespace {

// The bits of probes first to first + 7, each as bit 0 of a lane.
BLOOMLINE_AVX512_INLINE __m256i ProbedBits(Bits512 block, ProbePairs pairs, int first) {
  const __m256i probes = EightProbes(pairs, first);
  const __m256i words =
      _mm256_permutex2var_epi32(block.low, _mm256_srli_epi32(probes, 28), block.high);
  // The rotation uses the lowest 5 bits of the 9, so no mask is needed.
  return _mm256_rorv_epi32(words, _mm256_srli_epi32(probes, 23));
}

// A return after the first zero would be a branch: if half of the keys are stored, a key in a batch
// would take 12 instead of 6 ns at k = 9.
BLOOMLINE_AVX512_INLINE bool BlockMayMatch(Bits512 block, int num_probes, ProbePairs pairs) {
  __m256i bits = ProbedBits(block, pairs, 0);
  if (num_probes <= kProbesPer256Bits) {
    return _mm256_testc_si256(bits, OnesInFirstLanes(num_probes)) != 0;
  }
#pragma GCC unroll 4
  for (int first = kProbesPer256Bits; first < num_probes; first += kProbesPer256Bits) {
    constexpr int kAndWhereAsked = 0xD0;  // a & (b | ~c)
    bits = _mm256_ternarylogic_epi32(bits, ProbedBits(block, pairs, first),
                                     OnesInFirstLanes(num_probes - first), kAndWhereAsked);
  }
  return _mm256_testc_si256(bits, _mm256_set1_epi32(1)) != 0;
}

// Many queries, as RunUnrolled takes them. kLoadBlock is LoadBlock of blocked_avx512.cc, or the one
// of atomic_avx512.cc, for filters in which other threads may set bits meanwhile.
template <Bits512 (*kLoadBlock)(const char*)>
struct BlocksMayMatch {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const PayloadView& caller_filter, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
    const PayloadView filter = caller_filter;  // the answers could alias the caller's
    for (size_t i = 0; i < n; ++i) {
      may_match[i] =
          BlockMayMatch(kLoadBlock(BlockOf(filter, hashes[i])), K == 0 ? filter.num_probes : K,
                        BlockedPairs(LowerHalf(hashes + i)));
    }
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_
