// The query of a compact block with 64-bit integers, for kernels that have no better one. All of it
// inlines into the kernel, so that it is compiled for the kernel's instruction set (POPCNT, BMI2).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_QUERY_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_bloom_block.h"
#include "src/filter/layouts/compact/compact_pool.h"

namespace bloomline::kernels {

// Which slots a block has, by their number.
struct SlotMasks {
  constexpr SlotMasks() {
    for (unsigned slots = 0; slots <= kMaxCompactSlots; ++slots) {
      word[slots] = OnesBelow64(slots);
      field[slots] = slots > kWordSlots ? OnesBelow64(slots - kWordSlots) : 0;
    }
  }
  uint64_t word[kMaxCompactSlots + 1] = {};
  uint64_t field[kMaxCompactSlots + 1] = {};
};
inline constexpr SlotMasks kSlotMasks;

constexpr uint64_t RotateLeft(uint64_t bits, unsigned by) {
  return bits << by % 64 | bits >> (0 - by) % 64;
}

// Whether the columns of the pool that the key uses give its fingerprint's bits.
BLOOMLINE_ALWAYS_INLINE bool PoolMatches(const char* block, const Pool& pool, unsigned fast_columns,
                                         unsigned slots, unsigned attempt, CompactSlots mine,
                                         uint64_t hash) {
  // Loops take four steps at a time: how many are needed varies from block to block, and a loop's
  // end that is mispredicted costs more than steps that do nothing.
  constexpr unsigned kStep = 4;
  const uint64_t coefficients[] = {mine.word, mine.field};
  // For each column, the XOR of all hits up to its last piece. XORed with that of the column
  // before, it gives the column's own.
  uint64_t sums[kMaxFastColumns + kMaxPoolColumns + kStep];
  for (unsigned i = 0; i < kStep; ++i) sums[pool.full_columns + i] = 0;
  uint64_t sum = 0;
  for (unsigned first = 0; first < pool.num_pieces; first += kStep) {
#pragma GCC unroll 4
    for (unsigned i = first; i < first + kStep; ++i) {
      const PoolPiece& piece = pool.pieces[i];
      const unsigned begin = piece.bit;
      const unsigned end = begin + piece.length;
      const uint64_t here = RotateLeft(coefficients[piece.slot / kWordSlots], begin - piece.slot) &
                            (kSlotMasks.word[end] ^ kSlotMasks.word[begin]);
      sum ^= LoadLittleEndian64(block + piece.word_byte) & here;
      sums[piece.column] = sum;
    }
  }
  const uint64_t asks_partial =
      UsesPartialColumn(hash, SelectorSalt(slots, attempt), pool.threshold);
  const uint64_t asked = OnesBelow64(pool.full_columns) | asks_partial << pool.full_columns;
  uint64_t odd = 0;
  sum = 0;
  for (unsigned first = fast_columns; first <= pool.full_columns; first += kStep) {
#pragma GCC unroll 4
    for (unsigned column = first; column < first + kStep; ++column) {
      odd |= uint64_t{Parity(sums[column] ^ sum)} << column;
      sum = sums[column];
    }
  }
  return ((odd ^ FingerprintOf(hash)) & asked & ~OnesBelow64(fast_columns)) == 0;
}

// The parity of the key's slots in a fast column.
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE unsigned ColumnParity(const char* block, unsigned column,
                                              CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  uint64_t hits = LoadLittleEndian64(block + 8 * column) & mine.word;
  if constexpr (kA.field_slots != 0) {
    hits ^= LoadField<kA.field_bytes>(block + kA.first_field_byte() + kA.field_bytes * column) &
            mine.field;
  }
  return Parity(hits);
}

// Whether fast columns kBegin to kEnd - 1 give the fingerprint's bits.
template <unsigned kArrangement, unsigned kBegin, unsigned kEnd>
BLOOMLINE_ALWAYS_INLINE bool ColumnsMatch(const char* block, CompactSlots mine, uint64_t hash) {
  unsigned odd = 0;
#pragma GCC unroll 7
  for (unsigned column = kBegin; column < kEnd; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return ((odd ^ static_cast<unsigned>(hash)) & OnesBelow64(kEnd) & ~OnesBelow64(kBegin)) == 0;
}

// Four columns, then the others: 15 of 16 missing keys need only the first four, and that saves
// more than the branch costs, which 1 of 16 takes. With three it costs as much as it saves.
constexpr unsigned kFirstColumns = 4;

template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE bool FastColumnsMatch(const char* block, CompactSlots mine, uint64_t hash) {
  constexpr unsigned kFast = kArrangements[kArrangement].fast_columns;
  constexpr unsigned kFirst = kFast < kFirstColumns ? kFast : kFirstColumns;
  return ColumnsMatch<kArrangement, 0, kFirst>(block, mine, hash) &&
         ColumnsMatch<kArrangement, kFirst, kFast>(block, mine, hash);
}

template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE bool RestMatches(const char* block, CompactSlots mine, unsigned header,
                                         uint64_t hash) {
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  return PoolMatches(block, PoolFor<kArrangement>(slots), kArrangements[kArrangement].fast_columns,
                     slots, AttemptOf(header), mine, hash);
}

// A block of this arrangement that has `slots` slots.
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE bool SolvedBlockMayMatch(const char* block, unsigned slots,
                                                 unsigned attempt, uint64_t hash) {
  constexpr unsigned kFast = kArrangements[kArrangement].fast_columns;
  const CompactSlots mine = SlotsInBlock(CompactKeyOf(hash), slots, attempt);
  if (!FastColumnsMatch<kArrangement>(block, mine, hash)) return false;
  return PoolMatches(block, PoolFor<kArrangement>(slots), kFast, slots, attempt, mine, hash);
}

// Blocks that do not have their filter's arrangement: Bloom blocks, and those with more slots.
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE bool OtherBlockMayMatch(const char* block, unsigned code, unsigned attempt,
                                                uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  if (code == kBloomCode) return BloomBlockMayMatch(block, kA.payload_bits(), attempt, hash);
  if (code > kMaxSlotsCode) return true;
  const unsigned slots = kMinCompactSlots + code;
  if constexpr (kA.block_bytes == 32) return SolvedBlockMayMatch<0>(block, slots, attempt, hash);
  if (slots <= kArrangements[4].max_slots()) {
    return SolvedBlockMayMatch<4>(block, slots, attempt, hash);
  }
  if (slots <= kArrangements[3].max_slots()) {
    return SolvedBlockMayMatch<3>(block, slots, attempt, hash);
  }
  return SolvedBlockMayMatch<2>(block, slots, attempt, hash);
}

// SlotsInBlock by table, which takes fewer instructions where there is no BZHI.
BLOOMLINE_ALWAYS_INLINE CompactSlots SlotsByTable(const CompactKey& key, unsigned slots,
                                                  unsigned attempt) {
  return {WordInAttempt(key, attempt) & kSlotMasks.word[slots],
          key.slots.field & kSlotMasks.field[slots]};
}

namespace {

// The parts of a query in plain C++. A kernel that has better ones replaces them. With internal
// linkage: what is not inlined would otherwise be shared by all copies of the library in a process.
struct PlainQuery {
  template <unsigned kArrangement>
  BLOOMLINE_ALWAYS_INLINE static bool FastColumns(const char* block, CompactSlots mine,
                                                  uint64_t hash) {
    return FastColumnsMatch<kArrangement>(block, mine, hash);
  }

  // For keys that match the fast columns: stored keys, and few missing ones. Out of line, so that
  // the path of the others needs few registers.
  template <unsigned kArrangement>
  __attribute__((noinline)) static bool Rest(const char* block, uint64_t word, uint64_t field,
                                             unsigned header, uint64_t hash) {
    return RestMatches<kArrangement>(block, {word, field}, header, hash);
  }

  template <unsigned kArrangement>
  __attribute__((noinline)) static bool OtherBlock(const char* block, unsigned header,
                                                   uint64_t hash) {
    return OtherBlockMayMatch<kArrangement>(block, CodeOf(header), AttemptOf(header), hash);
  }
};

}  // namespace

template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool CompactMayMatch(const CompactFilter& filter, uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const char* block = CompactBlock(filter, kA.block_bytes, hash);
  const unsigned header = LoadHeader<kA.block_bytes>(block);
  if (__builtin_expect(CodeOf(header) > MaxCodeOf(kArrangement), 0)) {
    return Query::template OtherBlock<kArrangement>(block, header, hash);
  }
  const CompactSlots mine =
      SlotsByTable(CompactKeyOf(hash), kMinCompactSlots + CodeOf(header), AttemptOf(header));
  if (!Query::template FastColumns<kArrangement>(block, mine, hash)) return false;
  return Query::template Rest<kArrangement>(block, mine.word, mine.field, header, hash);
}

// Calls set(i, kernel) for each arrangement i, an integral_constant.
template <typename Set, size_t... kArrangement>
void SetForEachArrangement(CompactKernel* kernel, Set set,
                           std::index_sequence<kArrangement...> /* all */) {
  (set(std::integral_constant<unsigned, kArrangement>{}, kernel), ...);
}
template <typename Set>
void SetForEachArrangement(CompactKernel* kernel, Set set) {
  SetForEachArrangement(kernel, set, std::make_index_sequence<kNumArrangements>{});
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_QUERY_H_
