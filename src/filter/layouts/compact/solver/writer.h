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

// An 8 x 8 matrix of bits: bit j of byte i becomes bit i of byte j. Hacker's Delight, 7-3.
BLOOMLINE_ALWAYS_INLINE uint64_t Transposed8x8(uint64_t x) {
  uint64_t swap = (x ^ x >> 7) & 0x00AA00AA00AA00AA;
  x ^= swap ^ swap << 7;
  swap = (x ^ x >> 14) & 0x0000CCCC0000CCCC;
  x ^= swap ^ swap << 14;
  swap = (x ^ x >> 28) & 0x00000000F0F0F0F0;
  return x ^ swap ^ swap << 28;
}

// Bit c of slot_bits[j] is slot j of column first_column + c.
BLOOMLINE_ALWAYS_INLINE void SetEightColumns(const uint8_t slot_bits[2 * kWordSlots],
                                             unsigned first_column, unsigned slots,
                                             BlockColumns* block) {
  for (unsigned slot = 0; slot < slots; slot += 8) {
    const uint64_t bits =
        Transposed8x8(LoadLittleEndian64(reinterpret_cast<const char*>(slot_bits + slot)));
    for (unsigned c = 0; c < 8; ++c) {
      CompactSlots& column = block->columns[first_column + c];
      (slot < kWordSlots ? column.word : column.field) |= (bits >> 8 * c & 0xFF)
                                                          << slot % kWordSlots;
    }
  }
}

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
