// The keys of a compact block as slices (slices.h), and the solution of its partial column:
// the last one, which has fewer slots than the others, and binds only the keys that use it, by
// their selectors.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_KEYS_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/slice_layout.h"
#include "src/filter/layouts/compact/solver/slices.h"

namespace bloomline::kernels {
namespace {

// What a search by slices finds. kUnknown: a rare case that it does not handle.
enum class SliceResult { kSolved, kNoSolution, kUnknown };

template <typename Simd>
class SliceKeys {
 public:
  using Slice = typename Simd::Slice;

  BLOOMLINE_SLICES_INLINE SliceKeys(const SliceLayout& slice_layout, const uint64_t* hashes,
                                    size_t n)
      : layout(slice_layout),
        two(n > 64),
        keys_{OnesBelow64(static_cast<unsigned>(n)),
              two ? OnesBelow64(static_cast<unsigned>(n - 64)) : 0} {
    alignas(64) uint64_t words[3][128];
    // The multiplications, whose upper halves vector instructions do not give, in a loop of their
    // own, so that compilers make vector instructions of the next one.
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = CompactKeyOf(hashes[i]);
      words[0][i] = key.slots.word;
      words[1][i] = key.slots.field;
      words[2][i] = key.variable;
    }
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = {{words[0][i], words[1][i]}, words[2][i]};
      words[1][i] = key.slots.field | uint64_t{SelectorOf(hashes[i])} << 8 * kSelectorByte;
      words[2][i] = layout.TailOf(hashes[i], key);
    }
    for (size_t i = n; i < (two ? 128 : 64); ++i) words[0][i] = words[1][i] = words[2][i] = 0;
    Bytes columns[2][8];
    for (unsigned word = 0; word < 3; ++word) {
      const unsigned first = word == 0 ? 0 : word == 1 ? kWordSlices : layout.tail;
      const unsigned end = word == 0 ? kWordSlices : word == 1 ? layout.tail : layout.end;
      Simd::Transpose(words[word], columns[0]);
      if (two) Simd::Transpose(words[word] + 64, columns[1]);
      for (unsigned i = first; i < end; ++i) {
        slices_[i].low = columns[0][i - first];
        if (two) slices_[i].high = columns[1][i - first];
      }
      if (word != 1) continue;
      selectors_.low = columns[0][kSelectorByte];
      if (two) selectors_.high = columns[1][kSelectorByte];
    }
  }

  // Their equations, none of which has a pivot yet.
  BLOOMLINE_SLICES_INLINE void Start(SliceSystem<Simd>* system) const {
    system->Start(keys_);
    for (unsigned i = 0; i < layout.end; ++i) {
      system->slices[i].low = slices_[i].low;
      if (two) system->slices[i].high = slices_[i].high;
    }
  }

  // Bits 0 to 2 of the result are bits of the tail, from `bit` on.
  BLOOMLINE_SLICES_INLINE Slice TailBits(const Slice* slices, unsigned bit) const {
    const unsigned i = layout.tail + bit / 8;
    const unsigned next = std::min(i + 1, layout.end - 1);
    Slice three;
    // The upper half too, so that no caller reads it uninitialized.
    three.low = three.high = ThreeBits(slices[i].low, slices[next].low, bit);
    if (two) three.high = ThreeBits(slices[i].high, slices[next].high, bit);
    return three;
  }
  // What an attempt adds to slots 0 to 2: WordInAttempt.
  BLOOMLINE_SLICES_INLINE Slice Window(const Slice* slices, unsigned attempt) const {
    return TailBits(slices, layout.window_shift() + attempt - kFirstAttempt);
  }

  BLOOMLINE_SLICES_INLINE SliceResult SolvePartialColumn(const ColumnCounts& counts, unsigned slots,
                                                         unsigned attempt,
                                                         CompactSlots* solution) const {
    if (counts.threshold == 0) return SliceResult::kSolved;
    uint64_t users[2];
    FindUsers(counts, SelectorSalt(slots, attempt), users);
    const int64_t num_users = _mm_popcnt_u64(users[0]) + _mm_popcnt_u64(users[1]);
    if (num_users > counts.partial_slots) return SliceResult::kNoSolution;
    SliceSystem<Simd> system;
    system.Start(users);
    const unsigned right = (counts.partial_slots + 7) / 8;
    CopyUsers(counts, attempt, right, &system);
    const bool known = system.unused[1] != 0
                           ? EliminateSlots<true>(&system, 0, counts.partial_slots, right + 1)
                           : EliminateSlots<false>(&system, 0, counts.partial_slots, right + 1);
    if (!known) return SliceResult::kUnknown;
    // An equation that is no pivot has no slots left: its right-hand side must be 0.
    const unsigned bit = counts.full % 8;
    if ((Simd::BitMask(system.slices[right].low, bit) & system.unused[0]) != 0) {
      return SliceResult::kNoSolution;
    }
    // Slot j is the right-hand side of its pivot, or 0 without one.
    solution->word = Simd::BitMask(Simd::BytesAt(system.slices[right], system.pivots), bit) &
                     system.pivot_slots[0];
    if (counts.partial_slots > kWordSlots) {
      solution->field =
          Simd::BitMask(Simd::BytesAt(system.slices[right], system.pivots + kWordSlots), bit) &
          system.pivot_slots[1];
    }
    return SliceResult::kSolved;
  }

  const SliceLayout layout;
  const bool two;  // more than 64 keys

 private:
  using Bytes = typename Simd::Bytes;

  static constexpr unsigned kSelectorByte = 7;  // of the fields

  BLOOMLINE_SLICES_INLINE static Bytes ThreeBits(Bytes slice, Bytes next, unsigned bit) {
    const Bytes bits = Simd::ShiftedRight(slice, bit % 8);
    return Simd::And(bit % 8 <= 5 ? bits : Simd::Xor(bits, Simd::ShiftedLeft(next, 8 - bit % 8)),
                     kVariableSlots);
  }

  // Keys that use the partial column.
  BLOOMLINE_SLICES_INLINE void FindUsers(const ColumnCounts& counts, unsigned salt,
                                         uint64_t users[2]) const {
    users[0] = keys_[0] & Simd::SumsBelow(selectors_.low, salt, counts.threshold);
    users[1] = two ? keys_[1] & Simd::SumsBelow(selectors_.high, salt, counts.threshold) : 0;
  }

  // The slots of the partial column, and then its right-hand sides. Users from 64 on take the
  // places of other keys, as far as there are any.
  BLOOMLINE_SLICES_INLINE void CopyUsers(const ColumnCounts& counts, unsigned attempt,
                                         unsigned right, SliceSystem<Simd>* system) const {
    for (unsigned i = 0; i < right; ++i) system->slices[i] = slices_[i];
    system->slices[right] = slices_[layout.tail + counts.full / 8];
    const Slice window = Window(slices_, attempt);
    system->slices[0].low = Simd::Xor(system->slices[0].low, window.low);
    if (two) system->slices[0].high = Simd::Xor(system->slices[0].high, window.high);
    if (system->unused[1] == 0) return;
    const EquationPairs pairs(~system->unused[0], system->unused[1]);
    const typename Simd::Exchange exchange(pairs);
    for (unsigned i = 0; i <= right; ++i) exchange.In(&system->slices[i]);
    for (unsigned i = 0; i < pairs.size; ++i) {
      system->unused[0] |= uint64_t{1} << pairs.low[i];
      system->unused[1] &= system->unused[1] - 1;
    }
  }

  const uint64_t keys_[2];  // bit i: key i exists
  Slice slices_[kMaxSlices];
  Slice selectors_;
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICE_KEYS_H_
