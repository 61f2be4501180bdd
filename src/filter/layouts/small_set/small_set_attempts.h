// The attempts of a block: what remains of the equations once they are reduced by the slots that no
// attempt changes.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_ATTEMPTS_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_ATTEMPTS_H_

#include <cstdint>

#include "src/filter/bits/always_inline.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline::kernels::small_set {

BLOOMLINE_ALWAYS_INLINE uint64_t AllOnesIf(uint64_t bit) { return ~(bit & 1) + 1; }

// Four fields of 16 bits, one for each variable slot; bit t of a field is that of attempt t.
static_assert(kVariableSlots * kMaxAttempts == 64);
constexpr uint64_t kAttemptField = 0xFFFF;
constexpr uint64_t kEachField = 0x0001000100010001;

// The variable coefficients of an equation in all attempts. Those of a slot are the bits of the
// hash from 32 + slot on, inverted if the fixed coefficient is 1.
BLOOMLINE_ALWAYS_INLINE uint64_t AttemptCoefficients(uint64_t slots, uint64_t hash,
                                                     unsigned variable_slots) {
  uint64_t coefficients = 0;
  for (unsigned v = 0; v < kVariableSlots; ++v) {
    const uint64_t of_slot = (hash >> (kVariableShift + v) ^ AllOnesIf(slots >> v)) & kAttemptField;
    coefficients |= of_slot << (kMaxAttempts * v);
  }
  return variable_slots >= kVariableSlots ? coefficients
                                          : coefficients & OnesBelow(kMaxAttempts * variable_slots);
}

// A system of equations in the variable slots for each attempt, kept in echelon form. Attempts
// differ, so it does not branch.
class AttemptSystems {
 public:
  // `attempts`: those in which the equation depends on the ones before. `contradicts`: those of
  // them in which its right side contradicts these.
  struct Dependent {
    uint64_t attempts;
    uint64_t contradicts;
  };
  BLOOMLINE_ALWAYS_INLINE Dependent Add(uint64_t coefficients, uint64_t right_side) {
    uint64_t right = AllOnesIf(right_side);
    uint64_t pending = kAttemptField;
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      const uint64_t has = coefficients >> (kMaxAttempts * v) & pending;
      const uint64_t reduced = has & used_[v];
      const uint64_t fresh = has & ~used_[v];
      rows_[v] |= coefficients & fresh * kEachField;
      right_[v] |= right & fresh;
      coefficients ^= rows_[v] & reduced * kEachField;
      right ^= right_[v] & reduced;
      used_[v] |= fresh;
      pending &= ~fresh;
    }
    return {pending, pending & right};
  }

 private:
  uint64_t used_[kVariableSlots] = {};
  uint64_t rows_[kVariableSlots] = {};
  uint64_t right_[kVariableSlots] = {};
};

// The variable slots' values in one attempt, for all columns at once.
class VariableSolution {
 public:
  // Equations that do not contradict each other, in any order.
  BLOOMLINE_ALWAYS_INLINE void Add(uint64_t slots, uint64_t right_side) {
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      const uint64_t mask = AllOnesIf(slots >> v);
      slots ^= slots_[v] & mask;
      right_side ^= values_[v] & mask;
    }
    const uint64_t lowest = slots & (~slots + 1);
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      // Slot v's equation is the new one, or it has the new one's lowest slot.
      const uint64_t mask = AllOnesIf(((slots_[v] | uint64_t{1} << v) & lowest) != 0 ? 1 : 0);
      slots_[v] ^= slots & mask;
      values_[v] ^= right_side & mask;
    }
  }

  // Slots without an equation are 0.
  uint64_t value(unsigned slot) const { return values_[slot]; }

  // sums[c]: what they add to an equation with the coefficients c.
  BLOOMLINE_ALWAYS_INLINE void Sums(uint64_t* sums) const {
    sums[0] = 0;
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      for (unsigned c = 0; c < 1u << v; ++c) sums[c | 1u << v] = sums[c] ^ values_[v];
    }
  }

 private:
  uint64_t slots_[kVariableSlots] = {};
  uint64_t values_[kVariableSlots] = {};
};

}  // namespace bloomline::kernels::small_set

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_ATTEMPTS_H_
