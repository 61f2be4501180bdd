// Compact blocks with AVX2: four fast columns at once, the others by POPCNT.
//
//   block      | word 0   | word 1   | word 2   | word 3   | word 4 ...        AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. | f4 ...            AND the key's, XOR
//              parity of each of the four lanes (avx2_parity.h)  POPCNT
//
// The parities are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are left,
// where F is the number of fast columns: 1 of 32 with five. Blocks of 32 bytes have two or three
// fast columns, and POPCNT alone.
#if defined(__x86_64__)

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/avx2_parity.h"
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_pool_avx2.h"
#include "src/filter/kernels/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

// The first four fields, each in a lane.
template <unsigned kBytes>
BLOOMLINE_AVX2_INLINE __m256i FourFields(const char* fields) {
  if constexpr (kBytes == 2) {
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(fields)));
  }
  if constexpr (kBytes == 4) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(fields)));
  }
  return Load256(fields);
}

// Bit i: the parity of the key's slots in fast column i: four columns at once, the others by
// POPCNT.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FastParities(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  unsigned odd = 0;
  unsigned column = 0;
  if constexpr (kA.fast_columns >= 4) {
    __m256i hits = _mm256_and_si256(Load256(block), Broadcast(mine.word));
    if constexpr (kA.field_slots != 0) {
      const __m256i fields = FourFields<kA.field_bytes>(block + kA.first_field_byte());
      hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, Broadcast(mine.field)));
    }
    odd = FourParities(hits);
    column = 4;
  }
#pragma GCC unroll 3
  for (; column < kA.fast_columns; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return odd;
}

}  // namespace
}  // namespace bloomline::kernels

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX2
#include "src/filter/kernels/compact/compact_vector_query.h"

namespace bloomline::kernels {

CompactKernel Avx2Compact() {
  CompactKernel kernel = VectorCompact();
  kernel.solve = Avx2SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
