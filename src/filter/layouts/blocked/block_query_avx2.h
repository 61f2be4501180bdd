// AVX2: queries of one block, which is two registers. For k <= 8, so up to 13 bits per key, a query
// is one pass without a loop.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/cpu/blocks.h"

namespace bloomline::kernels {

// The lower half of a hash in all lanes. VBROADCASTSS from memory needs a load alone; a hash that
// is in a general register takes a move and a shuffle. The intrinsic for floats is the one that
// takes a pointer.
BLOOMLINE_AVX2_INLINE __m256i LowerHalf(const uint64_t* hash) {
  return _mm256_castps_si256(_mm256_broadcast_ss(reinterpret_cast<const float*>(hash)));
}

// Whether the bits of eight probes are set. Probes where `ones` is 0 do not count.
BLOOMLINE_AVX2_INLINE bool HasBits(Bits512 block, __m256i probes, __m256i ones) {
  // Top 4 bits: which of 16 words. The permutation uses 3 of them. The sign bit, which blendv
  // uses, chooses the half of the block.
  const __m256i word = _mm256_srli_epi32(probes, 28);
  const __m256 low_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.low, word));
  const __m256 high_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.high, word));
  const __m256 words = _mm256_blendv_ps(low_words, high_words, _mm256_castsi256_ps(probes));
  const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(probes, 23), _mm256_set1_epi32(31));
  return WordsHaveBits(_mm256_castps_si256(words), bits, ones);
}

// `ones` is OnesInFirstLanes(num_probes).
BLOOMLINE_AVX2_INLINE bool BlockMayMatch(Bits512 block, int num_probes, __m256i ones,
                                         ProbePairs pairs) {
  bool has_bits = HasBits(block, EightProbes(pairs, 0), ones);
  for (int first = kProbesPer256Bits; first < num_probes && has_bits; first += kProbesPer256Bits) {
    has_bits = HasBits(block, EightProbes(pairs, first), OnesInFirstLanes(num_probes - first));
  }
  return has_bits;
}

// kLoadBlock is LoadBlock of blocked_avx2.cc, or the one of atomic_avx2.cc, for filters in which
// other threads may set bits meanwhile. For k <= 8 a loop without BlockMayMatch's branch.
template <Bits512 (*kLoadBlock)(const char*)>
BLOOMLINE_AVX2_INLINE void BlocksMayMatch(const PayloadView& caller_filter, size_t n,
                                          const uint64_t* hashes, bool* may_match) {
  const PayloadView filter = caller_filter;
  const __m256i ones = OnesInFirstLanes(filter.num_probes);
  if (filter.num_probes <= kProbesPer256Bits) {
    for (size_t i = 0; i < n; ++i) {
      const ProbePairs pairs = BlockedPairs(LowerHalf(hashes + i));
      may_match[i] = HasBits(kLoadBlock(BlockOf(filter, hashes[i])), EightProbes(pairs, 0), ones);
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = BlockMayMatch(kLoadBlock(BlockOf(filter, hashes[i])), filter.num_probes, ones,
                                   BlockedPairs(LowerHalf(hashes + i)));
    }
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_
