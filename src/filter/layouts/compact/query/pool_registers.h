// The pool of a compact block as AVX-512 tests it: instead of collecting the columns' pieces, it
// spreads the key's coefficients over the block's bits, to where the pieces are.
//
// A pass takes at most one column in each of the block's eight 64-bit words: for each word a window
// of 64 of the key's coefficients, for each byte of the word the place in the window of the 8
// coefficients that belong there, and a mask.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_REGISTERS_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_REGISTERS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_pool.h"
#include "src/filter/layouts/compact/query/made_table.h"

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
  uint32_t num_registers;  // passes, as vector_query.h calls them; 0: more columns than
                           // there is room for
};

// Deals the pieces out to passes.
class PoolPassWriter {
 public:
  static PoolRegisters RegistersOf(const Pool& pool, unsigned fast_columns) {
    PoolRegisters registers = {};
    const unsigned columns = pool.full_columns + (pool.threshold != 0 ? 1 : 0) - fast_columns;
    if (columns > kMaxPoolColumns) return registers;
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
      if (registers.num_registers <= pass) registers.num_registers = pass + 1;
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

namespace {

// The table of an arrangement, by slots - kMinCompactSlots; 38 to 83 KiB.
template <unsigned kArrangement>
MadeTable<PoolRegisters, kArrangements[kArrangement].max_slots() + 1 - kMinCompactSlots> pool_table;

// Null if another thread has begun to, and has not finished.
template <unsigned kArrangement>
const PoolRegisters* MakePoolTable() {
  return pool_table<kArrangement>.Make([](size_t i) {
    return PoolPassWriter::RegistersOf(
        PoolFor<kArrangement>(kMinCompactSlots + static_cast<unsigned>(i)),
        kArrangements[kArrangement].fast_columns);
  });
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_POOL_REGISTERS_H_
