// Compact blocks with AVX2: fast columns four at a time.
//
// A block is a matrix of bits: a row for each slot, a column for each bit of a fingerprint. The
// hash of a key gives it a coefficient for each slot ("the key's slots") and a fingerprint. It
// matches if in each column the parity of (column AND coefficients) is the fingerprint's bit. Fast
// columns have fixed places in the block: a word for slots 0 to 63, a field for the others
// (compact_block.h). The other columns are in the pool (query/pool_avx2.h).
//
//   words      | word 0   | word 1   | word 2   | word 3   |     AND the key's slots 0 to 63
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. |     AND its slots from 64 on
//              the XOR of both, and the parity of each of the four lanes (avx2_parity.h)
//
// The same for columns 4 to 7 if the block has six or seven. With five, POPCNT for the fifth is as
// fast. With seven, POPCNT for the last three makes a query 14 % slower. Blocks of 32 bytes have
// two or three, and POPCNT alone.
//
// The parities are compared with the fingerprint's lowest bits, which are those of the hash. Of the
// missing keys 2^-F are left, where F is the number of fast columns: 1 of 32 with five. A branch
// after the first four columns saves instructions, and loses as much by mispredictions
// (docs/rejected.md).
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/query/avx2_parity.h"
#include "src/filter/layouts/compact/query/pool_avx2.h"
#include "src/filter/layouts/compact/query/query.h"

namespace bloomline::kernels {
namespace {

// Four fields, each in a lane of 64 bits with zeros above it, as mine.field is.
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
// does not have: anything, since these lanes hold the fields and the pool. The caller masks them.
template <unsigned kArrangement, unsigned kFirst>
BLOOMLINE_AVX2_INLINE unsigned FourColumns(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  constexpr unsigned kFirstFieldByte = kA.first_field_byte() + kA.field_bytes * kFirst;
  static_assert(kFirstFieldByte + 4 * kA.field_bytes <= kA.block_bytes, "reads past the block");
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
#include "src/filter/layouts/compact/query/vector_query.h"

namespace bloomline::kernels {

CompactKernel Avx2Compact() {
  CompactKernel kernel = VectorCompact();
  kernel.solve = Avx2SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
