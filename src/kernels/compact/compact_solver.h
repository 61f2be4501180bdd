// What the rows of a compact line are: Gaussian elimination over GF(2), one equation per key for
// all rows at once.
//
// A pivot is the lowest slot of an equation after the equations before are taken out. The set of
// pivots is that of the lowest slots of all sums of equations, whatever their order, and the other
// slots get 0; so there is one solution, and every kernel finds it. All of it inlines into the
// kernel, which brings the inner step.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_SOLVER_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_line.h"
#include "src/kernels/little_endian.h"

namespace bloomline::kernels {

// The equations of a line, one a row, in two words; aligned and padded for 8 rows at a time.
//   up to 56 slots: first = slots, second = right-hand side
//   more:           first = slots 0..55 and above them the right-hand side (at most 8 rows), second
//   = slots 56..
struct EquationRows {
  alignas(64) uint64_t first[kMaxSlots];
  alignas(64) uint64_t second[kMaxSlots];
};

constexpr uint8_t kNoPivot = 0xFF;

// An equation system with its right-hand sides in one of the two layouts of EquationRows.
class System {
 public:
  // All keys of the line, for its full rows.
  BLOOMLINE_ALWAYS_INLINE void Start(const LineKeys& keys, unsigned num_slots, unsigned seed_number,
                                     uint64_t row_bits) {
    StartEmpty(num_slots);
    size_ = keys.size;
    const SlotMask all = all_;
    // Rotated(), with what does not depend on the key outside of the loops, so that they vectorise.
    const uint64_t* low = (seed_number & 2) != 0 ? keys.high_slots : keys.low_slots;
    const uint64_t* high = (seed_number & 2) != 0 ? keys.low_slots : keys.high_slots;
    const unsigned shift = seed_number % 2 * (kSlotsPerWord / 2);
    const unsigned rest = kSlotsPerWord - shift;
    if (two_words_) {
      for (size_t i = 0; i < keys.size; ++i) {
        rows_.first[i] = ((low[i] >> shift | high[i] << rest) & all.low) |
                         (keys.fingerprints[i] & row_bits) << kSlotsPerWord;
        rows_.second[i] = (high[i] >> shift | low[i] << rest) & all.high;
      }
    } else {
      for (size_t i = 0; i < keys.size; ++i) {
        rows_.first[i] = (low[i] >> shift | high[i] << rest) & all.low;
        rows_.second[i] = keys.fingerprints[i] & row_bits;
      }
    }
  }

  BLOOMLINE_ALWAYS_INLINE void StartEmpty(unsigned num_slots) {
    all_ = FirstSlots(num_slots);
    two_words_ = num_slots > kSlotsPerWord;
    size_ = 0;
    consistent_ = true;
  }

  BLOOMLINE_ALWAYS_INLINE void Add(const SlotMask& slots, uint64_t right_side) {
    const SlotMask mine = And(slots, all_);
    rows_.first[size_] = two_words_ ? mine.low | right_side << kSlotsPerWord : mine.low;
    rows_.second[size_] = two_words_ ? mine.high : right_side;
    ++size_;
  }

  size_t size() const { return size_; }
  bool consistent() const { return consistent_; }

  // Takes equation i out of those after it; to be done for all i in order.
  template <typename EliminateBelow>
  BLOOMLINE_ALWAYS_INLINE void ReduceBy(size_t i, EliminateBelow eliminate_below) {
    const SlotMask slots = SlotsOfRow(i);
    if (slots.low != 0) {
      pivots_[i] = static_cast<uint8_t>(__builtin_ctzll(slots.low));
      eliminate_below(&rows_, size_, i, false, slots.low & (~slots.low + 1));
    } else if (slots.high != 0) {
      const auto slot = static_cast<unsigned>(__builtin_ctzll(slots.high));
      pivots_[i] = static_cast<uint8_t>(kSlotsPerWord + slot);
      eliminate_below(&rows_, size_, i, true, slots.high & (~slots.high + 1));
    } else {
      pivots_[i] = kNoPivot;
      consistent_ = consistent_ && RightSide(i) == 0;
    }
  }

  // solution[r] are the slots that are 1 in row r of the line. After ReduceBy of all equations.
  BLOOMLINE_ALWAYS_INLINE void Solve(unsigned num_rows, SlotMask* solution) const {
    for (unsigned r = 0; r < num_rows; ++r) solution[r] = {0, 0};
    // A row has its own pivot, pivots of later rows and slots that are 0.
    for (size_t i = size_; i-- > 0;) {
      if (pivots_[i] == kNoPivot) continue;
      const SlotMask slots = SlotsOfRow(i);
      const bool low = pivots_[i] < kSlotsPerWord;
      const unsigned shift = low ? pivots_[i] : pivots_[i] - kSlotsPerWord;
      uint64_t value = RightSide(i);
      for (unsigned r = 0; r < num_rows; ++r, value >>= 1) {
        const uint64_t hits = (slots.low & solution[r].low) ^ (slots.high & solution[r].high);
        const uint64_t bit = (static_cast<uint64_t>(__builtin_parityll(hits)) ^ value) & 1;
        (low ? solution[r].low : solution[r].high) |= bit << shift;
      }
    }
  }

 private:
  BLOOMLINE_ALWAYS_INLINE SlotMask SlotsOfRow(size_t i) const {
    return {rows_.first[i] & kSlotWordMask, two_words_ ? rows_.second[i] : 0};
  }
  BLOOMLINE_ALWAYS_INLINE uint64_t RightSide(size_t i) const {
    return two_words_ ? rows_.first[i] >> kSlotsPerWord : rows_.second[i];
  }

  SlotMask all_;
  bool two_words_;
  bool consistent_;
  size_t size_;
  EquationRows rows_;
  uint8_t pivots_[kMaxSlots];
};

// Sets bits from `bit` on in a line that is zero there. At most 56 bits, none beyond the line.
inline void OrBits(uint64_t bits, unsigned bit, uint32_t line_bytes, char* line) {
  const unsigned last_load = line_bytes - 8;
  const unsigned byte = bit / 8 < last_load ? bit / 8 : last_load;
  uint64_t word = LoadLittleEndian64(line + byte) | bits << ((bit - 8 * byte) & 63);
  StoreLittleEndian64(word, line + byte);
}

inline void WriteRow(const SlotMask& row, unsigned bit, uint32_t line_bytes, char* line) {
  if (row.low != 0) OrBits(row.low, bit, line_bytes, line);
  if (row.high != 0) OrBits(row.high, bit + kSlotsPerWord, line_bytes, line);
}

// The row of the keys whose selector is below the shape's share. False if there is none for this
// seed number.
template <typename EliminateBelow>
BLOOMLINE_ALWAYS_INLINE bool SolvePartialRow(const LineKeys& keys, const LineShape& shape,
                                             unsigned seed_number, EliminateBelow eliminate_below,
                                             SlotMask* row) {
  System system;
  system.StartEmpty(shape.partial_slots);
  for (size_t i = 0; i < keys.size; ++i) {
    if (keys.selectors[i] >= shape.partial_share) continue;
    system.Add(Rotated({keys.low_slots[i], keys.high_slots[i]}, seed_number),
               keys.fingerprints[i] >> shape.full_rows & 1);
  }
  for (size_t i = 0; i < system.size() && system.consistent(); ++i) {
    system.ReduceBy(i, eliminate_below);
  }
  if (system.consistent()) system.Solve(1, row);
  return system.consistent();
}

// CompactKernel::packed_solve, given the inner step:
//   eliminate_below(EquationRows* rows, size_t num_rows, size_t pivot, bool in_second, uint64_t
//   bit)
// adds row `pivot` to each later row below num_rows that has `bit` set, in its first or its second
// word. It may change rows from num_rows to the next multiple of 8.
template <typename EliminateBelow>
BLOOMLINE_ALWAYS_INLINE int SolveCompactLine(const LineKeys& keys, unsigned slots,
                                             uint32_t line_bytes, char* line,
                                             EliminateBelow eliminate_below) {
  const LineShape shape = LineShapeOf(line_bytes, slots);
  const uint64_t row_bits = (uint64_t{1} << shape.full_rows) - 1;
  // Two seed numbers at a time: each step waits for the one before in its own system, so that two
  // go in little more than the time of one.
  System systems[2];
  for (unsigned first_seed = 0; first_seed < kNumSeeds; first_seed += 2) {
    for (unsigned i = 0; i < 2; ++i) {
      systems[i].Start(keys, slots, first_seed + i, row_bits);
    }
    for (size_t i = 0; i < keys.size; ++i) {
      systems[0].ReduceBy(i, eliminate_below);
      systems[1].ReduceBy(i, eliminate_below);
    }
    for (unsigned i = 0; i < 2; ++i) {
      SlotMask partial_row;
      const unsigned seed_number = first_seed + i;
      if (!systems[i].consistent() ||
          !SolvePartialRow(keys, shape, seed_number, eliminate_below, &partial_row)) {
        continue;
      }
      SlotMask solution[kMaxFullRows];
      systems[i].Solve(shape.full_rows, solution);
      for (unsigned row = 0; row < shape.full_rows; ++row) {
        WriteRow(solution[row], row * slots, line_bytes, line);
      }
      WriteRow(partial_row, shape.full_rows * slots, line_bytes, line);
      return static_cast<int>(seed_number);
    }
  }
  return -1;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_SOLVER_H_
