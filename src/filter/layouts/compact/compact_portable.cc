// The specification of compact queries and of their solver, which searches for a number of slots
// and an attempt.
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/compact_query.h"
#include "src/filter/layouts/compact/solver/attempt_search.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/compact/solver/system.h"
#include "src/filter/layouts/compact/solver/writer.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

struct Query : PlainQuery<Query> {};

// The partial column is a system of its own, of the keys that use this column.
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

}  // namespace

bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t num_keys,
                          char* block) {
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

CompactKernel PortableCompact() { return CompactKernelOf<Query>(PortableSolveCompact); }

}  // namespace bloomline::kernels
