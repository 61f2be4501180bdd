// The pool of a compact block as AVX-512 tests it: instead of collecting the columns' pieces, it
// spreads the key's coefficients over the block's bits, to where the pieces are.
//
//   coefficients  c0 .. c15
//   windows       | 8 bytes | 8 bytes | ..     VPERMB: for each word of the block, 8 bytes in
//                                              sequence, which have all that this pass's column
//                                              needs there
//   spread        | s s s s | s s s s | ..     VPMULTISHIFTQB: to each byte 8 of them, which begin
//                                              at any bit
//   hits          block & spread & mask        the parity of each word: VPOPCNTQ
//
// A pass takes at most one column in each of the block's eight 64-bit words. Two passes do for
// nearly all blocks, three for all of 32 slots or more; with fewer slots there can be four. The
// parities of all passes are one integer, of which each column asks for some bits.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_pool.h"

namespace bloomline::kernels {

constexpr unsigned kMaxPoolPasses = 4;
constexpr unsigned kBlockWords = kBlockBytes / 8;

struct alignas(64) PoolPass {
  uint8_t window_bytes[kBlockBytes];  // bytes of the key's coefficients: eight for each word
  uint8_t window_bits[kBlockBytes];   // for each byte of the block, a bit of its word's window
  uint64_t mask[kBlockWords];
};

struct alignas(64) PoolRegisters {
  PoolPass passes[kMaxPoolPasses];
  // For each column of the pool, which words have a part of it: 8 bits for each pass.
  uint32_t words_of_column[kMaxPoolColumns];
  uint32_t full_columns;    // of the pool: a bit for each
  uint32_t partial_column;  // its bit
  uint32_t threshold;
  uint32_t num_passes;  // 0: more columns than there is room for

  static PoolRegisters Of(const Pool& pool, const Arrangement& arrangement);
  bool known() const { return num_passes != 0; }
};

// Deals the pieces out to passes.
class PoolPassWriter {
 public:
  static PoolRegisters RegistersOf(const Pool& pool, unsigned fast_columns) {
    PoolRegisters registers = {};
    const unsigned columns = pool.full_columns + (pool.threshold != 0 ? 1 : 0) - fast_columns;
    if (columns > kMaxPoolColumns) return registers;
    registers.num_passes = 1;  // also of a block that is all fast columns
    PoolPassWriter writers[kMaxPoolPasses];
    // Pieces come in the order of their slots, so a window's first byte is before all of its
    // pieces. A piece does not cross slot 64, so the one that begins a window fits it.
    for (unsigned i = 0; i < pool.num_pieces; ++i) {
      const PoolPiece& piece = pool.pieces[i];
      unsigned pass = 0;
      while (!writers[pass].Takes(piece)) ++pass;
      writers[pass].Add(piece, &registers.passes[pass]);
      registers.words_of_column[piece.column - fast_columns] |= 1u
                                                                << (8 * pass + piece.word_byte / 8);
      if (registers.num_passes <= pass) registers.num_passes = pass + 1;
    }
    registers.full_columns = (1u << (pool.full_columns - fast_columns)) - 1;
    registers.partial_column = 1u << (pool.full_columns - fast_columns);
    registers.threshold = pool.threshold;
    return registers;
  }

 private:
  struct Word {
    bool has_column;
    uint8_t column;
    uint8_t first_byte;  // of the window, in the key's coefficients
  };

  static unsigned WindowBit(const PoolPiece& piece, const Word& word) {
    return piece.slot - 8u * word.first_byte;
  }

  bool Takes(const PoolPiece& piece) const {
    const Word& word = words_[piece.word_byte / 8];
    return !word.has_column ||
           (word.column == piece.column && WindowBit(piece, word) + piece.length <= 64);
  }

  void Add(const PoolPiece& piece, PoolPass* pass) {
    Word& word = words_[piece.word_byte / 8];
    if (!word.has_column) {
      word = {true, piece.column, static_cast<uint8_t>(piece.slot / 8)};
      for (unsigned i = 0; i < 8; ++i) {
        pass->window_bytes[piece.word_byte + i] = static_cast<uint8_t>(word.first_byte + i);
      }
    }
    pass->mask[piece.word_byte / 8] |= OnesBelow64(piece.length) << piece.bit;
    const unsigned last_byte = (piece.bit + piece.length - 1u) / 8;
    for (unsigned i = piece.bit / 8; i <= last_byte; ++i) {
      // Windows wrap: what a byte has before the piece's first bit is masked out. Two pieces of a
      // column share a byte only where the second continues the first behind slot 64: both give the
      // same bit.
      const unsigned bit = WindowBit(piece, word) + 64 + 8 * i - piece.bit;
      pass->window_bits[piece.word_byte + i] = static_cast<uint8_t>(bit % 64);
    }
  }

  Word words_[kBlockWords] = {};
};

inline PoolRegisters PoolRegisters::Of(const Pool& pool, const Arrangement& arrangement) {
  return PoolPassWriter::RegistersOf(pool, arrangement.fast_columns);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX512_H_
