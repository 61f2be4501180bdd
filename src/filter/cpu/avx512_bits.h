// AVX-512: the attribute of its functions, and the setting of a bit in a register.
#ifndef BLOOMLINE_FILTER_CPU_AVX512_BITS_H_
#define BLOOMLINE_FILTER_CPU_AVX512_BITS_H_

// GCC 12 takes the deliberately undefined operand inside its own intrinsics for a mistake (GCC bug
// 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include <cstdint>

#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/x86_extensions.h"

#define BLOOMLINE_AVX512 BLOOMLINE_TARGET(BLOOMLINE_AVX512_EXTENSIONS)
#define BLOOMLINE_AVX512_INLINE BLOOMLINE_AVX512 __attribute__((always_inline)) inline

namespace bloomline::kernels {

static_assert(sizeof(__m512i) == kBlockBytes, "a block is one register");

// Probes in a register of 32-bit lanes.
constexpr int kProbesPer512Bits = 16;
static_assert(kProbesPer512Bits * sizeof(uint32_t) == sizeof(__m512i));

// A lane of 64 bits that begins at bit 64 * i shifts a one by bit - 64 * i. Outside 0..63, taken as
// unsigned, that gives zero. So three instructions set a bit anywhere in the register.
BLOOMLINE_AVX512_INLINE __m512i WithBit(__m512i bits, uint32_t bit) {
  const __m512i base = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
  const __m512i distance = _mm512_sub_epi64(_mm512_set1_epi64(bit), base);
  return _mm512_or_si512(bits, _mm512_sllv_epi64(_mm512_set1_epi64(1), distance));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX512_BITS_H_
