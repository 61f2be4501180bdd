// Compact blocks with AVX-512: all fast columns at once.
//
//   block      | word 0   | word 1   | .. word 4   | the pool, header    AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | .. f4 0 0.. | anything            AND the key's slots, XOR
//              the parity of each of the eight lanes: VPOPCNTQ
//
// The fast columns' are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are
// left, where F is the number of fast columns: 1 of 32 with five.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/compact_pool_avx512.h"
#include "src/filter/layouts/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

BLOOMLINE_AVX512_INLINE unsigned OddLanes(__m512i bits) {
  return _mm512_movepi64_mask(_mm512_slli_epi64(_mm512_popcnt_epi64(bits), 63));
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

// Bit i: the parity of the key's slots in the pass's column of word i.
BLOOMLINE_AVX512_INLINE unsigned PassParities(__m512i block, __m512i coefficients,
                                              const PoolPass& pass) {
  constexpr int kAndAll = 0x80;
  const __m512i windows =
      _mm512_permutexvar_epi8(_mm512_load_si512(pass.window_bytes), coefficients);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_load_si512(pass.window_bits), windows);
  return OddLanes(_mm512_ternarylogic_epi64(block, spread, _mm512_load_si512(pass.mask), kAndAll));
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
    const __m512i coefficients = _mm512_zextsi128_si512(
        _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
    unsigned odd_words = PassParities(bits, coefficients, pool.passes[0]) |
                         PassParities(bits, coefficients, pool.passes[1]) << 8;
    // An empty second pass costs less than a mispredicted branch.
    for (unsigned pass = 2; pass < pool.num_passes; ++pass) {
      odd_words |= PassParities(bits, coefficients, pool.passes[pass]) << 8 * pass;
    }
    const __m512i of_columns = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(odd_words)),
                                                _mm512_load_si512(pool.words_of_column));
    const unsigned odd =
        _mm512_movepi32_mask(_mm512_slli_epi32(_mm512_popcnt_epi32(of_columns), 31));
    const unsigned asked = pool.full_columns | (pool.partial_column & (0 - asks_partial));
    return ((odd ^ fingerprint) & asked) == 0;
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
  BLOOMLINE_AVX512 static void MayMatchMany(const CompactFilter& filter, size_t n,
                                            const uint64_t* hashes, bool* may_match) {
    CompactMayMatchMany<kArrangement, Query>(filter, n, hashes, may_match);
  }
};

}  // namespace

CompactKernel Avx512Compact() { return CompactKernelOf<Query>(Avx512SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
