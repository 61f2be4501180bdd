// The pool of a compact block with AVX2, which stored keys need and few missing ones.
//
// A place is a byte of a register. The tables differ by the number of slots, not by the key.
//
//   block          b0 b1 b2 .. b63           three look-ups bring the pool's bytes to 32 places
//   places         p0 p1 .. p31
//   coefficients   c0 .. c7 word, c8 .. c15 field; of slots 8 j to 8 j + 7 in byte c(j)
//   spread         s0 s1 .. s31              for each place, the 8 coefficients of its byte's bits.
//                                            They begin at any bit, so a look-up brings the two
//                                            bytes that have them, and a multiplication shifts
//   hits           p & s & mask              the parity of each place is a bit
//   column i       the parity of its places
//
// pool_bytes.h makes the look-up tables. A pool column lies in several pieces, each a run
// of bits of one word. To go from piece to piece, as PoolMatches of query.h, took 48 to 73
// cycles for a stored key, this takes 23 to 28 (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX2_H_

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/query/avx2_parity.h"
#include "src/filter/layouts/compact/query/pool_bytes.h"
#include "src/filter/layouts/compact/query/query.h"

namespace bloomline::kernels {
namespace {

// Bit i: the parity of the key's slots in place i.
template <unsigned kBlockSize>
BLOOMLINE_AVX2_INLINE uint32_t OddPlaces(const char* block, __m256i coefficients,
                                         const PoolBytes::Register& r) {
  // VPSHUFB looks up within each lane of 16 bytes. So bytes 0 to 15 and 32 to 47 of a block of 64
  // come to places 0 to 15 only, bytes 16 to 31 to places 16 to 31 only. The last 16, where most of
  // the pool is, are broadcast, and come to any place. Each place takes its byte from one of the
  // three look-ups; the other two give zero.
  const __m256i last_quarter = _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + kBlockSize - 16)));
  __m256i bytes = _mm256_or_si256(_mm256_shuffle_epi8(Load256(block), Load256(r.of_first_half)),
                                  _mm256_shuffle_epi8(last_quarter, Load256(r.of_last_quarter)));
  if constexpr (kBlockSize == 64) {
    bytes =
        _mm256_or_si256(bytes, _mm256_shuffle_epi8(Load256(block + 32), Load256(r.of_second_half)));
  }
  // AVX2 has no shifts of 8 or 16 bits by different counts, but multiplications by powers of two.
  // Places 2 i and 2 i + 1 share 16 bits, which in `even` have the window of place 2 i:
  //
  //   even place: (window << (16 - shift)) >> 16, lower byte      odd: window << (8 - shift), upper
  const __m256i even = _mm256_mulhi_epu16(_mm256_shuffle_epi8(coefficients, Load256(r.even_bytes)),
                                          Load256(r.even_factors));
  const __m256i odd = _mm256_mullo_epi16(_mm256_shuffle_epi8(coefficients, Load256(r.odd_bytes)),
                                         Load256(r.odd_factors));
  const __m256i spread = _mm256_blendv_epi8(even, odd, _mm256_set1_epi16(-256));  // 0xFF00
  const __m256i hits = _mm256_and_si256(_mm256_and_si256(bytes, Load256(r.mask)), spread);
  return static_cast<uint32_t>(_mm256_movemask_epi8(ByteParities(hits)));
}

BLOOMLINE_AVX2_INLINE unsigned CountOnes(uint64_t bits) {
  return static_cast<unsigned>(__builtin_popcountll(bits));
}

// The fingerprint's bits take part in the parities: bit 32 + i is in first_places[i]. So an odd
// column is one that does not match. Columns that the block does not have have no places, and are
// even.
//
// At most kFewPoolColumns full columns, and the partial one: a POPCNT for each. The parity of a
// count is its bit 0, so only bit 0 of the ORed counts is of use.
BLOOMLINE_AVX2_INLINE bool OneRegisterMatches(const PoolBytes& pool, uint64_t first,
                                              unsigned asks_partial) {
  unsigned wrong = CountOnes(first & pool.partial_first_places) & asks_partial;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kFewPoolColumns; ++i) {
    wrong |= CountOnes(first & pool.first_places[i]);
  }
  return (wrong & 1) == 0;
}

// All kMaxPoolColumns, four at a time in vectors, so that no branch depends on their number.
BLOOMLINE_AVX2_INLINE bool TwoRegistersMatch(const PoolBytes& pool, uint64_t first, uint64_t second,
                                             unsigned asks_partial) {
  unsigned wrong =
      CountOnes((first & pool.partial_first_places) ^ (second & pool.partial_second_places)) &
      asks_partial;
  const __m256i firsts = Broadcast(first);
  const __m256i seconds = Broadcast(second);
  unsigned odd = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kMaxPoolColumns; i += 4) {
    odd |=
        FourParities(_mm256_xor_si256(_mm256_and_si256(firsts, Load256(&pool.first_places[i])),
                                      _mm256_and_si256(seconds, Load256(&pool.second_places[i]))));
  }
  return ((wrong & 1) | odd) == 0;
}

using PoolRow = PoolBytes;

template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE bool RowMatches(const PoolBytes& pool, const char* block, CompactSlots mine,
                                      uint32_t fingerprint, unsigned asks_partial) {
  constexpr unsigned kBlockSize = kArrangements[kArrangement].block_bytes;
  const __m256i coefficients = _mm256_broadcastsi128_si256(
      _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
  const uint64_t first = OddPlaces<kBlockSize>(block, coefficients, pool.registers[0]) |
                         uint64_t{fingerprint} << kPoolPlaces;
  if (pool.num_registers == 1) return OneRegisterMatches(pool, first, asks_partial);
  const uint64_t second = OddPlaces<kBlockSize>(block, coefficients, pool.registers[1]);
  return TwoRegistersMatch(pool, first, second, asks_partial);
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX2_H_
