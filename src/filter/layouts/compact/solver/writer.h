// From the solution of a compact block's system to its bytes.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_WRITER_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/always_inline.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/little_endian.h"
#include "src/filter/layouts/compact/solver/compact_pool.h"

namespace bloomline::kernels {

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

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_WRITER_H_
