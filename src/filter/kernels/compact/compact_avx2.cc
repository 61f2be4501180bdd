// Compact blocks with AVX2: fast columns four at a time.
//
//   block      | word 0   | word 1   | word 2   | word 3   |     AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. |     AND the key's slots, XOR
//              the parity of each of the four lanes (avx2_parity.h)
//
// The same for columns 4 to 7 if the block has at least six. POPCNT is as fast for one more column,
// and takes 14 % of a query longer for three. Blocks of 32 bytes have two or three, and POPCNT
// alone.
//
// The parities are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are left,
// where F is the number of fast columns: 1 of 32 with five. A branch after the first four columns
// saves instructions, and loses as much by mispredictions (docs/rejected.md).
#if defined(__x86_64__)

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/avx2_parity.h"
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_pool_avx2.h"
#include "src/filter/kernels/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

// Four fields, each in a lane.
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

// Bit i: the parity of the key's slots in fast column kFirst + i, of four. Columns that the block
// does not have: anything.
template <unsigned kArrangement, unsigned kFirst>
BLOOMLINE_AVX2_INLINE unsigned FourColumns(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  constexpr unsigned kFirstFieldByte = kA.first_field_byte() + kA.field_bytes * kFirst;
  static_assert(kFirstFieldByte + 4 * kA.field_bytes <= kA.block_bytes, "reads what it may not");
  __m256i hits = _mm256_and_si256(Load256(block + 8 * kFirst), Broadcast(mine.word));
  if constexpr (kA.field_slots != 0) {
    const __m256i fields = FourFields<kA.field_bytes>(block + kFirstFieldByte);
    hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, Broadcast(mine.field)));
  }
  return FourParities(hits);
}

// Bit i: the parity of the key's slots in fast column i. Other bits: anything.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FastParities(const char* block, CompactSlots mine) {
  constexpr unsigned kColumns = kArrangements[kArrangement].fast_columns;
  unsigned odd = 0;
  unsigned column = 0;
  if constexpr (kColumns >= 4) {
    odd = FourColumns<kArrangement, 0>(block, mine);
    column = 4;
  }
  if constexpr (kColumns >= 6) return odd | FourColumns<kArrangement, 4>(block, mine) << 4;
#pragma GCC unroll 3
  for (; column < kColumns; ++column) {
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
