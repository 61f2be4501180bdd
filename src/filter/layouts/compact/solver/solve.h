// Solving a compact block: the functions, the systems that they try (docs/format.md, section 3.5),
// and the way from a solution to the block's bytes.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/compact_pool.h"

namespace bloomline::kernels {

// CompactKernel::solve. The first one is the specification. The others give the same results by
// slices of the equations (slices.h), on x86-64, and leave rare blocks to the first one.
bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

// The division of an equation's second word (solve_portable.cc), by the least number of slots, so
// that all parts fit. It limits the search.
struct SecondWord {
  unsigned field_slots;  // slots from 64 on
  unsigned num_attempts;
  unsigned right_shift;
};

// The window of the variable slots has bits 1 to num_attempts + 2 of CompactKey::variable.
constexpr SecondWord SecondWordFor(unsigned least_slots) {
  if (least_slots <= 64) return {9, 31, 42};
  if (least_slots <= 75) return {24, 31, 57};
  if (least_slots <= 83) return {40, 15, 57};
  if (least_slots <= 96) return {42, 15, 59};
  return {52, 4, 58};
}

constexpr unsigned WindowBits(const SecondWord& word) {
  return word.num_attempts + kNumVariableSlots - 1;
}

constexpr bool SecondWordHasRoom(unsigned least_slots) {
  const SecondWord word = SecondWordFor(least_slots);
  const unsigned columns = kArrangements[k64Fast4].payload_bits() / least_slots;
  return word.right_shift + columns <= 64 &&
         word.field_slots + WindowBits(word) <= word.right_shift;
}
static_assert(SecondWordHasRoom(kMinCompactSlots) && SecondWordHasRoom(65) &&
              SecondWordHasRoom(76) && SecondWordHasRoom(84) && SecondWordHasRoom(97));

// The numbers of slots and attempts that the solver tries, in this order.
struct SearchRange {
  explicit SearchRange(size_t num_keys)
      : least_slots(std::max(static_cast<unsigned>(num_keys), kMinCompactSlots)),
        last_slots(std::min(kMaxCompactSlots, kWordSlots + SecondWordFor(least_slots).field_slots)),
        last_attempt(kFirstAttempt + SecondWordFor(least_slots).num_attempts - 1) {}
  unsigned num_attempts() const { return last_attempt + 1 - kFirstAttempt; }
  unsigned least_slots;
  unsigned last_slots;
  unsigned last_attempt;
};

// The columns of a block, the partial one last; bit j is slot j.
constexpr unsigned kMaxColumns = 24;
struct BlockColumns {
  CompactSlots columns[kMaxColumns] = {};
};

BLOOMLINE_ALWAYS_INLINE void WriteSolvedBlock(const BlockColumns& solution, unsigned arrangement,
                                              unsigned slots, uint64_t header_bits, char* block) {
  const Arrangement& a = kArrangements[arrangement];
  uint64_t words[kBlockBytes / 8 + 1] = {};  // a field of the last column may be at the end
  const unsigned field_bits = 8 * a.field_bytes;
  for (unsigned column = 0; column < a.fast_columns; ++column) {
    const CompactSlots& bits = solution.columns[column];
    words[column] = bits.word & OnesBelow64(slots);
    const unsigned field = kWordSlots * a.fast_columns + column * field_bits;
    words[field / 64] |= bits.field << field % 64;
  }
  const Pool& pool = PoolFor(arrangement, slots);
  for (unsigned i = 0; i < pool.num_pieces; ++i) {
    const PoolPiece& piece = pool.pieces[i];
    const CompactSlots& bits = solution.columns[piece.column];
    const uint64_t from_slot =
        piece.slot < kWordSlots
            ? bits.word >> piece.slot | bits.field << 1 << (kWordSlots - 1 - piece.slot)
            : bits.field >> (piece.slot - kWordSlots);
    words[piece.word_byte / 8] |= (from_slot & OnesBelow64(piece.length)) << piece.bit;
  }
  words[a.block_bytes / 8 - 1] |= header_bits;
  for (unsigned i = 0; i < a.block_bytes / 8; ++i) StoreLittleEndian64(words[i], block + 8 * i);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_
