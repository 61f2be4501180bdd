// AVX2: the attribute of its functions, and a block as two registers.
#ifndef BLOOMLINE_FILTER_CPU_AVX2_BITS_H_
#define BLOOMLINE_FILTER_CPU_AVX2_BITS_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/x86_extensions.h"

#define BLOOMLINE_AVX2 BLOOMLINE_TARGET(BLOOMLINE_AVX2_EXTENSIONS)
#define BLOOMLINE_AVX2_INLINE BLOOMLINE_AVX2 __attribute__((always_inline)) inline

namespace bloomline::kernels {

constexpr uint32_t kBytesPer256Bits = 32;

BLOOMLINE_AVX2_INLINE __m256i Load256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// The 4 or 8 bytes at p in all lanes, by a load alone. They are copied as floating-point numbers,
// because an integer that is also in a general register takes a move and a shuffle.
BLOOMLINE_AVX2_INLINE __m256i Broadcast32(const void* p) {
  float bits;
  std::memcpy(&bits, p, sizeof(bits));
  return _mm256_castps_si256(_mm256_set1_ps(bits));
}
BLOOMLINE_AVX2_INLINE __m256i Broadcast64(const void* p) {
  double bits;
  std::memcpy(&bits, p, sizeof(bits));
  return _mm256_castpd_si256(_mm256_set1_pd(bits));
}

struct Bits512 {
  __m256i low;
  __m256i high;
};
static_assert(sizeof(Bits512) == kBlockBytes);

// A one at `position` if it lies in the register. A lane of 64 bits that begins at bit `base`
// shifts a one by position - base. Outside 0..63, taken as unsigned, that gives zero.
BLOOMLINE_AVX2_INLINE __m256i BitAt(__m256i position, __m256i base) {
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_sub_epi64(position, base));
}

BLOOMLINE_AVX2_INLINE void SetBit(uint32_t bit, Bits512* bits) {
  const __m256i position = _mm256_set1_epi64x(bit);
  bits->low = _mm256_or_si256(bits->low, BitAt(position, _mm256_set_epi64x(192, 128, 64, 0)));
  bits->high = _mm256_or_si256(bits->high, BitAt(position, _mm256_set_epi64x(448, 384, 320, 256)));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX2_BITS_H_
