// Compact blocks with AVX-512: all fast columns at once, then the pool for keys that match these.
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/compact_batch.h"
#include "src/filter/layouts/compact/compact_batch_avx512.h"
#include "src/filter/layouts/compact/compact_fast_avx512.h"
#include "src/filter/layouts/compact/compact_pool_avx512.h"
#include "src/filter/layouts/compact/compact_query.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

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

struct Query : PlainQuery<Query> {
  using PoolRow = PoolRegisters;

  // As SlotsInBlock, without its minimum of slots and 64: BZHI keeps all 64 bits when it is asked
  // for 64 or more.
  BLOOMLINE_AVX512 static CompactSlots Slots(const CompactKey& key, unsigned slots,
                                             unsigned attempt) {
    const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
    return {_bzhi_u64(WordInAttempt(key, attempt), slots), _bzhi_u64(key.slots.field, in_field)};
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool FastColumns(const char* block, CompactSlots mine, uint64_t hash) {
    const unsigned odd = FastParities<kArrangement>(block, mine);
    constexpr unsigned kAll = (1u << kArrangements[kArrangement].fast_columns) - 1;
    return ((odd ^ static_cast<unsigned>(hash)) & kAll) == 0;
  }

  // Flatten: at -O2, GCC 12 finds RowMatches equal in several arrangements, and calls it.
  template <unsigned kArrangement>
  BLOOMLINE_AVX512 __attribute__((noinline, flatten)) static bool PoolColumns(
      const char* block, uint64_t word, uint64_t field, unsigned header, uint64_t hash) {
    return PoolMatchesByTable<kArrangement, Query>(block, word, field, header, hash);
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
  BLOOMLINE_AVX512 __attribute__((noinline)) static bool OtherBlock(const char* block,
                                                                    unsigned header,
                                                                    uint64_t hash) {
    return OtherBlockMayMatch<kArrangement, Query>(block, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool MayMatch(const CompactFilter& filter, uint64_t hash) {
    return CompactMayMatch<kArrangement, Query>(filter, hash);
  }

  template <unsigned kArrangement>
  using Batch = CompactBatch<kArrangement>;

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static void TestPools(const Batch<kArrangement>& batch,
                                         const PoolRegisters* rows, const uint64_t* hashes,
                                         bool* may_match) {
    for (uint32_t left = batch.one_pass; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      const PoolRegisters& row = rows[CodeOf(header)];
      may_match[i] = OnePassMatches<kArrangement>(
          row, batch.blocks[i], {batch.words[i], batch.fields[i]},
          PoolFingerprint<kArrangement>(hashes[i]), AsksPartial(row, header, hashes[i]));
    }
    for (uint32_t left = batch.more_passes; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      may_match[i] = PoolMatchesByRow<kArrangement, Query>(rows[CodeOf(header)], batch.blocks[i],
                                                           {batch.words[i], batch.fields[i]},
                                                           header, hashes[i]);
    }
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 __attribute__((flatten)) static void MayMatchMany(const CompactFilter& filter,
                                                                     size_t n,
                                                                     const uint64_t* hashes,
                                                                     bool* may_match) {
    MayMatchInBatches<kArrangement, Query>(filter, n, hashes, may_match);
  }
};

}  // namespace

CompactKernel Avx512Compact() { return CompactKernelOf<Query>(Avx512SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
