// The query of a compact block: its parts, their order, and all of them with 64-bit integers. A
// kernel replaces some by better ones. Shared parts inline into the kernel, so that they are
// compiled for its instruction set (POPCNT, BMI2).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/filter/bits/compact_block.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/layouts/compact/solver/compact_pool.h"

namespace bloomline::kernels {

// The slots that a block has, by their number.
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
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE bool PoolMatches(const char* block, CompactSlots mine, unsigned header,
                                         uint64_t hash) {
  constexpr unsigned kFast = kArrangements[kArrangement].fast_columns;
  const unsigned slots = HeaderSlots(header);
  const Pool& pool = PoolFor<kArrangement>(slots);
  // Loops take four steps at a time: the number needed varies from block to block, and
  // mispredicting a loop's end costs more than steps that do nothing.
  constexpr unsigned kStep = 4;
  const uint64_t coefficients[] = {mine.word, mine.field};
  // For each column, the XOR of all hits up to its last piece. XORed with the sum of the column
  // before, it gives the column's own hits.
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
      UsesPartialColumn(hash, SelectorSalt(slots, HeaderAttempt(header)), pool.threshold);
  const uint64_t asked = OnesBelow64(pool.full_columns) | asks_partial << pool.full_columns;
  uint64_t odd = 0;
  sum = 0;
  for (unsigned first = kFast; first <= pool.full_columns; first += kStep) {
#pragma GCC unroll 4
    for (unsigned column = first; column < first + kStep; ++column) {
      odd |= uint64_t{Parity(sums[column] ^ sum)} << column;
      sum = sums[column];
    }
  }
  return ((odd ^ Fingerprint(hash)) & asked & ~OnesBelow64(kFast)) == 0;
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

// Whether fast columns kBegin to kEnd - 1 give the fingerprint's bits, of which bit i is bit i of
// the hash.
template <unsigned kArrangement, unsigned kBegin, unsigned kEnd>
BLOOMLINE_ALWAYS_INLINE bool ColumnsMatch(const char* block, CompactSlots mine, uint64_t hash) {
  unsigned odd = 0;
#pragma GCC unroll 7
  for (unsigned column = kBegin; column < kEnd; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return ((odd ^ static_cast<unsigned>(hash)) & OnesBelow64(kEnd) & ~OnesBelow64(kBegin)) == 0;
}

// --- A query, from its filter to its parts, which are static functions of `Query`.

template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool SolvedBlockMayMatch(const char* block, unsigned header,
                                                 uint64_t hash) {
  const CompactSlots mine =
      Query::Slots(MakeCompactKey(hash), HeaderSlots(header), HeaderAttempt(header));
  if constexpr (kArrangements[kArrangement].fast_columns == 1) {
    // Half of the missing keys match one column. A branch would be mispredicted, and make their
    // query take 14 instead of 10 ns (avx512, 2 bits per key).
    const unsigned fast = Query::template FastColumns<kArrangement>(block, mine, hash);
    const unsigned pool =
        Query::template PoolColumns<kArrangement>(block, mine.word, mine.field, header, hash);
    return (fast & pool) != 0;
  }
  return Query::template FastColumns<kArrangement>(block, mine, hash) &&
         Query::template PoolColumns<kArrangement>(block, mine.word, mine.field, header, hash);
}

// Blocks that do not have their filter's arrangement: Bloom blocks, and those with more slots,
// whose arrangement has fewer fast columns. Filters of 10 bits per key have 3.5 % of such blocks.
template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool OtherBlockMayMatch(const char* block, unsigned header, uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const unsigned code = HeaderCode(header);
  if (code == kBloomCode) {
    return BloomBlockMayMatch(block, kA.payload_bits(), HeaderAttempt(header), hash);
  }
  // Blocks of 16 bytes have one arrangement.
  if (code > kMaxSlotsCode || kA.block_bytes == 16) return true;
  if constexpr (kA.block_bytes == 32)
    return SolvedBlockMayMatch<k32Fast2, Query>(block, header, hash);
  if (code <= MaxHeaderCode(k64Fast6))
    return SolvedBlockMayMatch<k64Fast6, Query>(block, header, hash);
  if (code <= MaxHeaderCode(k64Fast5))
    return SolvedBlockMayMatch<k64Fast5, Query>(block, header, hash);
  return SolvedBlockMayMatch<k64Fast4, Query>(block, header, hash);
}

template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE bool CompactMayMatch(const CompactFilter& filter, uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const char* block = CompactBlock(filter, kA.block_bytes, hash);
  const unsigned header = LoadHeader(block, kA.block_bytes);
  if (__builtin_expect(HeaderCode(header) > MaxHeaderCode(kArrangement), 0)) {
    return Query::template OtherBlock<kArrangement>(block, header, hash);
  }
  return SolvedBlockMayMatch<kArrangement, Query>(block, header, hash);
}

template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE void CompactMayMatchMany(const CompactFilter& filter, size_t n,
                                                 const uint64_t* hashes, bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = CompactMayMatch<kArrangement, Query>(blocks, hashes[i]);
  }
}

// Linkage is internal: otherwise all copies of the library in a process would share the functions
// that are not inlined.
namespace {

// Code that few queries reach is out of line, so that the path of the others needs few registers.
//
// PoolColumns() is for keys that match the fast columns: stored keys, and few missing ones.
template <unsigned kArrangement>
__attribute__((noinline)) bool PiecesMatch(const char* block, uint64_t word, uint64_t field,
                                           unsigned header, uint64_t hash) {
  return PoolMatches<kArrangement>(block, {word, field}, header, hash);
}

// All parts in plain C++. A kernel's Query hides those for which it has better ones, and those that
// must be compiled for its instruction set.
template <typename Query>
struct PlainQuery {
  // SlotsInBlock by table, which takes fewer instructions without BZHI.
  BLOOMLINE_ALWAYS_INLINE static CompactSlots Slots(const CompactKey& key, unsigned slots,
                                                    unsigned attempt) {
    return {WordInAttempt(key, attempt) & kSlotMasks.word[slots],
            key.slots.field & kSlotMasks.field[slots]};
  }

  // Tests four columns, then the others: 15 of 16 missing keys need only the first four, and that
  // saves more than the branch costs, which 1 of 16 takes. With three it costs as much as it saves.
  template <unsigned kArrangement>
  BLOOMLINE_ALWAYS_INLINE static bool FastColumns(const char* block, CompactSlots mine,
                                                  uint64_t hash) {
    constexpr unsigned kFast = kArrangements[kArrangement].fast_columns;
    constexpr unsigned kFirst = kFast < 4 ? kFast : 4;
    return ColumnsMatch<kArrangement, 0, kFirst>(block, mine, hash) &&
           ColumnsMatch<kArrangement, kFirst, kFast>(block, mine, hash);
  }

  template <unsigned kArrangement>
  static bool PoolColumns(const char* block, uint64_t word, uint64_t field, unsigned header,
                          uint64_t hash) {
    return PiecesMatch<kArrangement>(block, word, field, header, hash);
  }

  template <unsigned kArrangement>
  __attribute__((noinline)) static bool OtherBlock(const char* block, unsigned header,
                                                   uint64_t hash) {
    return OtherBlockMayMatch<kArrangement, Query>(block, header, hash);
  }

  template <unsigned kArrangement>
  static bool MayMatch(const CompactFilter& filter, uint64_t hash) {
    return CompactMayMatch<kArrangement, Query>(filter, hash);
  }

  template <unsigned kArrangement>
  static void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                           bool* may_match) {
    CompactMayMatchMany<kArrangement, Query>(filter, n, hashes, may_match);
  }
};

template <typename Query, size_t... kArrangement>
CompactKernel MakeCompactKernel(decltype(CompactKernel::solve) solve,
                                std::index_sequence<kArrangement...> /* all */) {
  return {{Query::template MayMatch<kArrangement>...},
          {Query::template MayMatchMany<kArrangement>...},
          solve};
}
template <typename Query>
CompactKernel MakeCompactKernel(decltype(CompactKernel::solve) solve) {
  return MakeCompactKernel<Query>(solve, std::make_index_sequence<kNumArrangements>{});
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_QUERY_H_
