// The partial column of a compact block: a system of its own, of the keys that use this column.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_PARTIAL_COLUMN_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_PARTIAL_COLUMN_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/always_inline.h"
#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_equations.h"
#include "src/filter/kernels/compact/compact_system.h"

namespace bloomline::kernels {

constexpr unsigned kPartialRightShift = 63;

BLOOMLINE_ALWAYS_INLINE size_t PartialColumnEquations(const BlockSystem& system,
                                                      const ColumnCounts& counts, unsigned slots,
                                                      unsigned attempt, BlockEquations* equations) {
  const unsigned salt = SelectorSalt(slots, attempt);
  size_t n = 0;
  for (size_t i = 0; i < system.size; ++i) {
    const uint64_t hash = system.hashes[i];
    const CompactSlots mine = SlotsInBlock(system.keys[i], counts.partial_slots, attempt);
    equations->first[n] = mine.word;
    equations->second[n] = mine.field | (hash >> counts.full & 1) << kPartialRightShift;
    n += UsesPartialColumn(hash, salt, counts.threshold);
  }
  return n;
}

// False: no solution.
BLOOMLINE_ALWAYS_INLINE bool SolvePartialColumn(BlockSystem* system, const ColumnCounts& counts,
                                                unsigned slots, unsigned attempt) {
  system->partial_column = {};
  if (counts.threshold == 0) return true;
  BlockEquations equations;
  const size_t n = PartialColumnEquations(*system, counts, slots, attempt, &equations);
  if (n > counts.partial_slots) return false;
  uint8_t pivots[kMaxBlockKeys];
  const CompactSlots columns = {
      OnesBelow64(counts.partial_slots),
      OnesBelow64(counts.partial_slots > kWordSlots ? counts.partial_slots - kWordSlots : 0)};
  bool agrees = true;
  Eliminate(&equations, n, columns, pivots, [&](size_t i) {
    pivots[i] = kNoPivot;
    if ((equations.first[i] | equations.second[i]) != 0) agrees = false;  // contradicts the others
  });
  if (!agrees) return false;
  for (size_t i = 0; i < n; ++i) {
    if (pivots[i] == kNoPivot) continue;
    const uint64_t bit = equations.second[i] >> kPartialRightShift << pivots[i] % kWordSlots;
    (pivots[i] < kWordSlots ? system->partial_column.word : system->partial_column.field) |= bit;
  }
  return true;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_PARTIAL_COLUMN_H_
