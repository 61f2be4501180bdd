// What the columns of a packed block are: Gaussian elimination over GF(2), one equation per key for
// all columns at once.
//
// A pivot is the lowest slot of an equation after the equations before are taken out. The set of
// pivots is that of the lowest slots of all sums of equations, whatever their order, and the other
// slots get 0; so there is one solution, and every kernel finds it. All of it inlines into the
// kernel, which brings the inner step.
#ifndef BLOOMLINE_KERNELS_PACKED_PACKED_SOLVER_H_
#define BLOOMLINE_KERNELS_PACKED_PACKED_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/little_endian.h"
#include "src/kernels/packed/packed_block.h"

namespace bloomline::kernels {

// The equations of a block, in two words each; aligned and padded for 8 at a time.
//   up to 56 slots: first = slots, second = right-hand side
//   more:           first = slots 0..55 and above them the right-hand side (at most 8 columns),
//                   second = slots 56..
struct PackedEquations {
  alignas(64) uint64_t first[kMaxSlots];
  alignas(64) uint64_t second[kMaxSlots];
};

constexpr uint8_t kNoPivot = 0xFF;

// An equation system with its right-hand sides in one of the two layouts of PackedEquations.
class PackedSystem {
 public:
  // All keys of the block, for its full columns.
  BLOOMLINE_ALWAYS_INLINE void Start(const PackedKeys& keys, unsigned num_slots,
                                     unsigned seed_number, uint64_t column_bits) {
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
        equations_.first[i] = ((low[i] >> shift | high[i] << rest) & all.low) |
                              (keys.fingerprints[i] & column_bits) << kSlotsPerWord;
        equations_.second[i] = (high[i] >> shift | low[i] << rest) & all.high;
      }
    } else {
      for (size_t i = 0; i < keys.size; ++i) {
        equations_.first[i] = (low[i] >> shift | high[i] << rest) & all.low;
        equations_.second[i] = keys.fingerprints[i] & column_bits;
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
    equations_.first[size_] = two_words_ ? mine.low | right_side << kSlotsPerWord : mine.low;
    equations_.second[size_] = two_words_ ? mine.high : right_side;
    ++size_;
  }

  size_t size() const { return size_; }
  bool consistent() const { return consistent_; }

  // Takes equation i out of those after it; to be done for all i in order.
  template <typename EliminateBelow>
  BLOOMLINE_ALWAYS_INLINE void ReduceBy(size_t i, EliminateBelow eliminate_below) {
    const SlotMask slots = SlotsOf(i);
    if (slots.low != 0) {
      pivots_[i] = static_cast<uint8_t>(__builtin_ctzll(slots.low));
      eliminate_below(&equations_, size_, i, false, slots.low & (~slots.low + 1));
    } else if (slots.high != 0) {
      const auto slot = static_cast<unsigned>(__builtin_ctzll(slots.high));
      pivots_[i] = static_cast<uint8_t>(kSlotsPerWord + slot);
      eliminate_below(&equations_, size_, i, true, slots.high & (~slots.high + 1));
    } else {
      pivots_[i] = kNoPivot;
      consistent_ = consistent_ && RightSide(i) == 0;
    }
  }

  // solution[c] are the slots that are 1 in column c. After ReduceBy of all equations.
  BLOOMLINE_ALWAYS_INLINE void Solve(unsigned num_columns, SlotMask* solution) const {
    for (unsigned c = 0; c < num_columns; ++c) solution[c] = {0, 0};
    // An equation has its own pivot, pivots of later ones and slots that are 0.
    for (size_t i = size_; i-- > 0;) {
      if (pivots_[i] == kNoPivot) continue;
      const SlotMask slots = SlotsOf(i);
      const bool low = pivots_[i] < kSlotsPerWord;
      const unsigned shift = low ? pivots_[i] : pivots_[i] - kSlotsPerWord;
      uint64_t value = RightSide(i);
      for (unsigned c = 0; c < num_columns; ++c, value >>= 1) {
        const uint64_t hits = (slots.low & solution[c].low) ^ (slots.high & solution[c].high);
        const uint64_t bit = (static_cast<uint64_t>(__builtin_parityll(hits)) ^ value) & 1;
        (low ? solution[c].low : solution[c].high) |= bit << shift;
      }
    }
  }

 private:
  BLOOMLINE_ALWAYS_INLINE SlotMask SlotsOf(size_t i) const {
    return {equations_.first[i] & kSlotWordMask, two_words_ ? equations_.second[i] : 0};
  }
  BLOOMLINE_ALWAYS_INLINE uint64_t RightSide(size_t i) const {
    return two_words_ ? equations_.first[i] >> kSlotsPerWord : equations_.second[i];
  }

  SlotMask all_;
  bool two_words_;
  bool consistent_;
  size_t size_;
  PackedEquations equations_;
  uint8_t pivots_[kMaxSlots];
};

// Sets bits from `bit` on in a block that is zero there. At most 56 bits, none beyond the block.
inline void OrBits(uint64_t bits, unsigned bit, uint32_t block_bytes, char* block) {
  const unsigned last_load = block_bytes - 8;
  const unsigned byte = bit / 8 < last_load ? bit / 8 : last_load;
  uint64_t word = LoadLittleEndian64(block + byte) | bits << ((bit - 8 * byte) & 63);
  StoreLittleEndian64(word, block + byte);
}

inline void WriteColumn(const SlotMask& column, unsigned bit, uint32_t block_bytes, char* block) {
  if (column.low != 0) OrBits(column.low, bit, block_bytes, block);
  if (column.high != 0) OrBits(column.high, bit + kSlotsPerWord, block_bytes, block);
}

// The column of the keys whose selector is below the shape's threshold. False if there is none for
// this seed number.
template <typename EliminateBelow>
BLOOMLINE_ALWAYS_INLINE bool SolvePartialColumn(const PackedKeys& keys, const PackedShape& shape,
                                                unsigned seed_number,
                                                EliminateBelow eliminate_below, SlotMask* column) {
  PackedSystem system;
  system.StartEmpty(shape.partial_slots);
  for (size_t i = 0; i < keys.size; ++i) {
    if (keys.selectors[i] >= shape.threshold) continue;
    system.Add(Rotated({keys.low_slots[i], keys.high_slots[i]}, seed_number),
               keys.fingerprints[i] >> shape.full_columns & 1);
  }
  for (size_t i = 0; i < system.size() && system.consistent(); ++i) {
    system.ReduceBy(i, eliminate_below);
  }
  if (system.consistent()) system.Solve(1, column);
  return system.consistent();
}

// PackedKernel::solve, given the inner step:
//   eliminate_below(PackedEquations* equations, size_t num_equations, size_t pivot, bool in_second,
//   uint64_t bit)
// adds equation `pivot` to each later one below num_equations that has `bit` set, in its first or
// its second word. It may change equations from num_equations to the next multiple of 8.
template <typename EliminateBelow>
BLOOMLINE_ALWAYS_INLINE int SolvePackedBlock(const PackedKeys& keys, unsigned slots,
                                             uint32_t block_bytes, char* block,
                                             EliminateBelow eliminate_below) {
  const PackedShape shape = PackedShapeOf(block_bytes, slots);
  const uint64_t column_bits = (uint64_t{1} << shape.full_columns) - 1;
  // Two seed numbers at a time: each step waits for the one before in its own system, so that two
  // go in little more than the time of one.
  PackedSystem systems[2];
  for (unsigned first_seed = 0; first_seed < kNumSeeds; first_seed += 2) {
    for (unsigned i = 0; i < 2; ++i) {
      systems[i].Start(keys, slots, first_seed + i, column_bits);
    }
    for (size_t i = 0; i < keys.size; ++i) {
      systems[0].ReduceBy(i, eliminate_below);
      systems[1].ReduceBy(i, eliminate_below);
    }
    for (unsigned i = 0; i < 2; ++i) {
      SlotMask partial_column;
      const unsigned seed_number = first_seed + i;
      if (!systems[i].consistent() ||
          !SolvePartialColumn(keys, shape, seed_number, eliminate_below, &partial_column)) {
        continue;
      }
      SlotMask solution[kMaxFullColumns];
      systems[i].Solve(shape.full_columns, solution);
      for (unsigned c = 0; c < shape.full_columns; ++c) {
        WriteColumn(solution[c], c * slots, block_bytes, block);
      }
      WriteColumn(partial_column, shape.full_columns * slots, block_bytes, block);
      return static_cast<int>(seed_number);
    }
  }
  return -1;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PACKED_PACKED_SOLVER_H_
