// The pool of a compact block with AVX-512, which stored keys need and few missing ones.
//
//   coefficients  c0 .. c15
//   windows       | 8 bytes | 8 bytes | ..     VPERMB: for each word of the block, 8 bytes in a
//   row,
//                                              which have all that this pass's column needs there
//   spread        | s s s s | s s s s | ..     VPMULTISHIFTQB: to each byte 8 of them, which begin
//                                              at any bit
//   hits          block & spread & mask        the parity of each word: VPOPCNTQ
//
// A pass does so for one column of each word. Two passes do for nearly all blocks, three for all of
// 32 slots or more; with fewer slots there can be four. The parities of all passes are one integer,
// of which each column asks for some bits. pool_registers.h makes the tables.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX512_H_

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/query/pool_registers.h"
#include "src/filter/layouts/compact/query/query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE unsigned OddLanes(__m512i bits) {
  return _mm512_movepi64_mask(_mm512_slli_epi64(_mm512_popcnt_epi64(bits), 63));
}

template <unsigned kBlockSize>
BLOOMLINE_AVX512_INLINE __m512i LoadBlock(const char* block) {
  __m512i bits =
      kBlockSize == 64
          ? _mm512_loadu_si512(block)
          : _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
  // GCC 12 would fold the load into both of its users. Of a block that does not begin on a cache
  // line, each load is of two lines.
  __asm__("" : "+v"(bits));
  return bits;
}

// Bit i: the parity of the key's slots in the pass's column of word i.
BLOOMLINE_AVX512_INLINE unsigned PassParities(__m512i block, __m512i coefficients,
                                              const PoolPass& pass) {
  constexpr int kAndAll = 0x80;
  const __m512i windows =
      _mm512_permutexvar_epi8(_mm512_load_si512(pass.window_bytes), coefficients);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_load_si512(pass.window_bits), windows);
  return OddLanes(_mm512_ternarylogic_epi64(block, spread, _mm512_load_si512(pass.mask), kAndAll));
}

using PoolRow = PoolRegisters;

template <unsigned kArrangement>
BLOOMLINE_AVX512_INLINE bool RowMatches(const PoolRegisters& pool, const char* block,
                                        CompactSlots mine, uint32_t fingerprint,
                                        unsigned asks_partial) {
  const __m512i bits = LoadBlock<kArrangements[kArrangement].block_bytes>(block);
  const __m512i coefficients = _mm512_zextsi128_si512(
      _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
  unsigned odd_words = PassParities(bits, coefficients, pool.passes[0]) |
                       PassParities(bits, coefficients, pool.passes[1]) << 8;
  // An empty second pass costs less than a mispredicted branch.
  for (unsigned pass = 2; pass < pool.num_registers; ++pass) {
    odd_words |= PassParities(bits, coefficients, pool.passes[pass]) << 8 * pass;
  }
  const __m512i of_columns = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(odd_words)),
                                              _mm512_load_si512(pool.words_of_column));
  const unsigned odd = _mm512_movepi32_mask(_mm512_slli_epi32(_mm512_popcnt_epi32(of_columns), 31));
  const unsigned asked = pool.full_columns | (pool.partial_column & (0 - asks_partial));
  return ((odd ^ fingerprint) & asked) == 0;
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_AVX512_H_
