// The pool of a compact block as AVX-512 tests it: instead of collecting the columns' pieces, it
// spreads the key's coefficients over words of the block, to where the pieces are. A pass has eight
// lanes; a lane is what one of the block's 64-bit words has of one column.
//
//   words         | w5 | w6 | w7 | w6 | ..     VPERMQ: for each lane, its word of the block
//   coefficients  c0 .. c15
//   windows       | 8 bytes | 8 bytes | ..     VPERMB: for each lane, 8 bytes in sequence, which
//                                              have all that its column needs there
//   spread        | s s s s | s s s s | ..     VPMULTISHIFTQB: to each byte 8 of them, which begin
//                                              at any bit
//   hits          words & spread & mask        the parity of each lane: VPOPCNTQ
//
// One pass does for blocks of 64 slots or more, two for nearly all others. The parities of all
// passes are one integer, of which each column asks for some bits.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/compact_pool.h"

namespace bloomline::kernels {

constexpr unsigned kLanesPerPass = kBlockBytes / 8;
constexpr unsigned kMaxPoolPasses = 3;
constexpr unsigned kMaxPoolLanes = kLanesPerPass * kMaxPoolPasses;

struct PoolLane {
  uint8_t word_byte;
  uint8_t column;
  uint8_t first_byte;  // of the window, in the key's coefficients

  // Pieces come in the order of their slots, so a window's first byte is before all of its pieces.
  constexpr bool Takes(const PoolPiece& piece) const {
    return word_byte == piece.word_byte && column == piece.column &&
           WindowBit(piece) + piece.length <= 64;
  }
  constexpr unsigned WindowBit(const PoolPiece& piece) const {
    return piece.slot - 8u * first_byte;
  }
};

struct PoolLanes {
  PoolLane lanes[kMaxPoolPieces] = {};
  uint8_t lane_of_piece[kMaxPoolPieces] = {};
  unsigned size = 0;

  constexpr explicit PoolLanes(const Pool& pool) {
    for (unsigned i = 0; i < pool.num_pieces; ++i) {
      const PoolPiece& piece = pool.pieces[i];
      unsigned lane = 0;
      while (lane < size && !lanes[lane].Takes(piece)) ++lane;
      // A piece does not cross slot 64, so the one that begins a window fits it.
      if (lane == size) {
        lanes[size++] = {piece.word_byte, piece.column, static_cast<uint8_t>(piece.slot / 8)};
      }
      lane_of_piece[i] = static_cast<uint8_t>(lane);
    }
  }
};

// Blocks with this many slots or more need one pass.
constexpr unsigned kOnePassSlots = 64;
constexpr bool OnePassIsEnough() {
  for (const Arrangement& arrangement : kArrangements) {
    for (unsigned slots = kOnePassSlots; slots <= arrangement.max_slots(); ++slots) {
      if (PoolLanes(PoolOf(arrangement, slots)).size > kLanesPerPass) return false;
    }
  }
  return true;
}
static_assert(OnePassIsEnough());

struct alignas(64) PoolPass {
  uint64_t word_of_lane[kLanesPerPass];
  uint8_t window_bytes[kBlockBytes];  // bytes of the key's coefficients: eight for each lane
  uint8_t window_bits[kBlockBytes];   // for each byte of a lane, a bit of its window
  uint64_t mask[kLanesPerPass];
};

struct alignas(64) PoolRegisters {
  PoolPass passes[kMaxPoolPasses];
  uint32_t lanes_of_column[kMaxPoolColumns];  // of the pool: a bit for each lane of all passes
  // The same of the first pass and eight columns, as GF2P8AFFINEQB has it: byte 7 - i for column i.
  uint64_t column_matrix;
  uint32_t full_columns;    // of the pool: a bit for each
  uint32_t partial_column;  // its bit
  uint32_t threshold;
  uint32_t num_passes;  // 0: more columns or lanes than there is room for

  bool known() const { return num_passes != 0; }

  static PoolRegisters Of(const Pool& pool, const Arrangement& arrangement) {
    PoolRegisters registers = {};
    const unsigned fast_columns = arrangement.fast_columns;
    const unsigned columns = pool.full_columns + (pool.threshold != 0 ? 1 : 0) - fast_columns;
    const PoolLanes lanes(pool);
    if (columns > kMaxPoolColumns || lanes.size > kMaxPoolLanes) return registers;
    for (unsigned i = 0; i < lanes.size; ++i) {
      const unsigned column = lanes.lanes[i].column - fast_columns;
      registers.AddLane(i, lanes.lanes[i], column);
    }
    for (unsigned i = 0; i < pool.num_pieces; ++i) {
      const unsigned lane = lanes.lane_of_piece[i];
      registers.AddPiece(lane, pool.pieces[i], lanes.lanes[lane].WindowBit(pool.pieces[i]));
    }
    registers.full_columns = (1u << (pool.full_columns - fast_columns)) - 1;
    registers.partial_column = 1u << (pool.full_columns - fast_columns);
    registers.threshold = pool.threshold;
    // A block that is all fast columns also takes one pass.
    registers.num_passes =
        lanes.size <= kLanesPerPass ? 1 : (lanes.size + kLanesPerPass - 1) / kLanesPerPass;
    return registers;
  }

 private:
  void AddLane(unsigned number, const PoolLane& lane, unsigned column) {
    PoolPass& pass = passes[number / kLanesPerPass];
    const unsigned in_pass = number % kLanesPerPass;
    pass.word_of_lane[in_pass] = lane.word_byte / 8;
    for (unsigned i = 0; i < 8; ++i) {
      pass.window_bytes[8 * in_pass + i] = static_cast<uint8_t>(lane.first_byte + i);
    }
    lanes_of_column[column] |= 1u << number;
    if (number < kLanesPerPass && column < 8) {
      column_matrix |= uint64_t{1} << (8 * (7 - column) + number);
    }
  }

  void AddPiece(unsigned lane, const PoolPiece& piece, unsigned window_bit) {
    PoolPass& pass = passes[lane / kLanesPerPass];
    const unsigned in_pass = lane % kLanesPerPass;
    pass.mask[in_pass] |= OnesBelow64(piece.length) << piece.bit;
    const unsigned last_byte = (piece.bit + piece.length - 1u) / 8;
    for (unsigned i = piece.bit / 8; i <= last_byte; ++i) {
      // Windows wrap: the bits of a byte before the piece's first bit are masked out. Two pieces of
      // a column share a byte only if the second continues the first behind slot 64: both give the
      // same bit.
      const unsigned bit = window_bit + 64 + 8 * i - piece.bit;
      pass.window_bits[8 * in_pass + i] = static_cast<uint8_t>(bit % 64);
    }
  }
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_
