// The place of a compact block's pool: which bits of which column its free bits hold
// (docs/format.md, section 3.5).
//
// The pool is these bits, in this order: of each field, the bits above its slots; the bits after
// the fields, up to the header; of each column's word, the bits above its slots. The columns that
// are not fast lie there one after the other, the partial column last.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_COMPACT_POOL_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_COMPACT_POOL_H_

#include <atomic>
#include <cstdint>

#include "src/filter/bits/compact_block.h"

namespace bloomline::kernels {

// Consecutive bits of one 64-bit word of the block, for consecutive slots of one column: all of
// them below 64, or all from 64 on. So one rotation brings the key's coefficients to their places.
struct PoolPiece {
  uint8_t word_byte;  // where the word begins
  uint8_t bit;        // of the word
  uint8_t length;     // 1 to 64
  uint8_t slot;
  uint8_t column;
};

// A multiple of four; pieces past num_pieces have no bits.
constexpr unsigned kMaxPoolPieces = 28;
static_assert(kMaxPoolPieces % 4 == 0);

struct Pool {
  PoolPiece pieces[kMaxPoolPieces] = {};
  uint8_t num_pieces = 0;
  uint8_t full_columns = 0;   // r, the fast ones included
  uint8_t partial_slots = 0;  // w
  uint8_t threshold = 0;      // T
};

namespace pool_internal {

// Deals out free bits to the columns of the pool.
struct PoolWriter {
  Pool pool = {};
  unsigned slots = 0;
  unsigned column = 0;
  unsigned slot = 0;

  constexpr unsigned width() const {
    return column < pool.full_columns ? slots : pool.partial_slots;
  }

  constexpr void AddBits(unsigned first, unsigned end) {
    while (first < end) {
      unsigned length = end - first;
      if (length > 64 - first % 64) length = 64 - first % 64;
      if (length > width() - slot) length = width() - slot;
      if (slot < kWordSlots && length > kWordSlots - slot) length = kWordSlots - slot;
      pool.pieces[pool.num_pieces++] = {
          static_cast<uint8_t>(first / 64 * 8), static_cast<uint8_t>(first % 64),
          static_cast<uint8_t>(length), static_cast<uint8_t>(slot), static_cast<uint8_t>(column)};
      first += length;
      slot += length;
      if (slot == width()) {
        slot = 0;
        ++column;
      }
    }
  }
};

}  // namespace pool_internal

// `slots` from kMinCompactSlots to the arrangement's max_slots().
constexpr Pool MakePool(const Arrangement& arrangement, unsigned slots) {
  const ColumnCounts counts = CountColumns(arrangement.payload_bits(), slots);
  pool_internal::PoolWriter writer;
  writer.pool.full_columns = static_cast<uint8_t>(counts.full);
  writer.pool.partial_slots = static_cast<uint8_t>(counts.partial_slots);
  writer.pool.threshold = static_cast<uint8_t>(counts.threshold);
  writer.slots = slots;
  writer.column = arrangement.fast_columns;
  const unsigned first_field = 8 * arrangement.first_field_byte();
  const unsigned end = arrangement.payload_bits();
  if (slots <= kWordSlots) {
    writer.AddBits(first_field, end);
    for (unsigned column = 0; column < arrangement.fast_columns; ++column) {
      writer.AddBits(kWordSlots * column + slots, kWordSlots * (column + 1));
    }
    return writer.pool;
  }
  const unsigned in_field = slots - kWordSlots;
  const unsigned field_bits = 8 * arrangement.field_bytes;
  for (unsigned column = 0; column < arrangement.fast_columns; ++column) {
    const unsigned field = first_field + column * field_bits;
    const unsigned field_end = field + field_bits < end ? field + field_bits : end;
    writer.AddBits(field + in_field, field_end);
  }
  writer.AddBits(first_field + arrangement.fast_columns * field_bits, end);
  return writer.pool;
}

// All pools of an arrangement.
template <unsigned kArrangement>
struct Pools {
  constexpr Pools() {
    for (unsigned slots = kMinCompactSlots; slots <= kArrangements[kArrangement].max_slots();
         ++slots) {
      by_slots[slots - kMinCompactSlots] = MakePool(kArrangements[kArrangement], slots);
    }
  }
  Pool by_slots[kArrangements[kArrangement].max_slots() + 1 - kMinCompactSlots] = {};
};
template <unsigned kArrangement>
inline constexpr Pools<kArrangement> kPools;

template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE const Pool& PoolFor(unsigned slots) {
  return kPools<kArrangement>.by_slots[slots - kMinCompactSlots];
}

// For code that learns the arrangement at run time.
inline const Pool& PoolFor(unsigned arrangement, unsigned slots) {
  static constexpr const Pool* kOfArrangements[kNumArrangements] = {
      kPools<k32Fast2>.by_slots, kPools<k32Fast3>.by_slots, kPools<k64Fast4>.by_slots,
      kPools<k64Fast5>.by_slots, kPools<k64Fast6>.by_slots, kPools<k64Fast7>.by_slots,
      kPools<k16Fast1>.by_slots};
  return kOfArrangements[arrangement][slots - kMinCompactSlots];
}

// The pools of an arrangement as a kernel wants them: Row::Make(pool, arrangement), by
// slots - kMinCompactSlots. Made by the first query that needs it.
//
// No thread ever waits for another one to make the table: in the child of a fork, the thread that
// had begun to does not exist. A static variable of a function would wait at its guard.
template <typename Row, unsigned kArrangement>
class PoolTable {
 public:
  // Null until it is made.
  const Row* rows() const { return rows_.load(std::memory_order_acquire); }

  // Makes the table. Null if another thread has begun to, and has not finished.
  const Row* Make() {
    if (begun_.exchange(true, std::memory_order_relaxed)) return rows();
    for (unsigned i = 0; i < kRows; ++i) {
      memory_[i] = Row::Make(kPools<kArrangement>.by_slots[i], kArrangements[kArrangement]);
    }
    rows_.store(memory_, std::memory_order_release);
    return memory_;
  }

 private:
  static constexpr unsigned kRows = MaxHeaderCode(kArrangement) + 1;

  std::atomic<const Row*> rows_{nullptr};
  std::atomic<bool> begun_{false};
  Row memory_[kRows] = {};
};

namespace {

// The objects have internal linkage: otherwise all copies of the library in a process would share
// one (STB_GNU_UNIQUE), even copies of different versions.
template <typename Row, unsigned kArrangement>
PoolTable<Row, kArrangement> pool_table;

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_COMPACT_POOL_H_
