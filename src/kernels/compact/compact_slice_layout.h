// Solving a compact block by slices: what needs no vector instructions.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_SLICE_LAYOUT_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_SLICE_LAYOUT_H_

#include <cstdint>

#include "src/kernels/compact/compact_block.h"

namespace bloomline::kernels {

// A slice is a byte of each equation.
constexpr unsigned kWordSlices = 8;
constexpr unsigned kFieldSlices = 7;
constexpr unsigned kTailSlices = 6;
constexpr unsigned kMaxSlices = kWordSlices + kFieldSlices + kTailSlices;

// Equations that change places.
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

// The slices of an equation: slots 0 to 63, slots from 64 on, and the tail: the right-hand sides of
// the full columns and of the partial one, what the variable slots are made of, and, in the last
// byte, the selector. The solver's system has none of the last.
struct SliceLayout {
  SliceLayout(unsigned num_slots, unsigned full_columns)
      : tail(kWordSlices + (num_slots > kWordSlots ? (num_slots - kWordSlots + 7) / 8 : 0)),
        end(tail + (full_columns + 1 + kVariableBits + 7) / 8),
        variable_shift(full_columns + 1),
        num_slots(8 * tail) {}

  static constexpr unsigned kVariableBits = kNumVariableSlots + 64 - kVariableShift;
  static constexpr unsigned kSelectorByte = 7;

  uint64_t TailOf(uint64_t hash, CompactSlots slots) const {
    return (hash & OnesBelow64(variable_shift)) | (slots.word & kVariableSlots) << variable_shift |
           slots.field >> kVariableShift << (variable_shift + kNumVariableSlots) |
           uint64_t{SelectorOf(hash)} << 8 * kSelectorByte;
  }

  // What SolveBlock keeps, too: nothing of the partial column or of further attempts.
  uint64_t KeptOfTail(unsigned num_attempts) const {
    return OnesBelow64(variable_shift - 1) | OnesBelow64(2 * kNumVariableSlots - 1 + num_attempts)
                                                 << variable_shift;
  }

  unsigned tail;
  unsigned end;
  unsigned variable_shift;  // bits of the tail; then the window
  unsigned num_slots;       // that the slices have
};

// Bit a: in attempt a, the variable slots of the n <= 3 equations with these tails are independent.
inline uint32_t AttemptsThatSolve(const uint64_t tails[kNumVariableSlots], unsigned n,
                                  const SliceLayout& layout) {
  uint32_t bits[kNumVariableSlots][kNumVariableSlots];  // bit a: the slot in attempt a
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

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_SLICE_LAYOUT_H_
