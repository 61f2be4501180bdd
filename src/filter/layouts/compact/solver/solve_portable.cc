// The specification of solving a compact block: Gauss-Jordan elimination over GF(2), one equation
// per key for all full columns at once, and a search for a number of slots and an attempt.
//
// The unknowns are the slots: first the fixed ones in order, then the three variable ones, whose
// coefficients depend on the attempt. The fixed ones are eliminated once, and one more with each
// number of slots. Attempts are tried where at most three equations are left, in three unknowns. A
// slot is a pivot if it is independent of those before it, and all other slots get 0. So there is
// one solution for a number of slots and an attempt, and every kernel finds it.
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/solved_block.h"
#include "src/filter/layouts/compact/solver/solve.h"

// No anonymous namespace: with one, GCC 12 makes other code, which takes 2 to 5 % longer.
namespace bloomline::kernels {

constexpr size_t kMaxBlockKeys = kMaxCompactSlots;

// In place of a pivot's slot: the other equations imply this one.
constexpr uint8_t kNoPivot = 0xFF;

// Equations of two words. For the full columns, `first` has slots 0 to 63; `second` has, from bit
// 0, the slots from 64 on, the bits of which the variable slots are made, and the right-hand sides
// of all full columns. For the partial column they have the same slots, and its right-hand side in
// the uppermost bit of `second`.
struct BlockEquations {
  uint64_t first[kMaxBlockKeys] = {};
  uint64_t second[kMaxBlockKeys] = {};
};

// Adds equation `pivot` to each other one that has `bit`. Four at a time: at -O2, GCC makes vector
// instructions only of loops whose length it knows.
BLOOMLINE_ALWAYS_INLINE void ClearBit(BlockEquations* equations, size_t n, size_t pivot,
                                      bool in_second, uint64_t bit) {
  constexpr size_t kAtOnce = 4;
  static_assert(kMaxBlockKeys % kAtOnce == 0);
  const uint64_t first = equations->first[pivot];
  const uint64_t second = equations->second[pivot];
  const uint64_t* tested = in_second ? equations->second : equations->first;
  const int shift = __builtin_ctzll(bit);
  for (size_t i = 0; i < n; i += kAtOnce) {
    uint64_t masks[kAtOnce];
    for (size_t j = 0; j < kAtOnce; ++j) masks[j] = ~(tested[i + j] >> shift & 1) + 1;
    for (size_t j = 0; j < kAtOnce; ++j) equations->first[i + j] ^= first & masks[j];
    for (size_t j = 0; j < kAtOnce; ++j) equations->second[i + j] ^= second & masks[j];
  }
  equations->first[pivot] = first;
  equations->second[pivot] = second;
}

// Gauss-Jordan elimination of the equations in the given slots. An equation without a pivot is
// given to on_left(i), which has to set pivots[i]. Pivots are slots.
template <typename OnLeft>
BLOOMLINE_ALWAYS_INLINE void Eliminate(BlockEquations* equations, size_t n, CompactSlots columns,
                                       uint8_t* pivots, OnLeft on_left) {
  for (size_t i = 0; i < n; ++i) {
    if (const uint64_t bits = equations->first[i] & columns.word; bits != 0) {
      pivots[i] = static_cast<uint8_t>(__builtin_ctzll(bits));
      ClearBit(equations, n, i, false, bits & (~bits + 1));
    } else if (const uint64_t more = equations->second[i] & columns.field; more != 0) {
      pivots[i] = static_cast<uint8_t>(kWordSlots + static_cast<unsigned>(__builtin_ctzll(more)));
      ClearBit(equations, n, i, true, more & (~more + 1));
    } else {
      on_left(i);
    }
  }
}

// The state of a block while it is solved. Call in this order: Start, EliminateFixedSlots, any
// number of AddFixedSlot and VariableSlotsSolve, and Finish with an attempt for which
// VariableSlotsSolve is true.
struct BlockSystem {
  BlockSystem(const uint64_t* key_hashes, size_t num_keys, unsigned least_slots)
      : hashes(key_hashes), size(num_keys), second(SecondWordFor(least_slots)) {}

  BLOOMLINE_ALWAYS_INLINE void Start(unsigned num_columns) {
    const uint64_t right_mask = OnesBelow64(num_columns);
    const uint64_t field_mask = OnesBelow64(second.field_slots);
    const uint64_t window_mask = OnesBelow64(WindowBits(second));
    for (size_t i = 0; i < size; ++i) {
      const CompactKey& key = keys[i] = MakeCompactKey(hashes[i]);
      equations.first[i] = key.slots.word;
      equations.second[i] = (key.slots.field & field_mask) |
                            (key.variable >> kFirstAttempt & window_mask) << second.field_slots |
                            (hashes[i] & right_mask) << second.right_shift;
    }
  }

  // The coefficients of equation i's variable slots in an attempt.
  BLOOMLINE_ALWAYS_INLINE uint64_t VariableSlots(size_t i, unsigned attempt) const {
    return (equations.first[i] ^
            equations.second[i] >> second.field_slots >> (attempt - kFirstAttempt)) &
           kVariableSlots;
  }

  // An equation that is left has no fixed slot, so no later pivot changes it. It is dropped if it
  // is a sum of others that are left, so the result does not depend on the order of the keys.
  BLOOMLINE_ALWAYS_INLINE void EliminateFixedSlots(unsigned num_slots) {
    const CompactSlots columns = {OnesBelow64(num_slots) & ~kVariableSlots,
                                  OnesBelow64(num_slots > kWordSlots ? num_slots - kWordSlots : 0)};
    num_left = 0;
    EquationSpan<kMaxBlockKeys> span_of_left;
    Eliminate(&equations, size, columns, pivots, [&](size_t i) {
      pivots[i] = kNoPivot;
      if (span_of_left.Add(equations.first[i], equations.second[i])) {
        left[num_left++] = static_cast<uint8_t>(i);
      }
    });
  }

  // Slot number `slot` joins the fixed ones.
  BLOOMLINE_ALWAYS_INLINE void AddFixedSlot(unsigned slot) {
    const bool in_field = slot >= kWordSlots;
    const uint64_t bit = uint64_t{1} << slot % kWordSlots;
    const uint64_t* words = in_field ? equations.second : equations.first;
    for (unsigned j = 0; j < num_left; ++j) {
      const size_t i = left[j];
      if ((words[i] & bit) == 0) continue;
      pivots[i] = static_cast<uint8_t>(slot);
      ClearBit(&equations, size, i, in_field, bit);
      left[j] = left[--num_left];
      return;
    }
  }

  // Whether the equations left, at most three, are independent in the variable slots.
  BLOOMLINE_ALWAYS_INLINE bool VariableSlotsSolve(unsigned attempt) const {
    uint64_t bits[kNumVariableSlots];
    for (unsigned j = 0; j < num_left; ++j) bits[j] = VariableSlots(left[j], attempt);
    for (unsigned sums = 1; sums < 1u << num_left; ++sums) {
      uint64_t sum = 0;
      for (unsigned j = 0; j < num_left; ++j) sum ^= (sums >> j & 1) != 0 ? bits[j] : 0;
      if (sum == 0) return false;
    }
    return true;
  }

  // After this each equation has its own pivot and no other's.
  BLOOMLINE_ALWAYS_INLINE void Finish(unsigned attempt) {
    for (size_t i = 0; i < size; ++i) {
      equations.first[i] = (equations.first[i] & ~kVariableSlots) | VariableSlots(i, attempt);
    }
    for (unsigned j = 0; j < num_left; ++j) {
      const size_t i = left[j];
      const uint64_t bits = equations.first[i] & kVariableSlots;
      pivots[i] = static_cast<uint8_t>(__builtin_ctzll(bits));
      ClearBit(&equations, size, i, false, bits & (~bits + 1));
    }
  }

  const uint64_t* const hashes;
  const size_t size;
  const SecondWord second;
  unsigned num_left = 0;
  CompactSlots partial_column = {};
  BlockEquations equations;
  CompactKey keys[kMaxBlockKeys];
  uint8_t pivots[kMaxBlockKeys];
  uint8_t left[kMaxBlockKeys];  // equations without a pivot so far
};

// The partial column is a separate system, of the keys that use this column.
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
    CompactSlots& column = system->partial_column;
    auto& half = pivots[i] < kWordSlots ? column.word : column.field;
    half |= bit;
  }
  return true;
}

// An 8 x 8 matrix of bits: bit j of byte i becomes bit i of byte j. Hacker's Delight, 7-3.
BLOOMLINE_ALWAYS_INLINE uint64_t Transposed8x8(uint64_t x) {
  uint64_t swap = (x ^ x >> 7) & 0x00AA00AA00AA00AA;
  x ^= swap ^ swap << 7;
  swap = (x ^ x >> 14) & 0x0000CCCC0000CCCC;
  x ^= swap ^ swap << 14;
  swap = (x ^ x >> 28) & 0x00000000F0F0F0F0;
  return x ^ swap ^ swap << 28;
}

// Bit c of slot_bits[j] is slot j of column first_column + c.
BLOOMLINE_ALWAYS_INLINE void SetEightColumns(const uint8_t slot_bits[2 * kWordSlots],
                                             unsigned first_column, unsigned slots,
                                             BlockColumns* block) {
  for (unsigned slot = 0; slot < slots; slot += 8) {
    const uint64_t bits =
        Transposed8x8(LoadLittleEndian64(reinterpret_cast<const char*>(slot_bits + slot)));
    for (unsigned c = 0; c < 8; ++c) {
      CompactSlots& column = block->columns[first_column + c];
      uint64_t& half = slot < kWordSlots ? column.word : column.field;
      half |= (bits >> 8 * c & 0xFF) << slot % kWordSlots;
    }
  }
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
    const ColumnCounts counts = CountColumns(payload_bits, slots);
    for (unsigned attempt = kFirstAttempt; attempt <= range.last_attempt; ++attempt) {
      if (!system.VariableSlotsSolve(attempt)) continue;
      if (!SolvePartialColumn(&system, counts, slots, attempt)) continue;
      system.Finish(attempt);
      WriteSolution(system, counts, BlockArrangement(arrangement, slots), slots,
                    HeaderBits(slots - kMinCompactSlots, attempt), block);
      return true;
    }
  }
  return false;
}

}  // namespace bloomline::kernels
