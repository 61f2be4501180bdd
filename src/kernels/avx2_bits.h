// What the AVX2 files share: their function attribute and the setting of a bit in a line.
#ifndef BLOOMLINE_KERNELS_AVX2_BITS_H_
#define BLOOMLINE_KERNELS_AVX2_BITS_H_

#include <immintrin.h>

#include <cstdint>

#include "src/kernels/x86_extensions.h"

#define BLOOMLINE_AVX2 BLOOMLINE_TARGET(BLOOMLINE_AVX2_EXTENSIONS)
#define BLOOMLINE_AVX2_INLINE BLOOMLINE_AVX2 __attribute__((always_inline)) inline

namespace bloomline::kernels {

// A bit of a 256-bit register for each of n positions: a lane of 64 bits at bit `base` shifts a one
// by position - base; outside 0..63, taken as unsigned, that gives nothing.
BLOOMLINE_AVX2_INLINE __m256i BitAt(__m256i position, __m256i base) {
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_sub_epi64(position, base));
}

struct Bits512 {
  __m256i low;
  __m256i high;
};

BLOOMLINE_AVX2_INLINE void SetBit(uint32_t bit, Bits512* line) {
  const __m256i position = _mm256_set1_epi64x(bit);
  line->low = _mm256_or_si256(line->low, BitAt(position, _mm256_set_epi64x(192, 128, 64, 0)));
  line->high = _mm256_or_si256(line->high, BitAt(position, _mm256_set_epi64x(448, 384, 320, 256)));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_AVX2_BITS_H_
