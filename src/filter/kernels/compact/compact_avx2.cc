// Compact blocks with AVX2: four fast columns at once, then the others by POPCNT.
//
//   block      | word 0   | word 1   | word 2   | word 3   | word 4 ...        AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. | f4 ...            AND the key's, XOR
//              parity of each of the four lanes (avx2_parity.h)  POPCNT, if those match
//
// The parities are compared with the fingerprint's lowest bits. Blocks of 32 bytes have two or
// three fast columns, and POPCNT alone.
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

// The others follow for the 1 of 16 missing keys that these four let through. To have all of them
// here saves a misprediction for 1 of 32, but takes 8 instructions and more for every query: 15 %
// longer with five fast columns, 38 % with seven (docs/kernels.md).
constexpr unsigned kColumnsAtOnce = 4;

// Bit i: the parity of the key's slots in fast column i, for the first four columns.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FirstParities(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  if constexpr (kA.fast_columns < kColumnsAtOnce) {
    unsigned odd = 0;
#pragma GCC unroll 3
    for (unsigned column = 0; column < kA.fast_columns; ++column) {
      odd |= ColumnParity<kArrangement>(block, column, mine) << column;
    }
    return odd;
  }
  __m256i hits = _mm256_and_si256(Load256(block), Broadcast(mine.word));
  if constexpr (kA.field_slots != 0) {
    const __m256i fields = FourFields<kA.field_bytes>(block + kA.first_field_byte());
    hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, Broadcast(mine.field)));
  }
  return FourParities(hits);
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
