// Solving a line of eight lanes: the search for a number of slots and a try. All of it inlines into
// the kernel, which brings the inner steps.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SOLVER_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SOLVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_partial_row.h"
#include "src/kernels/compact/compact_lanes_system.h"
#include "src/kernels/compact/compact_lanes_writer.h"

namespace bloomline::kernels {

// CompactKernel::lanes_solve. False: no number of slots and no try that a header can name has a
// solution. Otherwise the line is written. The inner steps:
//   ClearPair(LaneEquations*, size_t n, size_t pivot, bool in_second, uint64_t bit)
//     adds equation `pivot` to each other one that has `bit`;
//   ClearFourPairs(LaneEquations*, size_t n, size_t pivot, const FourPivots<2>&)
//     does so for equations pivot .. pivot + 3, one after the other;
//   ClearWord, ClearFourWords: the same for equations of one word.
// They may change what is behind n up to the next multiple of 8.
template <typename Steps>
BLOOMLINE_ALWAYS_INLINE bool SolveLanes(const uint64_t* hashes, size_t num_keys,
                                        uint32_t base_slots, char* line) {
  LaneSystem system(hashes, num_keys, base_slots);
  const unsigned last =
      std::min({system.base_slots + kNumCodes - 1, kMaxSlots, kLaneSlots + system.second.columns});
  unsigned slots = std::max(static_cast<unsigned>(system.size), system.base_slots);
  system.Start(slots);
  system.EliminateFixedSlots<Steps>(slots);
  for (; slots <= last; system.AddFixedSlot<Steps>(slots++)) {
    if (system.num_left > 3) continue;
    const LaneLayout& layout = kLaneTables.layouts[slots];
    const unsigned code = slots - system.base_slots;
    const unsigned num_tries =
        std::min(system.second.num_tries, HasManyTries(code) ? kManyTries : kFewTries);
    for (unsigned t = 0; t < num_tries; ++t) {
      if (!system.VariableSlotsSolve(t)) continue;
      const unsigned header = LaneHeader(code, t);
      if (!SolveLanePartialRow<Steps>(&system, layout, slots, t, header)) continue;
      system.Finish<Steps>(t);
      WriteLanes(system, layout, slots, header, line);
      return true;
    }
  }
  return false;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_SOLVER_H_
