// Solving a compact block by slices (compact_slices.h): the same search as in compact_portable.cc,
// with the same result. For a kernel's .cc file, after compact_slices.h.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SLICE_SOLVER_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SLICE_SOLVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_search.h"
#include "src/filter/kernels/compact/compact_slice_layout.h"
#include "src/filter/kernels/compact/compact_slices.h"
#include "src/filter/kernels/compact/compact_writer.h"

namespace bloomline::kernels {
namespace {

// What a search by slices finds. kUnknown: a rare case that it does not handle.
enum class SliceResult { kSolved, kNoSolution, kUnknown };

class SliceSolver {
 public:
  BLOOMLINE_SLICES_TARGET SliceSolver(unsigned arrangement, const uint64_t* hashes, size_t num_keys)
      : arrangement_(arrangement),
        range_(num_keys),
        payload_bits_(kArrangements[arrangement].payload_bits()),
        layout_(std::min(range_.last_slots, range_.least_slots + kMoreSlots),
                payload_bits_ / range_.least_slots, WindowBits(SecondWordFor(range_.least_slots))) {
    Load(hashes, num_keys);
  }

  BLOOMLINE_SLICES_TARGET SliceResult Search(char* block) {
    unsigned slots = range_.least_slots;
    if (!EliminateFixedSlots(slots) || !LeftAreIndependent()) return SliceResult::kUnknown;
    for (; slots <= range_.last_slots; ++slots) {
      if (slots > layout_.num_slots) return SliceResult::kUnknown;
      const ColumnCounts counts = ColumnCountsOf(payload_bits_, slots);
      for (uint32_t attempts = Attempts(); attempts != 0; attempts &= attempts - 1) {
        const unsigned attempt = kFirstAttempt + _tzcnt_u32(attempts);
        CompactSlots partial = {};
        const SliceResult result = SolvePartialColumn(counts, slots, attempt, &partial);
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
  // Slots that are kept for AddFixedSlot. A search that needs more is left to the portable solver.
  static constexpr unsigned kMoreSlots = 8;
  static constexpr unsigned kSelectorByte = 7;  // of the fields

  BLOOMLINE_SLICES_INLINE void Load(const uint64_t* hashes, size_t n) {
    alignas(64) uint64_t words[3][128];
    // The multiplications first, so that compilers find the rest to be vector instructions.
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = CompactKeyOf(hashes[i]);
      words[0][i] = key.slots.word;
      words[1][i] = key.slots.field;
      words[2][i] = key.variable;
    }
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = {{words[0][i], words[1][i]}, words[2][i]};
      words[1][i] = key.slots.field | uint64_t{SelectorOf(hashes[i])} << 8 * kSelectorByte;
      words[2][i] = layout_.TailOf(hashes[i], key);
    }
    two_ = n > 64;
    for (size_t i = n; i < (two_ ? 128 : 64); ++i) words[0][i] = words[1][i] = words[2][i] = 0;
    system_.unused[0] = OnesBelow64(static_cast<unsigned>(n));
    system_.unused[1] = two_ ? OnesBelow64(static_cast<unsigned>(n - 64)) : 0;
    system_.pivot_slots[0] = system_.pivot_slots[1] = 0;
    std::fill(system_.pivots, system_.pivots + sizeof(system_.pivots), uint8_t{0});
    Bytes columns[2][8];
    for (unsigned word = 0; word < 3; ++word) {
      const unsigned first = word == 0 ? 0 : word == 1 ? kWordSlices : layout_.tail;
      const unsigned end = word == 0 ? kWordSlices : word == 1 ? layout_.tail : layout_.end;
      Transpose(words[word], columns[0]);
      if (two_) Transpose(words[word] + 64, columns[1]);
      for (unsigned i = first; i < end; ++i) {
        system_.slices[i].low = keys_[i].low = columns[0][i - first];
        if (two_) system_.slices[i].high = keys_[i].high = columns[1][i - first];
      }
      if (word != 1) continue;
      selectors_.low = columns[0][kSelectorByte];
      if (two_) selectors_.high = columns[1][kSelectorByte];
    }
    keys_in_[0] = system_.unused[0];
    keys_in_[1] = system_.unused[1];
  }

  BLOOMLINE_SLICES_INLINE bool EliminateFixedSlots(unsigned slots) {
    return two_ ? EliminateSlots<true>(&system_, kNumVariableSlots, slots, layout_.end)
                : EliminateSlots<false>(&system_, kNumVariableSlots, slots, layout_.end);
  }

  BLOOMLINE_SLICES_INLINE uint64_t TailOf(unsigned equation) const {
    uint64_t tail = 0;
    for (unsigned i = layout_.tail; i < layout_.end; ++i) {
      tail |= uint64_t{ByteOf(system_.slices[i].low, equation)} << 8 * (i - layout_.tail);
    }
    return tail;
  }

  // False: the equations without a pivot may imply one another, or are many. These are left to
  // the portable solver, which drops equations by what it keeps of them.
  BLOOMLINE_SLICES_INLINE bool LeftAreIndependent() const {
    constexpr unsigned kMany = 16;
    uint64_t tails[kMany];
    unsigned n = 0;
    for (uint64_t left = system_.unused[0]; left != 0; left &= left - 1) {
      if (n == kMany) return false;
      uint64_t tail =
          TailOf(static_cast<unsigned>(_tzcnt_u64(left))) & layout_.tail_without_partial();
      for (unsigned i = 0; i < n; ++i) tail = std::min(tail, tail ^ tails[i]);
      if (tail == 0) return false;
      tails[n++] = tail;
    }
    return true;
  }

  BLOOMLINE_SLICES_INLINE void AddFixedSlot(unsigned slot) {
    if (slot / 8 >= layout_.tail) return;
    const Slice& slice = system_.slices[slot / 8];
    if ((BitMask(slice.low, slot % 8) & system_.unused[0]) == 0) return;
    Eliminate(slice, slot / 8 * 8, 1u << slot % 8, slot / 8, layout_.end);
  }

  BLOOMLINE_SLICES_INLINE void Eliminate(const Slice& slice, unsigned first_slot, unsigned slots,
                                         unsigned first, unsigned end) {
    system_.NotePivots(first_slot, two_ ? EliminateIn<true>(slice, slots, first, end)
                                        : EliminateIn<false>(slice, slots, first, end));
  }
  template <bool kTwo>
  BLOOMLINE_SLICES_INLINE EightPivots EliminateIn(const Slice& slice, unsigned slots,
                                                  unsigned first, unsigned end) {
    const Elimination chosen = system_.template Choose<kTwo>(slice, slots);
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
    return AttemptsThatSolve(tails, n, layout_) &
           static_cast<uint32_t>(OnesBelow64(range_.num_attempts()));
  }

  // Bits 0 to 2 of the result are bits of the tail, from `bit` on.
  BLOOMLINE_SLICES_INLINE Bytes ThreeBits(Bytes slice, Bytes next, unsigned bit) const {
    const Bytes bits = ShiftedRight(slice, bit % 8);
    return And(bit % 8 <= 5 ? bits : Xor(bits, ShiftedLeft(next, 8 - bit % 8)), kVariableSlots);
  }
  BLOOMLINE_SLICES_INLINE Slice TailBits(const Slice* slices, unsigned bit) const {
    const unsigned i = layout_.tail + bit / 8;
    const unsigned next = std::min(i + 1, layout_.end - 1);
    Slice three;
    three.low = three.high = ThreeBits(slices[i].low, slices[next].low, bit);
    if (two_) three.high = ThreeBits(slices[i].high, slices[next].high, bit);
    return three;
  }
  BLOOMLINE_SLICES_INLINE Slice Window(const Slice* slices, unsigned attempt) const {
    return TailBits(slices, layout_.window_shift() + attempt - kFirstAttempt);
  }

  // Keys that use the partial column.
  BLOOMLINE_SLICES_INLINE void FindUsers(const ColumnCounts& counts, unsigned salt,
                                         uint64_t users[2]) const {
    users[0] = keys_in_[0] & SumsBelow(selectors_.low, salt, counts.threshold);
    users[1] = two_ ? keys_in_[1] & SumsBelow(selectors_.high, salt, counts.threshold) : 0;
  }

  BLOOMLINE_SLICES_INLINE SliceResult SolvePartialColumn(const ColumnCounts& counts, unsigned slots,
                                                         unsigned attempt, CompactSlots* solution) {
    if (counts.threshold == 0) return SliceResult::kSolved;
    SliceSystem system;
    FindUsers(counts, SelectorSalt(slots, attempt), system.unused);
    const int64_t num_users = _mm_popcnt_u64(system.unused[0]) + _mm_popcnt_u64(system.unused[1]);
    if (num_users > counts.partial_slots) return SliceResult::kNoSolution;
    const unsigned right = (counts.partial_slots + 7) / 8;
    CopyUsers(counts, attempt, right, &system);
    const bool known = system.unused[1] != 0
                           ? EliminateSlots<true>(&system, 0, counts.partial_slots, right + 1)
                           : EliminateSlots<false>(&system, 0, counts.partial_slots, right + 1);
    if (!known) return SliceResult::kUnknown;
    const unsigned bit = counts.full % 8;
    if ((BitMask(system.slices[right].low, bit) & system.unused[0]) != 0) {
      return SliceResult::kNoSolution;
    }
    solution->word =
        BitMask(BytesAt(system.slices[right], system.pivots), bit) & system.pivot_slots[0];
    if (counts.partial_slots > kWordSlots) {
      solution->field = BitMask(BytesAt(system.slices[right], system.pivots + kWordSlots), bit) &
                        system.pivot_slots[1];
    }
    return SliceResult::kSolved;
  }

  // The slots of the partial column, and then its right-hand sides.
  BLOOMLINE_SLICES_INLINE void CopyUsers(const ColumnCounts& counts, unsigned attempt,
                                         unsigned right, SliceSystem* system) const {
    system->pivot_slots[0] = system->pivot_slots[1] = 0;
    std::fill(system->pivots, system->pivots + sizeof(system->pivots), uint8_t{0});
    for (unsigned i = 0; i < right; ++i) system->slices[i] = keys_[i];
    system->slices[right] = keys_[layout_.tail + counts.full / 8];
    const Slice window = Window(keys_, attempt);
    system->slices[0].low = Xor(system->slices[0].low, window.low);
    if (two_) system->slices[0].high = Xor(system->slices[0].high, window.high);
    if (system->unused[1] == 0) return;
    const EquationPairs pairs(~system->unused[0], system->unused[1]);
    const Exchange exchange(pairs);
    for (unsigned i = 0; i <= right; ++i) exchange.In(&system->slices[i]);
    for (unsigned i = 0; i < pairs.size; ++i) {
      system->unused[0] |= uint64_t{1} << pairs.low[i];
      system->unused[1] &= system->unused[1] - 1;
    }
  }

  BLOOMLINE_SLICES_INLINE void Write(const ColumnCounts& counts, unsigned slots, unsigned attempt,
                                     CompactSlots partial, char* block) {
    Slice variable = TailBits(system_.slices, layout_.variable_shift);
    const Slice window = Window(system_.slices, attempt);
    variable.low = Xor(variable.low, window.low);
    variable.high = Xor(variable.high, window.high);
    const unsigned right_end = layout_.tail + (counts.full + 7) / 8;
    Eliminate(variable, 0, kVariableSlots, layout_.tail, right_end);
    BlockColumns solution;
    for (unsigned first = 0; first < counts.full; first += 8) {
      const Slice& right = system_.slices[layout_.tail + first / 8];
      uint64_t masks[8];
      BitMasks(BytesAt(right, system_.pivots), masks);
      for (unsigned i = 0; i < 8; ++i) {
        solution.columns[first + i].word = masks[i] & system_.pivot_slots[0];
      }
      if (slots <= kWordSlots) continue;
      BitMasks(BytesAt(right, system_.pivots + kWordSlots), masks);
      for (unsigned i = 0; i < 8; ++i) {
        solution.columns[first + i].field = masks[i] & system_.pivot_slots[1];
      }
    }
    solution.columns[counts.full] = partial;
    WriteSolvedBlock(solution, ArrangementOfBlock(arrangement_, slots), slots,
                     HeaderBits(slots - kMinCompactSlots, attempt), block);
  }

  const unsigned arrangement_;
  const SearchRange range_;
  const unsigned payload_bits_;
  const SliceLayout layout_;
  bool two_ = false;  // more than 64 keys
  SliceSystem system_;
  Slice keys_[kMaxSlices];  // as they were before the elimination
  Slice selectors_;
  uint64_t keys_in_[2];
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SLICE_SOLVER_H_
