// The pool of a compact block with AVX2, which stored keys need and few missing ones.
//
//   block          b0 b1 b2 .. b63           three look-ups bring the pool's bytes to 32 places
//   places         p0 p1 .. p31
//   coefficients   c0 .. c15                 two look-ups bring two bytes to each place, and a
//   spread         s0 s1 .. s31              multiplication shifts the place's 8 out of them
//   hits           p & s & mask              the parity of each place is a bit
//   column i       the parity of its places
//
// compact_pool_bytes.h makes the look-up tables. To go from piece to piece took 48 to 73 cycles for
// a stored key, this takes 23 to 28 (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_POOL_AVX2_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_POOL_AVX2_H_

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/avx2_parity.h"
#include "src/filter/kernels/compact/compact_pool_bytes.h"
#include "src/filter/kernels/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

// Bit i: the parity of the key's slots in place i.
template <unsigned kBlockSize>
BLOOMLINE_AVX2_INLINE uint32_t OddPlaces(const char* block, __m256i coefficients,
                                         const PoolBytes::Register& r) {
  const __m256i last_quarter = _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + kBlockSize - 16)));
  __m256i bytes = _mm256_or_si256(_mm256_shuffle_epi8(Load256(block), Load256(r.of_first_half)),
                                  _mm256_shuffle_epi8(last_quarter, Load256(r.of_last_quarter)));
  if constexpr (kBlockSize == 64) {
    bytes =
        _mm256_or_si256(bytes, _mm256_shuffle_epi8(Load256(block + 32), Load256(r.of_second_half)));
  }
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
// At most kFewPoolColumns full columns, and the partial one. Of the ORed counts only bit 0 is of
// use.
BLOOMLINE_AVX2_INLINE bool OneRegisterMatches(const PoolBytes& pool, uint64_t first,
                                              unsigned asks_partial) {
  unsigned wrong = CountOnes(first & pool.partial_first_places) & asks_partial;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kFewPoolColumns; ++i) {
    wrong |= CountOnes(first & pool.first_places[i]);
  }
  return (wrong & 1) == 0;
}

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

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_POOL_AVX2_H_
