// Solving a compact block by slices (slices.h): the same search as in compact_portable.cc,
// with the same result.
//
//   once             eliminate the fixed slots, from 3 on. Few equations are left without a pivot.
//   each attempt     gives the variable slots, 0 to 2, other coefficients. Do they solve what is
//                    left (AttemptsThatSolve)? Has the partial column a solution? If both, the
//                    block is written.
//   none of them     one more slot, and all attempts again
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_SOLVER_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_SOLVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/attempt_search.h"
#include "src/filter/layouts/compact/solver/slice_keys.h"
#include "src/filter/layouts/compact/solver/slice_layout.h"
#include "src/filter/layouts/compact/solver/slices.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/compact/solver/writer.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

template <typename Simd>
class SliceSolver {
 public:
  BLOOMLINE_SLICES_TARGET SliceSolver(unsigned arrangement, const uint64_t* hashes, size_t num_keys)
      : arrangement_(arrangement),
        range_(num_keys),
        payload_bits_(kArrangements[arrangement].payload_bits()),
        keys_({std::min(range_.last_slots, range_.least_slots + kMoreSlots),
               payload_bits_ / range_.least_slots, WindowBits(SecondWordFor(range_.least_slots))},
              hashes, num_keys) {
    keys_.Start(&system_);
  }

  BLOOMLINE_SLICES_TARGET SliceResult Search(char* block) {
    unsigned slots = range_.least_slots;
    if (!EliminateFixedSlots(slots) || !LeftAreIndependent()) return SliceResult::kUnknown;
    for (; slots <= range_.last_slots; ++slots) {
      if (slots > layout().num_slots) return SliceResult::kUnknown;
      const ColumnCounts counts = ColumnCountsOf(payload_bits_, slots);
      for (uint32_t attempts = Attempts(); attempts != 0; attempts &= attempts - 1) {
        const unsigned attempt = kFirstAttempt + _tzcnt_u32(attempts);
        CompactSlots partial = {};
        const SliceResult result = keys_.SolvePartialColumn(counts, slots, attempt, &partial);
        if (result == SliceResult::kNoSolution) continue;
        if (result == SliceResult::kUnknown) return result;
        Write(counts, slots, attempt, partial, block);
        return result;
      }
      AddFixedSlot(slots);
    }
    return SliceResult::kNoSolution;
  }

 private:
  using Slice = typename Simd::Slice;

  // Slots that are kept for AddFixedSlot. A search that needs more is left to the portable solver.
  static constexpr unsigned kMoreSlots = 8;

  const SliceLayout& layout() const { return keys_.layout; }

  BLOOMLINE_SLICES_INLINE bool EliminateFixedSlots(unsigned slots) {
    return keys_.two ? EliminateSlots<true>(&system_, kNumVariableSlots, slots, layout().end)
                     : EliminateSlots<false>(&system_, kNumVariableSlots, slots, layout().end);
  }

  BLOOMLINE_SLICES_INLINE uint64_t TailOf(unsigned equation) const {
    uint64_t tail = 0;
    for (unsigned i = layout().tail; i < layout().end; ++i) {
      tail |= uint64_t{Simd::ByteOf(system_.slices[i].low, equation)} << 8 * (i - layout().tail);
    }
    return tail;
  }

  // False: the equations without a pivot may imply one another, or are many. These are left to
  // the portable solver, which drops equations that others imply. The minimum of tail and
  // tail ^ t clears the top bit of t in tail, so a tail that others imply ends as 0.
  BLOOMLINE_SLICES_INLINE bool LeftAreIndependent() const {
    constexpr unsigned kMany = 16;
    uint64_t tails[kMany];
    unsigned n = 0;
    for (uint64_t left = system_.unused[0]; left != 0; left &= left - 1) {
      if (n == kMany) return false;
      uint64_t tail =
          TailOf(static_cast<unsigned>(_tzcnt_u64(left))) & layout().tail_without_partial();
      for (unsigned i = 0; i < n; ++i) tail = std::min(tail, tail ^ tails[i]);
      if (tail == 0) return false;
      tails[n++] = tail;
    }
    return true;
  }

  BLOOMLINE_SLICES_INLINE void AddFixedSlot(unsigned slot) {
    if (slot / 8 >= layout().tail) return;
    const Slice& slice = system_.slices[slot / 8];
    if ((Simd::BitMask(slice.low, slot % 8) & system_.unused[0]) == 0) return;
    Eliminate(slice, slot / 8 * 8, 1u << slot % 8, slot / 8, layout().end);
  }

  BLOOMLINE_SLICES_INLINE void Eliminate(const Slice& slice, unsigned first_slot, unsigned slots,
                                         unsigned first, unsigned end) {
    system_.NotePivots(first_slot, keys_.two ? EliminateIn<true>(slice, slots, first, end)
                                             : EliminateIn<false>(slice, slots, first, end));
  }
  template <bool kTwo>
  BLOOMLINE_SLICES_INLINE EightPivots EliminateIn(const Slice& slice, unsigned slots,
                                                  unsigned first, unsigned end) {
    const Elimination<Simd> chosen = system_.template Choose<kTwo>(slice, slots);
    for (unsigned i = first; i < end; ++i) chosen.template In<kTwo>(&system_.slices[i]);
    return chosen.pivots;
  }

  // The attempts in which the variable slots solve the equations that are left.
  BLOOMLINE_SLICES_INLINE uint32_t Attempts() const {
    uint64_t tails[kNumVariableSlots] = {};
    unsigned n = 0;
    for (uint64_t left = system_.unused[0]; left != 0; left &= left - 1) {
      if (n == kNumVariableSlots) return 0;
      tails[n++] = TailOf(static_cast<unsigned>(_tzcnt_u64(left)));
    }
    return AttemptsThatSolve(tails, n, layout()) &
           static_cast<uint32_t>(OnesBelow64(range_.num_attempts()));
  }

  BLOOMLINE_SLICES_INLINE void Write(const ColumnCounts& counts, unsigned slots, unsigned attempt,
                                     CompactSlots partial, char* block) {
    // Slots 0 to 2 as this attempt has them. Their pivots change the right-hand sides alone:
    // nothing reads other slices any more.
    Slice variable = keys_.TailBits(system_.slices, layout().variable_shift);
    const Slice window = keys_.Window(system_.slices, attempt);
    variable.low = Simd::Xor(variable.low, window.low);
    variable.high = Simd::Xor(variable.high, window.high);
    const unsigned right_end = layout().tail + (counts.full + 7) / 8;
    Eliminate(variable, 0, kVariableSlots, layout().tail, right_end);
    BlockColumns solution;
    for (unsigned first = 0; first < counts.full; first += 8) {
      const Slice& right = system_.slices[layout().tail + first / 8];
      uint64_t masks[8];
      Simd::BitMasks(Simd::BytesAt(right, system_.pivots), masks);
      for (unsigned i = 0; i < 8; ++i) {
        solution.columns[first + i].word = masks[i] & system_.pivot_slots[0];
      }
      if (slots <= kWordSlots) continue;
      Simd::BitMasks(Simd::BytesAt(right, system_.pivots + kWordSlots), masks);
      for (unsigned i = 0; i < 8; ++i) {
        solution.columns[first + i].field = masks[i] & system_.pivot_slots[1];
      }
    }
    // Over what the last eight masks left there. What they left in later columns is not read.
    solution.columns[counts.full] = partial;
    WriteSolvedBlock(solution, ArrangementOfBlock(arrangement_, slots), slots,
                     HeaderBits(slots - kMinCompactSlots, attempt), block);
  }

  const unsigned arrangement_;
  const SearchRange range_;
  const unsigned payload_bits_;
  const SliceKeys<Simd> keys_;
  SliceSystem<Simd> system_;
};

// CompactKernel::solve.
template <typename Simd>
BLOOMLINE_SLICES_TARGET bool SolveBySlices(unsigned arrangement, const uint64_t* hashes, size_t n,
                                           char* block) {
  SliceSolver<Simd> solver(arrangement, hashes, n);
  const SliceResult result = solver.Search(block);
  return result == SliceResult::kUnknown ? PortableSolveCompact(arrangement, hashes, n, block)
                                         : result == SliceResult::kSolved;
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_SOLVER_H_
