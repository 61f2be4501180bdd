// The system of equations of a line of eight lanes (compact_lanes.h): Gauss-Jordan elimination over
// GF(2), one equation per key for all full rows at once.
//
// The columns are a key's slots: first the fixed ones in order, then the three variable ones of the
// try. The fixed ones are eliminated once, one more of them for each more slot; what is left is at
// most three equations in three unknowns, and these are looked at try by try. A column is a pivot
// if it is independent of those before it and the others get 0, so there is one solution for a
// number of slots and a try, and every kernel finds it.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SYSTEM_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SYSTEM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_equations.h"

namespace bloomline::kernels {

// What is known of a line while it is solved. In this order: Start, EliminateFixedSlots, any number
// of AddFixedSlot and VariableSlotsSolve, and Finish with a try that VariableSlotsSolve takes.
struct LaneSystem {
  LaneSystem(const uint64_t* key_hashes, size_t num_keys, uint32_t filter_base_slots)
      : hashes(key_hashes),
        size(num_keys),
        base_slots(filter_base_slots),
        second(SecondWordFor(num_keys)) {}

  BLOOMLINE_ALWAYS_INLINE void Start(unsigned slots) {
    const unsigned rows = std::min(kMaxFullColumns, kLanes * kLaneSlots / slots);
    const uint64_t right_mask = OnesBelow64(rows);
    const uint64_t columns = OnesBelow64(second.columns);
    for (size_t i = 0; i < size; ++i) {
      const LaneSlots key = LaneSlotsOf(hashes[i]);
      own[i] = key.own;
      other[i] = key.other;
      equations.first[i] = key.own & OnesBelow64(kLaneSlots);
      equations.second[i] = (key.other & columns) | PoolOf(key.other) << second.columns |
                            (hashes[i] & right_mask) << second.right_shift;
    }
    for (size_t i = size; i < size / 8 * 8 + 8; ++i) equations.first[i] = equations.second[i] = 0;
  }

  // Eight tries: 24 bits; two tries: bit pairs, squeezed together.
  BLOOMLINE_ALWAYS_INLINE uint64_t PoolOf(uint64_t other_slots) const {
    const uint64_t pool = other_slots >> kPoolShift;
    if (second.num_tries == kManyTries) return pool & OnesBelow64(24);
    return (pool & 3) | (pool >> 8 & 3) << 2 | (pool >> 16 & 3) << 4;
  }

  // What the variable slots of equation i are in try t, at bits 0, 8, 16.
  BLOOMLINE_ALWAYS_INLINE uint64_t VariableSlots(size_t i, unsigned t) const {
    const uint64_t pool = equations.second[i] >> second.columns >> t;
    const uint64_t bits = second.num_tries == kManyTries
                              ? pool & kVariableSlots
                              : (pool & 1) | (pool >> 2 & 1) << 8 | (pool >> 4 & 1) << 16;
    return (equations.first[i] ^ bits) & kVariableSlots;
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void EliminateFixedSlots(unsigned slots) {
    const uint64_t own_columns = OnesBelow64(std::min(slots, kLaneSlots)) & ~kVariableSlots;
    const uint64_t other_columns = OnesBelow64(slots > kLaneSlots ? slots - kLaneSlots : 0);
    num_left = 0;
    for (size_t i = 0; i < size;) {
      FourPivots<2> four;
      if (i + 4 <= size && four.Choose({equations.first + i, equations.second + i}, own_columns)) {
        for (unsigned j = 0; j < 4; ++j) pivots[i + j] = four.Slot(j);
        Steps::ClearFourPairs(&equations, size, i, four);
        i += 4;
        continue;
      }
      const uint64_t first_word = equations.first[i];
      const uint64_t second_word = equations.second[i];
      if (const uint64_t in_first = first_word & own_columns; in_first != 0) {
        SetPivot<Steps>(i, false, in_first & (~in_first + 1));
      } else if (const uint64_t in_second = second_word & other_columns; in_second != 0) {
        SetPivot<Steps>(i, true, in_second & (~in_second + 1));
      } else if ((first_word | second_word) == 0 || IsLeftAlready(first_word, second_word)) {
        pivots[i] = kNoLanePivot;  // a repeated hash
      } else {
        left[num_left++] = static_cast<uint8_t>(i);
      }
      ++i;
    }
  }

  // An equation that is left has no fixed slot, so no later pivot changes it.
  BLOOMLINE_ALWAYS_INLINE bool IsLeftAlready(uint64_t first_word, uint64_t second_word) const {
    for (unsigned j = 0; j < num_left; ++j) {
      const size_t i = left[j];
      if (equations.first[i] == first_word && equations.second[i] == second_word) return true;
    }
    return false;
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void SetPivot(size_t i, bool in_second, uint64_t bit) {
    pivots[i] = static_cast<uint8_t>(__builtin_ctzll(bit) + (in_second ? 64 : 0));
    Steps::ClearPair(&equations, size, i, in_second, bit);
  }

  // Slot number `slots` joins the fixed ones.
  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void AddFixedSlot(unsigned slots) {
    const bool in_second = slots >= kLaneSlots;
    const unsigned place = in_second ? slots - kLaneSlots : slots;
    const uint64_t* words = in_second ? equations.second : equations.first;
    for (unsigned j = 0; j < num_left; ++j) {
      const size_t i = left[j];
      if ((words[i] >> place & 1) == 0) continue;
      SetPivot<Steps>(i, in_second, uint64_t{1} << place);
      left[j] = left[--num_left];
      return;
    }
  }

  // Whether the equations left, at most three, are independent in the variable slots of try t.
  BLOOMLINE_ALWAYS_INLINE bool VariableSlotsSolve(unsigned t) const {
    uint64_t bits[3];
    for (unsigned j = 0; j < num_left; ++j) bits[j] = VariableSlots(left[j], t);
    for (unsigned sums = 1; sums < 1u << num_left; ++sums) {
      uint64_t sum = 0;
      for (unsigned j = 0; j < num_left; ++j) sum ^= (sums >> j & 1) != 0 ? bits[j] : 0;
      if (sum == 0) return false;
    }
    return true;
  }

  // Then each equation has its pivot and no other's.
  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void Finish(unsigned t) {
    for (size_t i = 0; i < size; ++i) {
      equations.first[i] = (equations.first[i] & ~kVariableSlots) | VariableSlots(i, t);
    }
    for (unsigned j = 0; j < num_left; ++j) {
      const size_t i = left[j];
      const uint64_t slots = equations.first[i] & kVariableSlots;
      SetPivot<Steps>(i, false, slots & (~slots + 1));
    }
  }

  const uint64_t* const hashes;
  const size_t size;
  const unsigned base_slots;
  const SecondWord second;
  unsigned num_left = 0;
  // Of the partial row, compact_lanes_partial_row.h.
  unsigned tail_try = 0;
  uint64_t partial_row = 0;
  LaneEquations equations;
  uint64_t own[kMaxLaneKeys];
  uint64_t other[kMaxLaneKeys];
  uint8_t pivots[kMaxLaneKeys];  // 64 + slot for those in other lanes
  uint8_t left[kMaxLaneKeys];    // equations without a pivot so far
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SYSTEM_H_
