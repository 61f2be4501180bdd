// Solving a compact block by slices (slices.h): the same search as in solve_portable.cc, with the
// same result.
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
#include "src/filter/layouts/compact/solver/slices.h"
#include "src/filter/layouts/compact/solver/solve.h"

namespace bloomline::kernels {
namespace {

// The result of a search by slices. kUnknown: a rare case that it does not handle.
enum class SliceResult { kSolved, kNoSolution, kUnknown };

// The keys of a block as slices, and the solution of its partial column: the last one, which has
// fewer slots than the others, and binds only the keys that use it, by their selectors.
template <typename Simd>
class SliceKeys {
 public:
  using Bytes = typename Simd::Bytes;

  BLOOMLINE_SLICES_INLINE SliceKeys(const SliceLayout& slice_layout, const uint64_t* hashes,
                                    size_t n)
      : layout(slice_layout),
        has_upper(n > 64),
        keys_{OnesBelow64(static_cast<unsigned>(n)),
              has_upper ? OnesBelow64(static_cast<unsigned>(n - 64)) : 0} {
    enum { kSlots, kFields, kTail };
    alignas(64) uint64_t words[3][128];
    // The multiplications are in a separate loop, because vector instructions do not give their
    // upper halves. Compilers then make vector instructions of the next loop.
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = MakeCompactKey(hashes[i]);
      words[kSlots][i] = key.slots.word;
      words[kFields][i] = key.slots.field;
      words[kTail][i] = key.variable;
    }
    for (size_t i = 0; i < n; ++i) {
      const CompactKey key = {{words[kSlots][i], words[kFields][i]}, words[kTail][i]};
      words[kFields][i] = key.slots.field | uint64_t{Selector(hashes[i])} << 8 * kSelectorByte;
      words[kTail][i] = layout.Tail(hashes[i], key);
    }
    for (size_t i = n; i < (has_upper ? 128 : 64); ++i) {
      words[kSlots][i] = words[kFields][i] = words[kTail][i] = 0;
    }
    Columns columns;
    TransposeInto(words[kSlots], 0, kWordSlices, &columns);
    TransposeInto(words[kFields], kWordSlices, layout.tail, &columns);
    TakeSelectors(columns);
    TransposeInto(words[kTail], layout.tail, layout.end, &columns);
  }

  // Sets the keys' equations, none of which has a pivot yet.
  BLOOMLINE_SLICES_INLINE void Start(SliceSystem<Simd>* system) const {
    system->Start(keys_);
    for (unsigned i = 0; i < layout.end; ++i) {
      system->slices[i].low = slices_[i].low;
      if (has_upper) system->slices[i].high = slices_[i].high;
    }
  }

  // Bits 0 to 2 of the result are bits of the tail, from `bit` on.
  BLOOMLINE_SLICES_INLINE Slice<Simd> TailBits(const Slice<Simd>* slices, unsigned bit) const {
    const unsigned i = layout.tail + bit / 8;
    const unsigned next = std::min(i + 1, layout.end - 1);
    Slice<Simd> three;
    // The upper half too, so that no caller reads it uninitialized.
    three.low = three.high = ThreeBits(slices[i].low, slices[next].low, bit % 8);
    if (has_upper) three.high = ThreeBits(slices[i].high, slices[next].high, bit % 8);
    return three;
  }
  // What an attempt adds to slots 0 to 2 (WordInAttempt).
  BLOOMLINE_SLICES_INLINE Slice<Simd> Window(const Slice<Simd>* slices, unsigned attempt) const {
    return TailBits(slices, layout.window_shift() + attempt - kFirstAttempt);
  }

  BLOOMLINE_SLICES_INLINE SliceResult SolvePartialColumn(const ColumnCounts& counts, unsigned slots,
                                                         unsigned attempt,
                                                         CompactSlots* solution) const {
    if (counts.threshold == 0) return SliceResult::kSolved;
    uint64_t users[2];
    FindUsers(counts, SelectorSalt(slots, attempt), users);
    const int num_users = __builtin_popcountll(users[0]) + __builtin_popcountll(users[1]);
    if (static_cast<unsigned>(num_users) > counts.partial_slots) return SliceResult::kNoSolution;
    SliceSystem<Simd> system;
    system.Start(users);
    const unsigned right = (counts.partial_slots + 7) / 8;
    CopyUsers(counts, attempt, right, &system);
    const bool known =
        system.unused[1] != 0
            ? system.template EliminateSlots<true>(0, counts.partial_slots, right + 1)
            : system.template EliminateSlots<false>(0, counts.partial_slots, right + 1);
    if (!known) return SliceResult::kUnknown;
    // An equation that is not a pivot has no slots left: its right-hand side must be 0.
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
  const bool has_upper;  // keys from 64 on

 private:
  static constexpr unsigned kSelectorByte = 7;  // of the fields

  // Column i has byte i of each word.
  struct Columns {
    Bytes low[8];
    Bytes high[8];  // if has_upper
  };

  // The columns of the words become slices first to end - 1.
  BLOOMLINE_SLICES_TARGET void TransposeInto(const uint64_t* words, unsigned first, unsigned end,
                                             Columns* columns) {
    Simd::Transpose(words, columns->low);
    if (has_upper) Simd::Transpose(words + 64, columns->high);
    for (unsigned i = first; i < end; ++i) {
      slices_[i].low = columns->low[i - first];
      if (has_upper) slices_[i].high = columns->high[i - first];
    }
  }

  BLOOMLINE_SLICES_INLINE void TakeSelectors(const Columns& fields) {
    selectors_.low = fields.low[kSelectorByte];
    if (has_upper) selectors_.high = fields.high[kSelectorByte];
  }

  // Three bits of each 16, from `bit` on, by matrices whose rows move these bits to bits 0 to 2.
  BLOOMLINE_SLICES_INLINE static Bytes ThreeBits(const Bytes& slice, const Bytes& next,
                                                 unsigned bit) {
    constexpr uint64_t kRows = 0x040201;
    const Bytes bits = Simd::TimesMatrix(slice, Simd::FromRows(kRows << 8 * bit));
    if (bit <= 5) return bits;
    return Simd::Xor(bits, Simd::TimesMatrix(next, Simd::FromRows(kRows >> 8 * (8 - bit))));
  }

  // Keys that use the partial column.
  BLOOMLINE_SLICES_INLINE void FindUsers(const ColumnCounts& counts, unsigned salt,
                                         uint64_t users[2]) const {
    users[0] = keys_[0] & Simd::SumsBelow(selectors_.low, salt, counts.threshold);
    users[1] = has_upper ? keys_[1] & Simd::SumsBelow(selectors_.high, salt, counts.threshold) : 0;
  }

  // The slots of the partial column, and then its right-hand sides. Users from 64 on take the
  // places of other keys, as far as there are any.
  BLOOMLINE_SLICES_INLINE void CopyUsers(const ColumnCounts& counts, unsigned attempt,
                                         unsigned right, SliceSystem<Simd>* system) const {
    for (unsigned i = 0; i < right; ++i) system->slices[i] = slices_[i];
    system->slices[right] = slices_[layout.tail + counts.full / 8];
    const Slice<Simd> window = Window(slices_, attempt);
    system->slices[0].low = Simd::Xor(system->slices[0].low, window.low);
    if (has_upper) system->slices[0].high = Simd::Xor(system->slices[0].high, window.high);
    if (system->unused[1] != 0) system->BringUnused(0, right + 1);
  }

  const uint64_t keys_[2];  // bit i: key i exists
  Slice<Simd> slices_[kMaxSlices];
  Slice<Simd> selectors_;
};

// Bit i: in attempt kFirstAttempt + i, the variable slots of the n <= 3 equations with these tails
// are independent.
inline uint32_t AttemptsThatSolve(const uint64_t tails[kNumVariableSlots], unsigned n,
                                  const SliceLayout& layout) {
  uint32_t bits[kNumVariableSlots][kNumVariableSlots];
  for (unsigned i = 0; i < n; ++i) {
    const uint64_t variable = tails[i] >> layout.variable_shift;
    for (unsigned slot = 0; slot < kNumVariableSlots; ++slot) {
      bits[i][slot] = static_cast<uint32_t>(variable >> kNumVariableSlots >> slot) ^
                      (~static_cast<uint32_t>(variable >> slot & 1) + 1);
    }
  }
  if (n == 0) return ~0u;
  if (n == 1) return bits[0][0] | bits[0][1] | bits[0][2];
  const uint32_t minor12 = (bits[0][1] & bits[1][2]) ^ (bits[0][2] & bits[1][1]);
  const uint32_t minor02 = (bits[0][0] & bits[1][2]) ^ (bits[0][2] & bits[1][0]);
  const uint32_t minor01 = (bits[0][0] & bits[1][1]) ^ (bits[0][1] & bits[1][0]);
  if (n == 2) return minor12 | minor02 | minor01;
  return (minor12 & bits[2][0]) ^ (minor02 & bits[2][1]) ^ (minor01 & bits[2][2]);
}

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
      const ColumnCounts counts = CountColumns(payload_bits_, slots);
      for (uint32_t attempts = Attempts(); attempts != 0; attempts &= attempts - 1) {
        const unsigned attempt = kFirstAttempt + static_cast<unsigned>(__builtin_ctz(attempts));
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
  using Bytes = typename Simd::Bytes;

  // Slots that are kept for AddFixedSlot. A search that needs more is left to the portable solver.
  static constexpr unsigned kMoreSlots = 8;

  const SliceLayout& layout() const { return keys_.layout; }

  BLOOMLINE_SLICES_INLINE bool EliminateFixedSlots(unsigned slots) {
    return keys_.has_upper
               ? system_.template EliminateSlots<true>(kNumVariableSlots, slots, layout().end)
               : system_.template EliminateSlots<false>(kNumVariableSlots, slots, layout().end);
  }

  BLOOMLINE_SLICES_INLINE uint64_t Tail(unsigned equation) const {
    uint64_t tail = 0;
    for (unsigned i = layout().tail; i < layout().end; ++i) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&system_.slices[i].low);
      tail |= uint64_t{bytes[equation]} << 8 * (i - layout().tail);
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
          Tail(static_cast<unsigned>(__builtin_ctzll(left))) & layout().tail_without_partial();
      for (unsigned i = 0; i < n; ++i) tail = std::min(tail, tail ^ tails[i]);
      if (tail == 0) return false;
      tails[n++] = tail;
    }
    return true;
  }

  BLOOMLINE_SLICES_INLINE void AddFixedSlot(unsigned slot) {
    if (slot / 8 >= layout().tail) return;
    const Slice<Simd>& slice = system_.slices[slot / 8];
    if ((Simd::BitMask(slice.low, slot % 8) & system_.unused[0]) == 0) return;
    Eliminate(slice, slot / 8 * 8, 1u << slot % 8, slot / 8, layout().end);
  }

  BLOOMLINE_SLICES_INLINE void Eliminate(const Slice<Simd>& slice, unsigned first_slot,
                                         unsigned slots, unsigned first, unsigned end) {
    system_.NotePivots(first_slot, keys_.has_upper ? EliminateIn<true>(slice, slots, first, end)
                                                   : EliminateIn<false>(slice, slots, first, end));
  }
  template <bool kHasUpper>
  BLOOMLINE_SLICES_INLINE EightPivots EliminateIn(const Slice<Simd>& slice, unsigned slots,
                                                  unsigned first, unsigned end) {
    const auto chosen = system_.template Choose<kHasUpper>(slice, slots);
    for (unsigned i = first; i < end; ++i) chosen.template In<kHasUpper>(&system_.slices[i]);
    return chosen.pivots;
  }

  // The attempts in which the variable slots solve the equations that are left.
  BLOOMLINE_SLICES_INLINE uint32_t Attempts() const {
    uint64_t tails[kNumVariableSlots] = {};
    unsigned n = 0;
    for (uint64_t left = system_.unused[0]; left != 0; left &= left - 1) {
      if (n == kNumVariableSlots) return 0;
      tails[n++] = Tail(static_cast<unsigned>(__builtin_ctzll(left)));
    }
    return AttemptsThatSolve(tails, n, layout()) &
           static_cast<uint32_t>(OnesBelow64(range_.num_attempts()));
  }

  BLOOMLINE_SLICES_INLINE void Write(const ColumnCounts& counts, unsigned slots, unsigned attempt,
                                     CompactSlots partial, char* block) {
    // Slots 0 to 2 as this attempt has them. Their pivots change the right-hand sides alone:
    // nothing reads the other slices after this.
    Slice<Simd> variable = keys_.TailBits(system_.slices, layout().variable_shift);
    const Slice<Simd> window = keys_.Window(system_.slices, attempt);
    variable.low = Simd::Xor(variable.low, window.low);
    variable.high = Simd::Xor(variable.high, window.high);
    const unsigned right_end = layout().tail + (counts.full + 7) / 8;
    Eliminate(variable, 0, kVariableSlots, layout().tail, right_end);
    BlockColumns solution;
    for (unsigned first = 0; first < counts.full; first += 8) {
      const Slice<Simd>& right = system_.slices[layout().tail + first / 8];
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
    // Overwrites what the last eight masks left there. What they left in later columns is not read.
    solution.columns[counts.full] = partial;
    WriteSolvedBlock(solution, BlockArrangement(arrangement_, slots), slots,
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
