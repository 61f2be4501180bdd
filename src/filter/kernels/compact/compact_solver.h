// Solving a compact block: the search for a number of slots and an attempt.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVER_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/always_inline.h"
#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_partial_column.h"
#include "src/filter/kernels/compact/compact_search.h"
#include "src/filter/kernels/compact/compact_system.h"
#include "src/filter/kernels/compact/compact_writer.h"

namespace bloomline::kernels {

BLOOMLINE_ALWAYS_INLINE void WriteSolution(const BlockSystem& system, const ColumnCounts& counts,
                                           unsigned arrangement, unsigned slots,
                                           uint64_t header_bits, char* block) {
  BlockColumns solution;
  for (unsigned first = 0; first < counts.full; first += 8) {
    uint8_t slot_bits[2 * kWordSlots] = {};
    for (size_t i = 0; i < system.size; ++i) {
      if (system.pivots[i] == kNoPivot) continue;
      slot_bits[system.pivots[i]] =
          static_cast<uint8_t>(system.equations.second[i] >> system.second.right_shift >> first);
    }
    SetEightColumns(slot_bits, first, slots, &solution);
  }
  solution.columns[counts.full] = system.partial_column;
  WriteSolvedBlock(solution, arrangement, slots, header_bits, block);
}

// CompactKernel::solve.
BLOOMLINE_ALWAYS_INLINE bool SolveBlock(unsigned arrangement, const uint64_t* hashes,
                                        size_t num_keys, char* block) {
  const SearchRange range(num_keys);
  const unsigned payload_bits = kArrangements[arrangement].payload_bits();
  unsigned slots = range.least_slots;
  BlockSystem system(hashes, num_keys, slots);
  system.Start(payload_bits / slots);
  system.EliminateFixedSlots(slots);
  for (; slots <= range.last_slots; system.AddFixedSlot(slots++)) {
    if (system.num_left > kNumVariableSlots) continue;
    const ColumnCounts counts = ColumnCountsOf(payload_bits, slots);
    for (unsigned attempt = kFirstAttempt; attempt <= range.last_attempt; ++attempt) {
      if (!system.VariableSlotsSolve(attempt)) continue;
      if (!SolvePartialColumn(&system, counts, slots, attempt)) continue;
      system.Finish(attempt);
      WriteSolution(system, counts, ArrangementOfBlock(arrangement, slots), slots,
                    HeaderBits(slots - kMinCompactSlots, attempt), block);
      return true;
    }
  }
  return false;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVER_H_
