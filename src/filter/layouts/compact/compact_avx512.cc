// Compact blocks with AVX-512: all fast columns at once, then the pool for keys that match these.
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx512_bits.h"

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX512
#include "src/filter/layouts/compact/compact_pool_avx512.h"
#include "src/filter/layouts/compact/compact_vector_query.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

// --- The fast columns.
//
//   block      | word 0   | word 1   | .. word 4   | the pool, header    AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | .. f4 0 0.. | anything            AND the key's slots, XOR
//              the parity of each of the eight lanes: VPOPCNTQ
//
// They are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are left, where F
// is the number of fast columns: 1 of 32 with five.

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
  // GCC 12 would fold the load into both of its users. Each load of a block that does not begin at
  // a cache line reads two lines.
  __asm__("" : "+v"(bits));
  return bits;
}

// VPERMB's index, which moves the field of fast column i to the low bytes of lane i. All other
// bytes get byte 0 of the block, a value without meaning: the key's coefficients are 0 there, and
// lanes without a column are ignored.
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

// --- The pool: compact_pool_avx512.h has what the tables say.

BLOOMLINE_AVX512_INLINE __m512i Coefficients(CompactSlots mine) {
  return _mm512_zextsi128_si512(
      _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
}

// Bit i: the parity of the key's slots in lane i.
BLOOMLINE_AVX512_INLINE unsigned PassParities(__m512i block, __m512i coefficients,
                                              const PoolPass& pass) {
  constexpr int kAndAll = 0x80;
  const __m512i words = _mm512_permutexvar_epi64(_mm512_load_si512(pass.word_of_lane), block);
  const __m512i windows =
      _mm512_permutexvar_epi8(_mm512_load_si512(pass.window_bytes), coefficients);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_load_si512(pass.window_bits), windows);
  return OddLanes(_mm512_ternarylogic_epi64(words, spread, _mm512_load_si512(pass.mask), kAndAll));
}

BLOOMLINE_AVX512_INLINE bool ColumnsAsExpected(const PoolRegisters& pool, unsigned odd,
                                               uint32_t fingerprint, unsigned asks_partial) {
  const unsigned asked = pool.full_columns | (pool.partial_column & (0 - asks_partial));
  return ((odd ^ fingerprint) & asked) == 0;
}

struct Query : VectorQuery<Query> {
  using PoolRow = PoolRegisters;

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static unsigned Parities(const char* block, CompactSlots mine) {
    return FastParities<kArrangement>(block, mine);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static unsigned BatchParities(const char* block, const uint64_t* word,
                                                 const uint64_t* field) {
    return FastParities<kArrangement>(block, {*word, *field});
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool RowMatches(const PoolRegisters& pool, const char* block,
                                          CompactSlots mine, uint32_t fingerprint,
                                          unsigned asks_partial) {
    const __m512i bits = LoadBlock<kArrangements[kArrangement].block_bytes>(block);
    const __m512i coefficients = Coefficients(mine);
    // An empty second pass costs less than a mispredicted branch.
    const auto first = static_cast<__mmask16>(PassParities(bits, coefficients, pool.passes[0]));
    const auto second = static_cast<__mmask16>(PassParities(bits, coefficients, pool.passes[1]));
    unsigned odd_lanes = _mm512_kunpackb(second, first);
    if (__builtin_expect(pool.num_passes > 2, 0)) {
      odd_lanes |= PassParities(bits, coefficients, pool.passes[2]) << (2 * kLanesPerPass);
    }
    const __m512i of_columns = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(odd_lanes)),
                                                _mm512_load_si512(pool.lanes_of_column));
    const unsigned odd =
        _mm512_movepi32_mask(_mm512_slli_epi32(_mm512_popcnt_epi32(of_columns), 31));
    return ColumnsAsExpected(pool, odd, fingerprint, asks_partial);
  }

  // RowMatches of a block with kOnePassSlots or more.
  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool OnePassMatches(const PoolRegisters& pool, const char* block,
                                              CompactSlots mine, uint32_t fingerprint,
                                              unsigned asks_partial) {
    const __m512i bits = LoadBlock<kArrangements[kArrangement].block_bytes>(block);
    const __m128i odd_lanes =
        _mm_cvtsi32_si128(static_cast<int>(PassParities(bits, Coefficients(mine), pool.passes[0])));
    const __m128i matrix = _mm_cvtsi64_si128(static_cast<long long>(pool.column_matrix));
    const auto odd =
        static_cast<unsigned>(_mm_cvtsi128_si32(_mm_gf2p8affine_epi64_epi8(odd_lanes, matrix, 0)));
    return ColumnsAsExpected(pool, odd, fingerprint, asks_partial);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static void TestPools(const CompactBatch<kArrangement, Query>& batch,
                                         uint32_t keys, const PoolRegisters* rows,
                                         const uint64_t* hashes, bool* may_match) {
    const uint32_t one_pass = keys & batch.CodesAbove(kOnePassSlots - kMinCompactSlots - 1);
    for (uint32_t left = one_pass; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      const PoolRegisters& row = rows[CodeOf(header)];
      may_match[i] = OnePassMatches<kArrangement>(
          row, batch.blocks[i], {batch.words[i], batch.fields[i]},
          PoolFingerprint<kArrangement>(hashes[i]), AsksPartial(row, header, hashes[i]));
    }
    VectorQuery::TestPools(batch, keys & ~one_pass, rows, hashes, may_match);
  }
};

}  // namespace

CompactKernel Avx512Compact() { return CompactKernelOf<Query>(Avx512SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
