// The fast columns of a compact block with AVX2, four at a time.
//
//   words      | word 0   | word 1   | word 2   | word 3   |     AND the key's slots 0 to 63
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. |     AND its slots from 64 on
//              the XOR of both, and the parity of each of the four lanes
//
// The same for columns 4 to 7 if the block has six or seven. With five, POPCNT for the fifth is as
// fast. With seven, POPCNT for the last three makes a query 14 % slower. Blocks of 16 or 32 bytes
// have one to three, and POPCNT alone.
//
// The parities are compared with the fingerprint's lowest bits, which are those of the hash. Of the
// missing keys 2^-F are left, where F is the number of fast columns: 1 of 32 with five. A branch
// after the first four columns saves instructions, and loses as much by mispredictions
// (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX2_H_

#include "src/filter/bits/compact_block.h"
#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

// --- Parities of 64-bit lanes, and of bytes: AVX2 has no population count.

// By a register move; left to itself, GCC goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i Broadcast(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// For each 4 bits, whether an odd number of them is set: as bit 0, which can be added up, and as
// bit 7, which VPMOVMSKB takes.
alignas(32) constexpr uint8_t kParities[32] = {
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0,
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0};

// In each byte, its parity: the XOR of its halves has the same, and 16 values fit a look-up table.
BLOOMLINE_AVX2_INLINE __m256i ByteParities(__m256i bits) {
  bits =
      _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4)), _mm256_set1_epi8(0x0F));
  return _mm256_shuffle_epi8(Load256(kParities), bits);
}

// Bit i: the parity of lane i. VPSADBW adds up the bytes of each lane; bit 0 of the sum is moved to
// where VMOVMSKPD takes it.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i bits) {
  const __m256i sums = _mm256_sad_epu8(ByteParities(bits), _mm256_setzero_si256());
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 63))));
}

// --- Fast columns.

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

// A key's coefficients in each lane of 64 bits.
struct SlotsInLanes {
  __m256i words;
  __m256i fields;
};

// Bit i: the parity of the key's slots in fast column kFirst + i, of four. Columns that the block
// does not have: anything, since these lanes hold the fields and the pool. The caller masks them.
template <unsigned kArrangement, unsigned kFirst>
BLOOMLINE_AVX2_INLINE unsigned FourColumns(const char* block, SlotsInLanes mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  constexpr unsigned kFirstFieldByte = kA.first_field_byte() + kA.field_bytes * kFirst;
  static_assert(kFirstFieldByte + 4 * kA.field_bytes <= kA.block_bytes, "reads past the block");
  __m256i hits = _mm256_and_si256(Load256(block + 8 * kFirst), mine.words);
  if constexpr (kA.field_slots != 0) {
    const __m256i fields = FourFields<kA.field_bytes>(block + kFirstFieldByte);
    hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, mine.fields));
  }
  return FourParities(hits);
}

// Bit i: the parity of the key's slots in fast column i. Other bits: anything.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FastParities(const char* block, CompactSlots mine,
                                            SlotsInLanes in_lanes) {
  constexpr unsigned kColumns = kArrangements[kArrangement].fast_columns;
  unsigned odd = 0;
  unsigned column = 0;
  if constexpr (kColumns >= 4) {
    odd = FourColumns<kArrangement, 0>(block, in_lanes);
    column = 4;
  }
  if constexpr (kColumns >= 6) return odd | FourColumns<kArrangement, 4>(block, in_lanes) << 4;
#pragma GCC unroll 3
  for (; column < kColumns; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return odd;
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX2_H_
