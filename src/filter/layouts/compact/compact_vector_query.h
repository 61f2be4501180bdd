// Shared by the queries of compact blocks with AVX2 and AVX-512: keys of a batch four at a time,
// and the pool by tables. Their .cc files have the fast columns and the pool of one block.
//
// A kernel's .cc file defines BLOOMLINE_COMPACT_TARGET, the attribute of its functions, before it
// includes this file: a template cannot take it as a parameter.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_VECTOR_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_VECTOR_QUERY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/avx2.h"
#include "src/filter/layouts/compact/compact_query.h"

#define BLOOMLINE_COMPACT_INLINE BLOOMLINE_COMPACT_TARGET __attribute__((always_inline)) inline

namespace bloomline::kernels {
namespace {

// The fast columns of a batch of keys, without a branch that depends on a key. If half of the keys
// are stored, each such branch is mispredicted half of the time, which takes longer than all of a
// query's instructions. Work that all blocks share is done four keys at a time: multiplications
// stay in registers of 256 bits (docs/rejected.md).
template <unsigned kArrangement, typename Query>
class CompactBatch {
 public:
  // For up to kBatchKeys keys in a filter of fewer than 2^32 blocks.
  BLOOMLINE_COMPACT_TARGET CompactBatch(const CompactFilter& filter, size_t n,
                                        const uint64_t* hashes) {
    const Constants constants(filter);
#pragma GCC unroll 1
    for (size_t i = 0; i < n; i += 4) {
      const __m256i exist = _mm256_cmpgt_epi64(Numbers(static_cast<long long>(n - i)),
                                               _mm256_setr_epi64x(0, 1, 2, 3));
      const auto* four = reinterpret_cast<const long long*>(hashes + i);
      SetCoefficients(constants, _mm256_maskload_epi64(four, exist), i);
    }
    // A separate loop: a load of four headers would wait for stores of two bytes each that are
    // still on their way.
    for (size_t i = 0; i < n; ++i) {
      headers[i] = static_cast<uint16_t>(LoadHeader(blocks[i], kA.block_bytes));
    }
#pragma GCC unroll 1
    for (size_t i = 0; i < n; i += 4) KeepSlotsOfBlock(i);
    for (size_t i = 0; i < n; ++i) {
      const unsigned odd =
          Query::template BatchParities<kArrangement>(blocks[i], &words[i], &fields[i]);
      wrong_[i] = static_cast<uint8_t>(odd ^ static_cast<unsigned>(hashes[i]));
    }
    constexpr char kFast = (1 << kA.fast_columns) - 1;
    const __m256i wrong = _mm256_and_si256(Load256(wrong_), _mm256_set1_epi8(kFast));
    const auto right = static_cast<uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(wrong, _mm256_setzero_si256())));
    const uint32_t all = _bzhi_u32(~0u, static_cast<unsigned>(n));
    others = CodesAbove(MaxHeaderCode(kArrangement)) & all;
    pool = right & all & ~others;
  }

  // The keys whose block has a code above this one. Bits past the last key mean nothing.
  BLOOMLINE_COMPACT_INLINE uint32_t CodesAbove(unsigned code) const {
    const __m256i codes = _mm256_set1_epi16(127 << 4);
    const __m256i limit = _mm256_set1_epi16(static_cast<short>(code << 4));
    const __m256i first = _mm256_cmpgt_epi16(_mm256_and_si256(Load256(headers), codes), limit);
    const __m256i last = _mm256_cmpgt_epi16(_mm256_and_si256(Load256(headers + 16), codes), limit);
    // VPACKSSWB takes quarters 0 and 2 of its result from the first one.
    const __m256i above = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, last), 0xD8);
    return static_cast<uint32_t>(_mm256_movemask_epi8(above));
  }

  // The keys that may match, by what is left to test: the pool, or a block that does not have the
  // filter's arrangement.
  uint32_t pool;
  uint32_t others;

  // Indexed by key.
  alignas(32) const char* blocks[kBatchKeys];
  alignas(32) uint64_t words[kBatchKeys];  // CompactSlots
  alignas(32) uint64_t fields[kBatchKeys];
  alignas(32) uint16_t headers[kBatchKeys];

 private:
  static constexpr Arrangement kA = kArrangements[kArrangement];

  BLOOMLINE_COMPACT_INLINE static __m256i Numbers(long long number) {
    return _mm256_set1_epi64x(number);
  }
  // The number stays in a register. GCC 12 would broadcast it again in each step.
  BLOOMLINE_COMPACT_INLINE static __m256i Constant(uint64_t number) {
    __m256i all = _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(number)));
    __asm__("" : "+v"(all));
    return all;
  }
  BLOOMLINE_COMPACT_INLINE static void Store(void* to, __m256i bits) {
    _mm256_store_si256(static_cast<__m256i*>(to), bits);
  }

  struct Constants {
    BLOOMLINE_COMPACT_INLINE explicit Constants(const CompactFilter& filter)
        : data(Constant(reinterpret_cast<uint64_t>(filter.data))),
          num_blocks(Constant(filter.num_blocks)),
          factor_low(Constant(kKeyFactor & UINT32_MAX)),
          factor_high(Constant(kKeyFactor >> 32)),
          low_halves(Constant(UINT32_MAX)) {}

    __m256i data;
    __m256i num_blocks;
    __m256i factor_low;
    __m256i factor_high;
    __m256i low_halves;
  };

  // The blocks and coefficients (MakeCompactKey) of keys i to i + 3.
  BLOOMLINE_COMPACT_INLINE void SetCoefficients(const Constants& c, __m256i hash, size_t i) {
    const __m256i upper = _mm256_srli_epi64(hash, 32);
    const __m256i index = _mm256_srli_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.num_blocks),
                         _mm256_srli_epi64(_mm256_mul_epu32(hash, c.num_blocks), 32)),
        32);
    constexpr unsigned kShift = kA.block_bytes == 64 ? 6 : kA.block_bytes == 32 ? 5 : 4;
    static_assert(kA.block_bytes == 1 << kShift);
    Store(blocks + i, _mm256_add_epi64(c.data, _mm256_slli_epi64(index, kShift)));

    // The product of 128 bits, from four of 64.
    const __m256i low_low = _mm256_mul_epu32(hash, c.factor_low);
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_low), _mm256_srli_epi64(low_low, 32));
    const __m256i second_middle = _mm256_add_epi64(_mm256_mul_epu32(hash, c.factor_high),
                                                   _mm256_and_si256(middle, c.low_halves));
    const __m256i high = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_high), _mm256_srli_epi64(middle, 32)),
        _mm256_srli_epi64(second_middle, 32));
    const __m256i low = _mm256_blend_epi32(_mm256_slli_epi64(second_middle, 32), low_low, 0x55);
    const __m256i word = _mm256_xor_si256(low, high);
    Store(variable_ + i, high);
    Store(words + i, word);
    if constexpr (kA.field_slots != 0) {
      // The compiler multiplies: AVX-512 has an instruction for it, AVX2 needs seven.
      using Words = uint64_t __attribute__((vector_size(32)));
      const Words product = reinterpret_cast<Words>(word) * kFieldFactor;
      Store(fields + i, _mm256_srli_epi64(reinterpret_cast<__m256i>(product), 12));
    }
  }

  // Leaves keys i to i + 3 the slots that their blocks have, in the blocks' attempts.
  BLOOMLINE_COMPACT_INLINE void KeepSlotsOfBlock(size_t i) {
    const __m256i header =
        _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(headers + i)));
    const __m256i codes = _mm256_and_si256(_mm256_srli_epi64(header, 4), Numbers(127));
    const __m256i slots = _mm256_add_epi64(codes, Numbers(kMinCompactSlots));
    const __m256i variable =
        _mm256_and_si256(_mm256_srlv_epi64(Load256(variable_ + i), _mm256_srli_epi64(header, 11)),
                         Numbers(kVariableSlots));
    // A shift by 64 or more gives zero, so all bits are kept.
    const __m256i ones = Numbers(-1);
    Store(words + i, _mm256_andnot_si256(_mm256_sllv_epi64(ones, slots),
                                         _mm256_xor_si256(Load256(words + i), variable)));
    __m256i kept_fields = _mm256_setzero_si256();
    if constexpr (kA.field_slots != 0) {
      const __m256i in_field = _mm256_subs_epu16(slots, Numbers(kWordSlots));
      kept_fields = _mm256_andnot_si256(_mm256_sllv_epi64(ones, in_field), Load256(fields + i));
    }
    Store(fields + i, kept_fields);
  }

  alignas(32) uint64_t variable_[kBatchKeys];
  alignas(32) uint8_t wrong_[kBatchKeys];  // fast columns, in the lowest bits
};

// The query of a row of a table (PoolTable): whether the key uses the partial column, and its
// fingerprint's bits, the pool's first column first.
template <typename Row>
BLOOMLINE_ALWAYS_INLINE unsigned AsksPartial(const Row& row, unsigned header, uint64_t hash) {
  return UsesPartialColumn(hash, SelectorSalt(HeaderSlots(header), HeaderAttempt(header)),
                           row.threshold);
}
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE uint32_t PoolFingerprint(uint64_t hash) {
  return static_cast<uint32_t>(Fingerprint(hash) >> kArrangements[kArrangement].fast_columns);
}

// Uses Query::RowMatches. Rows that are not known() are left to the pieces.
template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool PoolMatchesByRow(const typename Query::PoolRow& row, const char* block,
                                              CompactSlots mine, unsigned header, uint64_t hash) {
  if (__builtin_expect(!row.known(), 0)) {
    return PiecesMatch<kArrangement>(block, mine.word, mine.field, header, hash);
  }
  return Query::template RowMatches<kArrangement>(
      row, block, mine, PoolFingerprint<kArrangement>(hash), AsksPartial(row, header, hash));
}

template <unsigned kArrangement, typename Query>
__attribute__((noinline)) bool FirstPoolMatches(const char* block, uint64_t word, uint64_t field,
                                                unsigned header, uint64_t hash) {
  if (pool_table<typename Query::PoolRow, kArrangement>.Make() == nullptr) {
    return PiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  return Query::template PoolColumns<kArrangement>(block, word, field, header, hash);
}

// Query::PoolColumns by a table of Query::PoolRow. While another thread makes the table, all is
// left to the pieces.
template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool PoolMatchesByTable(const char* block, uint64_t word, uint64_t field,
                                                unsigned header, uint64_t hash) {
  const typename Query::PoolRow* rows = pool_table<typename Query::PoolRow, kArrangement>.rows();
  if (__builtin_expect(rows == nullptr, 0)) {
    return FirstPoolMatches<kArrangement, Query>(block, word, field, header, hash);
  }
  return PoolMatchesByRow<kArrangement, Query>(rows[HeaderCode(header)], block, {word, field},
                                               header, hash);
}

// A call with fewer keys tests them one by one. In a batch, eight missing keys take 1.5 times as
// long as one by one, and twelve 1.2 times; where half of the keys are stored, 0.75 and 0.6 times.
constexpr size_t kMinCompactBatch = 12;

// The shared part of a kernel's Query, which itself has:
//   PoolRow        a row of PoolTable
//   Parities       bit i: the parity of the key's slots in fast column i. Other bits: anything
//   BatchParities  the same, of coefficients in memory
//   RowMatches     whether the pool's columns match, by a row that is known()
template <typename Query>
struct VectorQuery : PlainQuery<Query> {
  // SlotsInBlock without its minimum of slots and 64: BZHI keeps all 64 bits for a count of 64 or
  // more.
  BLOOMLINE_COMPACT_TARGET static CompactSlots Slots(const CompactKey& key, unsigned slots,
                                                     unsigned attempt) {
    const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
    return {_bzhi_u64(WordInAttempt(key, attempt), slots), _bzhi_u64(key.slots.field, in_field)};
  }

  template <unsigned kArrangement>
  BLOOMLINE_COMPACT_TARGET static bool FastColumns(const char* block, CompactSlots mine,
                                                   uint64_t hash) {
    const unsigned odd = Query::template Parities<kArrangement>(block, mine);
    constexpr unsigned kAll = (1u << kArrangements[kArrangement].fast_columns) - 1;
    return ((odd ^ static_cast<unsigned>(hash)) & kAll) == 0;
  }

  // Flatten: at -O2, GCC 12 finds RowMatches equal in several arrangements, and calls it.
  template <unsigned kArrangement>
  BLOOMLINE_COMPACT_TARGET __attribute__((noinline, flatten)) static bool PoolColumns(
      const char* block, uint64_t word, uint64_t field, unsigned header, uint64_t hash) {
    return PoolMatchesByTable<kArrangement, Query>(block, word, field, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_COMPACT_TARGET __attribute__((noinline)) static bool OtherBlock(const char* block,
                                                                            unsigned header,
                                                                            uint64_t hash) {
    return OtherBlockMayMatch<kArrangement, Query>(block, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_COMPACT_TARGET static bool MayMatch(const CompactFilter& filter, uint64_t hash) {
    return CompactMayMatch<kArrangement, Query>(filter, hash);
  }

  // The pools of keys that match the fast columns.
  template <unsigned kArrangement, typename PoolRow>
  BLOOMLINE_COMPACT_TARGET static void TestPools(const CompactBatch<kArrangement, Query>& batch,
                                                 uint32_t keys, const PoolRow* rows,
                                                 const uint64_t* hashes, bool* may_match) {
    for (uint32_t left = keys; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      may_match[i] = PoolMatchesByRow<kArrangement, Query>(
          rows[HeaderCode(header)], batch.blocks[i], {batch.words[i], batch.fields[i]}, header,
          hashes[i]);
    }
  }

  template <unsigned kArrangement>
  BLOOMLINE_COMPACT_TARGET __attribute__((flatten)) static void MayMatchMany(
      const CompactFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    const typename Query::PoolRow* rows = nullptr;
    if (n >= kMinCompactBatch && filter.num_blocks <= UINT32_MAX) {
      auto& table = pool_table<typename Query::PoolRow, kArrangement>;
      rows = table.rows() != nullptr ? table.rows() : table.Make();
    }
    if (rows == nullptr) {  // also while another thread makes them
      CompactMayMatchMany<kArrangement, Query>(filter, n, hashes, may_match);
      return;
    }
    for (size_t start = 0; start < n; start += kBatchKeys) {
      const size_t count = std::min(n - start, kBatchKeys);
      const CompactBatch<kArrangement, Query> batch(filter, count, hashes + start);
      std::memset(may_match + start, 0, count);
      Query::TestPools(batch, batch.pool, rows, hashes + start, may_match + start);
      for (uint32_t left = batch.others; left != 0; left &= left - 1) {
        const auto i = static_cast<size_t>(__builtin_ctz(left));
        may_match[start + i] = Query::template OtherBlock<kArrangement>(
            batch.blocks[i], batch.headers[i], hashes[start + i]);
      }
    }
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_VECTOR_QUERY_H_
