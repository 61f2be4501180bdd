// The fast columns of a compact block with AVX-512, all at once.
//
//   block      | word 0   | word 1   | .. word 4   | the pool, header    AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | .. f4 0 0.. | anything            AND the key's slots, XOR
//              the parity of each of the eight lanes: VPOPCNTQ
//
// They are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are left, where F
// is the number of fast columns: 1 of 32 with five.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX512_H_

#include "src/filter/bits/compact_block.h"
#include "src/filter/cpu/avx512_bits.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

BLOOMLINE_AVX512_INLINE unsigned OddLanes(__m512i bits) {
  __m512i one = _mm512_set1_epi64(1);
  __asm__("" : "+v"(one));  // GCC 12 would broadcast it again for each key of a loop
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), one);
}

template <unsigned kBlockSize>
BLOOMLINE_AVX512_INLINE __m512i LoadBlock(const char* block) {
  __m512i bits;
  if constexpr (kBlockSize == 64) {
    bits = _mm512_loadu_si512(block);
  } else if constexpr (kBlockSize == 32) {
    bits = _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
  } else {
    static_assert(kBlockSize == 16, "reads past the block");
    bits = _mm512_zextsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
  }
  // GCC 12 would fold the load into both of its users. Of a block that does not begin on a cache
  // line, each load is of two lines.
  __asm__("" : "+v"(bits));
  return bits;
}

// VPERMB's index, which moves the field of fast column i to the low bytes of lane i. All other
// bytes get byte 0 of the block, which is rubbish: the key's coefficients have no bits there, and
// lanes without a column are not asked for.
template <unsigned kArrangement>
struct FieldBytes {
  constexpr FieldBytes() {
    constexpr Arrangement kA = kArrangements[kArrangement];
    for (unsigned i = 0; i < 8 * kA.fast_columns; ++i) {
      if (i % 8 >= kA.field_bytes) continue;
      index[i] = static_cast<uint8_t>(kA.first_field_byte() + kA.field_bytes * (i / 8) + i % 8);
    }
  }
  alignas(64) uint8_t index[64] = {};
};
template <unsigned kArrangement>
constexpr FieldBytes<kArrangement> kFieldBytes;

// Bit i: the parity of the key's slots in fast column i. Other bits: anything.
template <unsigned kArrangement>
BLOOMLINE_AVX512_INLINE unsigned FastParities(const char* bytes, CompactSlots mine) {
  const __m512i block = LoadBlock<kArrangements[kArrangement].block_bytes>(bytes);
  __m512i hits = _mm512_and_si512(block, Broadcast(mine.word));
  if constexpr (kArrangements[kArrangement].field_slots != 0) {
    constexpr int kXorAnd = 0x78;  // a ^ (b & c)
    const __m512i fields =
        _mm512_permutexvar_epi8(_mm512_load_si512(kFieldBytes<kArrangement>.index), block);
    hits = _mm512_ternarylogic_epi64(hits, fields, Broadcast(mine.field), kXorAnd);
  }
  return OddLanes(hits);
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_FAST_AVX512_H_
