// Solving a compact block by slices: what needs no vector instructions.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_LAYOUT_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_LAYOUT_H_

#include <cstdint>

#include "src/filter/bits/compact_block.h"

namespace bloomline::kernels {

// A slice is a byte of each equation.
constexpr unsigned kWordSlices = 8;
constexpr unsigned kFieldSlices = 7;
constexpr unsigned kTailSlices = 8;
constexpr unsigned kMaxSlices = kWordSlices + kFieldSlices + kTailSlices;

// Pairs of equations that change places.
struct EquationPairs {
  BLOOMLINE_ALWAYS_INLINE EquationPairs(uint64_t lows, uint64_t highs) {
    for (; lows != 0 && highs != 0; lows &= lows - 1, highs &= highs - 1) {
      low[size] = static_cast<uint8_t>(__builtin_ctzll(lows));
      high[size++] = static_cast<uint8_t>(64 + __builtin_ctzll(highs));
    }
  }
  unsigned size = 0;
  uint8_t low[64];   // below 64
  uint8_t high[64];  // from 64 on
};

// The slices of an equation: slots 0 to 63, slots from 64 on, and the tail. The tail has the
// right-hand sides of the full columns and of the partial one; then slots 0 to 2, because slice 0
// is no longer updated once its slots are eliminated; then the window, from which each attempt
// takes three bits for these slots.
struct SliceLayout {
  SliceLayout(unsigned most_slots, unsigned full_columns, unsigned num_window_bits)
      : tail(kWordSlices + (most_slots > kWordSlots ? (most_slots - kWordSlots + 7) / 8 : 0)),
        end(tail + (full_columns + 1 + kNumVariableSlots + num_window_bits + 7) / 8),
        num_slots(8 * tail),
        variable_shift(full_columns + 1),
        window_bits(num_window_bits) {}

  uint64_t TailOf(uint64_t hash, const CompactKey& key) const {
    return (hash & OnesBelow64(variable_shift)) |
           (key.slots.word & kVariableSlots) << variable_shift |
           (key.variable >> kFirstAttempt & OnesBelow64(window_bits)) << window_shift();
  }

  // Mask of the tail without the right-hand side of the partial column, which the portable
  // solver's equations do not have either.
  uint64_t tail_without_partial() const { return ~(uint64_t{1} << (variable_shift - 1)); }

  // Where the window of the first attempt begins.
  unsigned window_shift() const { return variable_shift + kNumVariableSlots; }

  unsigned tail;
  unsigned end;
  unsigned num_slots;       // that the slices have
  unsigned variable_shift;  // the number of right-hand sides
  unsigned window_bits;
};

// Bit i: in attempt kFirstAttempt + i, the variable slots of the n <= 3 equations with these tails
// are independent.
inline uint32_t AttemptsThatSolve(const uint64_t tails[kNumVariableSlots], unsigned n,
                                  const SliceLayout& layout) {
  uint32_t bits[kNumVariableSlots][kNumVariableSlots];
  for (unsigned i = 0; i < n; ++i) {
    const uint64_t variable = tails[i] >> layout.variable_shift;
    for (unsigned slot = 0; slot < kNumVariableSlots; ++slot) {
      bits[i][slot] = static_cast<uint32_t>(variable >> kNumVariableSlots >> slot) ^
                      (~static_cast<uint32_t>(variable >> slot & 1) + 1);
    }
  }
  if (n == 0) return ~0u;
  if (n == 1) return bits[0][0] | bits[0][1] | bits[0][2];
  const uint32_t minor12 = (bits[0][1] & bits[1][2]) ^ (bits[0][2] & bits[1][1]);
  const uint32_t minor02 = (bits[0][0] & bits[1][2]) ^ (bits[0][2] & bits[1][0]);
  const uint32_t minor01 = (bits[0][0] & bits[1][1]) ^ (bits[0][1] & bits[1][0]);
  if (n == 2) return minor12 | minor02 | minor01;
  return (minor12 & bits[2][0]) ^ (minor02 & bits[2][1]) ^ (minor01 & bits[2][2]);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_LAYOUT_H_
