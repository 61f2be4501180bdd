// AVX2: queries of one block, which is two registers. For k <= 8, so up to 13 bits per key, a query
// is one pass without a loop.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/cpu/blocks.h"

namespace bloomline::kernels {
namespace {

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

BLOOMLINE_AVX2_INLINE bool BlockMayMatch(Bits512 block, int num_probes, ProbePairs pairs) {
  bool has_bits = HasBits(block, EightProbes(pairs, 0), OnesInFirstLanes(num_probes));
  for (int first = kProbesPer256Bits; first < num_probes && has_bits; first += kProbesPer256Bits) {
    has_bits = HasBits(block, EightProbes(pairs, first), OnesInFirstLanes(num_probes - first));
  }
  return has_bits;
}

// Many queries. kLoadBlock is LoadBlock of blocked_avx2.cc, or the one of atomic_avx2.cc, for
// filters in which other threads may set bits meanwhile.
template <Bits512 (*kLoadBlock)(const char*)>
struct BlocksMayMatch {
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
    const PayloadView filter = caller_filter;  // the answers could alias the caller's
    const int num_probes = filter.num_probes;
    if (num_probes <= kProbesPer256Bits) {
      const __m256i ones = OnesInFirstLanes(num_probes);
      for (size_t i = 0; i < n; ++i) may_match[i] = EightMatch(filter, hashes + i, 0, ones);
    } else if (num_probes <= 2 * kProbesPer256Bits) {
      for (size_t start = 0; start < n; start += kBatchKeys) {
        TwoPasses(filter, n - start < kBatchKeys ? n - start : kBatchKeys, hashes + start,
                  may_match + start);
      }
    } else {
      for (size_t i = 0; i < n; ++i) {
        may_match[i] = BlockMayMatch(kLoadBlock(BlockOf(filter, hashes[i])), num_probes,
                                     BlockedPairs(LowerHalf(hashes + i)));
      }
    }
  }

 private:
  // Nine to 16 probes: the second pass is over the keys that the first one has left if these are
  // few, else over all. Neither has a branch that depends on a key, which would take 11.3 instead
  // of 6 ns if half of the keys are stored. One pass over 16 probes takes 1.6 times as long if all
  // are missing, and 0.9 times as long if half of them or all are stored.
  BLOOMLINE_AVX2_INLINE static void TwoPasses(const PayloadView& filter, size_t n,
                                              const uint64_t* hashes, bool* may_match) {
    static_assert(kBatchKeys <= 32);
    const __m256i ones = OnesInFirstLanes(kProbesPer256Bits);
    uint32_t left = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool matches = EightMatch(filter, hashes + i, 0, ones);
      may_match[i] = matches;
      left |= uint32_t{matches} << i;
    }
    const __m256i second_ones = OnesInFirstLanes(filter.num_probes - kProbesPer256Bits);
    if (static_cast<size_t>(__builtin_popcount(left)) > n / 3) {
      for (size_t i = 0; i < n; ++i) {
        const bool matches = EightMatch(filter, hashes + i, kProbesPer256Bits, second_ones);
        may_match[i] = may_match[i] & matches;
      }
      return;
    }
    for (; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(__builtin_ctz(left));
      may_match[i] = EightMatch(filter, hashes + i, kProbesPer256Bits, second_ones);
    }
  }

  BLOOMLINE_AVX2_INLINE static bool EightMatch(const PayloadView& filter, const uint64_t* hash,
                                               int first, __m256i ones) {
    return HasBits(kLoadBlock(BlockOf(filter, *hash)),
                   EightProbes(BlockedPairs(LowerHalf(hash)), first), ones);
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX2_H_
