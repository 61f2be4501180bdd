// AVX2: the attribute of its functions, loads, and a block as two registers, of which a query reads
// eight bits at a time.
#ifndef BLOOMLINE_FILTER_CPU_AVX2_H_
#define BLOOMLINE_FILTER_CPU_AVX2_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/instruction_sets.h"

#define BLOOMLINE_AVX2 BLOOMLINE_TARGET(BLOOMLINE_AVX2_EXTENSIONS)
#define BLOOMLINE_AVX2_INLINE BLOOMLINE_AVX2 __attribute__((always_inline)) inline

namespace bloomline::kernels {

constexpr uint32_t kBytesPer256Bits = 32;

BLOOMLINE_AVX2_INLINE __m256i Load256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// The 4 bytes at p in all lanes, with nothing but a load. They are copied as a floating-point
// number, because an integer that is also in a general register takes a move and a shuffle.
BLOOMLINE_AVX2_INLINE __m256i Broadcast32(const void* p) {
  float bits;
  std::memcpy(&bits, p, sizeof(bits));
  return _mm256_castps_si256(_mm256_set1_ps(bits));
}

struct Bits512 {
  __m256i low;
  __m256i high;
};
static_assert(sizeof(Bits512) == kBlockBytes);

BLOOMLINE_AVX2_INLINE Bits512 LoadBlock(const char* block) {
  return {Load256(block), Load256(block + kBytesPer256Bits)};
}

constexpr int kProbesPer256Bits = 8;
static_assert(kProbesPer256Bits * sizeof(uint32_t) == kBytesPer256Bits);

// Ones in the first n lanes of 32 bits; n may exceed their number. A window of eight lanes on eight
// ones and eight zeros:
//
//   n = 3      1 1 1 1 1 [1 1 1 0 0 0 0 0] 0 0 0
BLOOMLINE_AVX2_INLINE __m256i OnesInFirstLanes(int n) {
  alignas(64) static constexpr uint32_t kOnesThenZeros[2 * kProbesPer256Bits] = {1, 1, 1, 1,
                                                                                 1, 1, 1, 1};
  return Load256(kOnesThenZeros + kProbesPer256Bits -
                 (n < kProbesPer256Bits ? n : kProbesPer256Bits));
}

// Whether the bits of eight probes are set, each given by the top 9 bits of its probe. Probes where
// `ones` is 0 do not count. VPTEST's carry flag says that no bit is missing, so lanes need not be
// compared.
BLOOMLINE_AVX2_INLINE bool HasBits(Bits512 block, __m256i probes, __m256i ones) {
  // Top 4 bits: which of 16 words. The permutation uses 3 of them. The sign bit, which blendv
  // uses, chooses the half of the block.
  const __m256i word = _mm256_srli_epi32(probes, 28);
  const __m256 low_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.low, word));
  const __m256 high_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.high, word));
  const __m256 words = _mm256_blendv_ps(low_words, high_words, _mm256_castsi256_ps(probes));
  const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(probes, 23), _mm256_set1_epi32(31));
  return _mm256_testc_si256(_mm256_castps_si256(words), _mm256_sllv_epi32(ones, bits)) != 0;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX2_H_
