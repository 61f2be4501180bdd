// The partial row of a line of eight lanes: a system of its own, of the keys that ask this row.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_PARTIAL_ROW_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_PARTIAL_ROW_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_equations.h"
#include "src/kernels/compact/compact_lanes_system.h"

namespace bloomline::kernels {

// Of the keys that ask the partial row. Their slots: own ones first.
BLOOMLINE_ALWAYS_INLINE size_t PartialRowEquations(const LaneSystem& system,
                                                   const LaneLayout& layout, unsigned t,
                                                   unsigned salt, uint64_t* equations) {
  const unsigned share = layout.partial_share;
  const unsigned full_rows = layout.full_rows;
  uint64_t own_mask = OnesBelow64(layout.partial_slots);
  uint64_t other_mask = 0;
  if (layout.tail_slots == 0) {
    own_mask = layout.own[full_rows];
    other_mask = layout.other[full_rows];
  }
  const unsigned first =
      own_mask == 0 ? kLaneSlots : static_cast<unsigned>(__builtin_ctzll(own_mask));
  size_t n = 0;
  for (size_t i = 0; i < system.size; ++i) {
    const uint64_t own = OwnSlotsInTry({system.own[i], system.other[i]}, kPoolShift + t);
    equations[n] = (own & own_mask) >> first |
                   (system.other[i] & other_mask) << (kLaneSlots - first) |
                   (system.hashes[i] >> full_rows & 1) << kLaneSlots;
    n += AsksPartialRow(system.hashes[i], salt, share);
  }
  for (size_t i = n; i < n / 8 * 8 + 8; ++i) equations[i] = 0;
  return n;
}

// The system has one word: w slots from bit 0, the right-hand side above them.
template <typename Steps>
BLOOMLINE_ALWAYS_INLINE bool SolvePartialRowWith(LaneSystem* system, const LaneLayout& layout,
                                                 unsigned t, unsigned salt) {
  alignas(64) uint64_t equations[kEquationRoom];
  const size_t n = PartialRowEquations(*system, layout, t, salt, equations);
  if (n > layout.partial_slots) return false;
  const uint64_t columns = OnesBelow64(layout.partial_slots);
  uint8_t pivots[kMaxLaneKeys];
  for (size_t i = 0; i < n;) {
    FourPivots<1> four;
    if (i + 4 <= n && four.Choose({equations + i}, columns)) {
      for (unsigned j = 0; j < 4; ++j) pivots[i + j] = four.Slot(j);
      Steps::ClearFourWords(equations, n, i, four);
      i += 4;
      continue;
    }
    if (const uint64_t slots = equations[i] & columns; slots != 0) {
      pivots[i] = static_cast<uint8_t>(__builtin_ctzll(slots));
      Steps::ClearWord(equations, n, i, slots & (~slots + 1));
    } else if (equations[i] != 0) {
      return false;  // contradicts the others
    } else {
      pivots[i] = kNoLanePivot;
    }
    ++i;
  }
  for (size_t i = 0; i < n; ++i) {
    if (pivots[i] != kNoLanePivot) system->partial_row |= equations[i] >> kLaneSlots << pivots[i];
  }
  return true;
}

// In try t of the variable slots, which with the number of slots is `header`. False: no solution.
template <typename Steps>
BLOOMLINE_ALWAYS_INLINE bool SolveLanePartialRow(LaneSystem* system, const LaneLayout& layout,
                                                 unsigned slots, unsigned t, unsigned header) {
  system->partial_row = 0;
  if (layout.partial_share == 0) return true;
  if (slots > kLaneSlots) return SolvePartialRowWith<Steps>(system, layout, t, LaneSalt(header));
  for (system->tail_try = 0; system->tail_try < 1u << kTailTryBits; ++system->tail_try) {
    if (SolvePartialRowWith<Steps>(system, layout, t, system->tail_try * 64)) return true;
  }
  return false;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_PARTIAL_ROW_H_
