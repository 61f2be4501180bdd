// AVX-512: queries of one block. Queries with k <= 8 stay in 256-bit registers, which hold eight
// probes and cost no clock frequency on older Intel CPUs. More probes go sixteen at a time.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_

#include <cstdint>

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {

// Mask of the first n of 16 lanes; n may exceed their number.
inline __mmask16 FirstLanes(int n) {
  return static_cast<__mmask16>(n < kProbesPer512Bits ? (1u << n) - 1 : 0xFFFF);
}

// Ones in the first n of 8 lanes, n <= 8. By a table, and tested without a mask register: that
// takes four instructions fewer.
BLOOMLINE_AVX512_INLINE __m256i OnesInFirstOfEight(int n) {
  struct alignas(32) Lanes {
    uint32_t ones[8];
  };
  static constexpr Lanes kOnes[9] = {
      {{}},
      {{1}},
      {{1, 1}},
      {{1, 1, 1}},
      {{1, 1, 1, 1}},
      {{1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1, 1, 1}},
  };
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(kOnes + n));
}

// How a block is loaded: a class with
//   static __m256i Half(const char* p)   32 bytes, from the beginning or the middle of a block
//   static __m512i Block(const char* p)  all of it
template <typename Load>
BLOOMLINE_AVX512_INLINE bool EightProbesMatch(const char* block, int num_probes, uint64_t hash) {
  const __m256i a = _mm256_set1_epi32(static_cast<int>(hash));
  const __m256i b = _mm256_rol_epi32(a, 16);
  const __m256i multipliers =
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers));
  const __m256i probes = _mm256_add_epi32(a, _mm256_mullo_epi32(multipliers, b));
  const __m256i low = Load::Half(block);
  const __m256i high = Load::Half(block + kBlockBytes / 2);
  const __m256i words = _mm256_permutex2var_epi32(low, _mm256_srli_epi32(probes, 28), high);
  // The rotation uses the lowest 5 bits of the 9, so no mask is needed.
  const __m256i bits = _mm256_rorv_epi32(words, _mm256_srli_epi32(probes, 23));
  return _mm256_testc_si256(bits, OnesInFirstOfEight(num_probes)) != 0;
}

template <typename Load>
BLOOMLINE_AVX512_INLINE bool SixteenProbesMatch(const char* block, int num_probes, uint64_t hash) {
  const __m512i a = _mm512_set1_epi32(static_cast<int>(hash));
  const __m512i b = _mm512_rol_epi32(a, 16);
  const __m512i words = Load::Block(block);
  for (int first = 0; first < num_probes; first += kProbesPer512Bits) {
    const __m512i multipliers = _mm512_load_si512(kProbeMultipliers + first);
    const __m512i probes = _mm512_add_epi32(a, _mm512_mullo_epi32(multipliers, b));
    const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(probes, 28), words);
    const __m512i bits = _mm512_rorv_epi32(word, _mm512_srli_epi32(probes, 23));
    const __mmask16 zero = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
    if ((zero & FirstLanes(num_probes - first)) != 0) return false;
  }
  return true;
}

template <typename Load>
BLOOMLINE_AVX512_INLINE bool BlockMayMatch(const char* block, int num_probes, uint64_t hash) {
  return num_probes <= 8 ? EightProbesMatch<Load>(block, num_probes, hash)
                         : SixteenProbesMatch<Load>(block, num_probes, hash);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCK_QUERY_AVX512_H_
