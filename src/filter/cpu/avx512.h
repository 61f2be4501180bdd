// AVX-512: the attribute of its functions.
#ifndef BLOOMLINE_FILTER_CPU_AVX512_H_
#define BLOOMLINE_FILTER_CPU_AVX512_H_

// GCC 12 warns of the deliberately undefined operand inside its own intrinsics (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/instruction_sets.h"

#define BLOOMLINE_AVX512 BLOOMLINE_TARGET(BLOOMLINE_AVX512_EXTENSIONS)
#define BLOOMLINE_AVX512_INLINE BLOOMLINE_AVX512 __attribute__((always_inline)) inline

namespace bloomline::kernels {

static_assert(sizeof(__m512i) == kBlockBytes, "a block is one register");

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX512_H_
