// The query of a compact block with registers of vectors: what AVX2 and AVX-512 have in common.
//
// For a kernel's .cc file, which before this file defines:
// - BLOOMLINE_COMPACT_TARGET: the attribute of its functions.
// - FastParities<kArrangement>(block, slots): bit i: the parity of fast column i in these slots.
// - PoolRow: what is known of blocks with one number of slots; num_registers 0: nothing.
// - pool_table<kArrangement>: its rows, null before they are made; MakePoolTable<kArrangement>().
// - RowMatches<kArrangement>(row, block, slots, fingerprint, asks_partial): whether the columns of
//   the pool give the fingerprint's bits.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_VECTOR_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_VECTOR_QUERY_H_

#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/query/query.h"

#define BLOOMLINE_COMPACT_INLINE BLOOMLINE_COMPACT_TARGET __attribute__((always_inline)) inline
// What few queries need is out of line, so that the path of the others needs few registers.
#define BLOOMLINE_COMPACT_RARE BLOOMLINE_COMPACT_TARGET __attribute__((noinline))

namespace bloomline::kernels {
namespace {

// Blocks that have no row, and all of them while another thread makes the table.
template <unsigned kArrangement>
BLOOMLINE_COMPACT_RARE bool PiecesMatch(const char* block, uint64_t word, uint64_t field,
                                        unsigned header, uint64_t hash) {
  return RestMatches<kArrangement>(block, {word, field}, header, hash);
}

template <unsigned kArrangement>
bool FirstPoolMatches(const char* block, uint64_t word, uint64_t field, unsigned header,
                      uint64_t hash);

// The rest of a query that passed the fast columns: stored keys, and few missing ones.
template <unsigned kArrangement>
BLOOMLINE_COMPACT_RARE bool PoolMatches(const char* block, uint64_t word, uint64_t field,
                                        unsigned header, uint64_t hash) {
  const PoolRow* rows = pool_table<kArrangement>.rows();
  if (__builtin_expect(rows == nullptr, 0)) {
    return FirstPoolMatches<kArrangement>(block, word, field, header, hash);
  }
  const PoolRow& row = rows[CodeOf(header)];
  if (__builtin_expect(row.num_registers == 0, 0)) {
    return PiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  // The partial column has a bit for some slots only, and binds a part of the keys
  // (compact_block.h).
  const unsigned asks_partial =
      UsesPartialColumn(hash, SelectorSalt(slots, AttemptOf(header)), row.threshold);
  const auto fingerprint =
      static_cast<uint32_t>(FingerprintOf(hash) >> kArrangements[kArrangement].fast_columns);
  return RowMatches<kArrangement>(row, block, {word, field}, fingerprint, asks_partial);
}

// A function of its own, so that the usual one saves no registers. What makes the table is plain
// C++.
template <unsigned kArrangement>
__attribute__((noinline)) bool FirstPoolMatches(const char* block, uint64_t word, uint64_t field,
                                                unsigned header, uint64_t hash) {
  if (MakePoolTable<kArrangement>() == nullptr) {
    return PiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  return PoolMatches<kArrangement>(block, word, field, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_COMPACT_INLINE bool VectorBlockMayMatch(const char* block, unsigned header,
                                                  uint64_t hash) {
  const CompactKey key = CompactKeyOf(hash);
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
  // As SlotsInBlock, without its minimum of slots and 64: BZHI keeps all 64 bits when it is asked
  // for 64 or more.
  const CompactSlots mine = {_bzhi_u64(WordInAttempt(key, AttemptOf(header)), slots),
                             _bzhi_u64(key.slots.field, in_field)};
  const unsigned odd = FastParities<kArrangement>(block, mine);
  // Fast column i is for bit i of the fingerprint, which is bit i of the hash.
  constexpr unsigned kAll = (1u << kArrangements[kArrangement].fast_columns) - 1;
  if (((odd ^ static_cast<unsigned>(hash)) & kAll) != 0) return false;
  return PoolMatches<kArrangement>(block, mine.word, mine.field, header, hash);
}

// As OtherBlockMayMatch. A block with more slots than its filter's arrangement has room for has an
// arrangement with fewer fast columns. Filters of 10 bits per key have 3.5 % of such blocks.
template <unsigned kArrangement>
BLOOMLINE_COMPACT_RARE bool OtherBlock(const char* block, unsigned header, uint64_t hash) {
  const unsigned code = CodeOf(header);
  if (code > kMaxSlotsCode) {
    return OtherBlockMayMatch<kArrangement>(block, code, AttemptOf(header), hash);
  }
  constexpr bool k32Bytes = kArrangements[kArrangement].block_bytes == 32;
  if constexpr (k32Bytes) return VectorBlockMayMatch<0>(block, header, hash);
  if (code <= MaxCodeOf(4)) return VectorBlockMayMatch<4>(block, header, hash);
  if (code <= MaxCodeOf(3)) return VectorBlockMayMatch<3>(block, header, hash);
  return VectorBlockMayMatch<2>(block, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_COMPACT_INLINE bool InlineMayMatch(const CompactFilter& filter, uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const char* block = CompactBlock(filter, kA.block_bytes, hash);
  const unsigned header = LoadHeader<kA.block_bytes>(block);
  if (__builtin_expect(CodeOf(header) > MaxCodeOf(kArrangement), 0)) {
    return OtherBlock<kArrangement>(block, header, hash);
  }
  return VectorBlockMayMatch<kArrangement>(block, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_COMPACT_TARGET bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return InlineMayMatch<kArrangement>(filter, hash);
}

template <unsigned kArrangement>
BLOOMLINE_COMPACT_TARGET void MayMatchMany(const CompactFilter& filter, size_t n,
                                           const uint64_t* hashes, bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) may_match[i] = InlineMayMatch<kArrangement>(blocks, hashes[i]);
}

CompactKernel VectorCompact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  return kernel;
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_VECTOR_QUERY_H_
