// Computes the columns of a small set's block by Gaussian elimination over GF(2), one equation per
// key for all columns and all attempts at once.
//
// An equation is two words: the key's fixed coefficients, and its hash, whose bits are the right
// side of each column and the variable coefficients of each attempt. Both words are XORed when one
// equation is added to another. The keys of the partial column come first. Once they are reduced by
// its slots, its solution can be read, and the elimination continues for the full columns.
//
// All of it inlines into the kernel, which supplies the inner step.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_SOLVER_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_SOLVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline::kernels::small_set {

BLOOMLINE_ALWAYS_INLINE uint64_t AllOnesIf(uint64_t bit) { return ~(bit & 1) + 1; }

// ---- Gaussian elimination over GF(2), four pivots at a time.

constexpr size_t kMaxEquations = 64;  // one more than there are: whole registers
static_assert(kMaxBlockSlots < kMaxEquations);

// The pivot of an equation is a slot that no other equation has.
struct Equations {
  alignas(64) uint64_t slots[kMaxEquations];
  alignas(64) uint64_t hashes[kMaxEquations];
  uint8_t pivots[kMaxEquations];
  uint64_t with_pivot = 0;  // bit i: equation i has one
};

// Sums of equations over GF(2), each of two words.
class EquationSpan {
 public:
  // Returns false if the equation is a sum of those added before, or 0. At most kMaxEquations are
  // added.
  BLOOMLINE_ALWAYS_INLINE bool Add(uint64_t first, uint64_t second) {
    for (size_t i = 0; i < size_; ++i) {
      // Later terms do not have a term's lowest bit, so it stays clear.
      const Term& term = terms_[i];
      const bool has_lowest = ((first & term.lowest_first) | (second & term.lowest_second)) != 0;
      const uint64_t hit = ~uint64_t{has_lowest} + 1;
      first ^= term.first & hit;
      second ^= term.second & hit;
    }
    if ((first | second) == 0) return false;
    const uint64_t lowest_first = first & (~first + 1);
    const uint64_t lowest_second = first != 0 ? 0 : second & (~second + 1);
    terms_[size_++] = {first, second, lowest_first, lowest_second};
    return true;
  }

 private:
  struct Term {
    uint64_t first, second;
    uint64_t lowest_first, lowest_second;  // one of them is 0
  };
  size_t size_ = 0;
  Term terms_[kMaxEquations];
};

struct Equation {
  uint64_t slots = 0;
  uint64_t hash = 0;
};

// Up to four pivots: equations of which none has the pivot of another. Unused ones are 0.
constexpr unsigned kBatchPivots = 4;
struct PivotBatch {
  // Adds to `equation` each of the first `size` equations whose pivot it has.
  BLOOMLINE_ALWAYS_INLINE void Reduce(unsigned size, Equation* equation) const {
#pragma GCC unroll 4
    for (unsigned j = 0; j < size; ++j) {
      const uint64_t mask = AllOnesIf(equation->slots >> pivots[j]);
      equation->slots ^= slots[j] & mask;
      equation->hash ^= hashes[j] & mask;
    }
  }

  // Puts a reduced equation after the first `size`, and takes its pivot out of these.
  BLOOMLINE_ALWAYS_INLINE void Add(unsigned size, const Equation& equation, unsigned pivot) {
#pragma GCC unroll 4
    for (unsigned j = 0; j < size; ++j) {
      const uint64_t mask = AllOnesIf(slots[j] >> pivot);
      slots[j] ^= equation.slots & mask;
      hashes[j] ^= equation.hash & mask;
    }
    slots[size] = equation.slots;
    hashes[size] = equation.hash;
    pivots[size] = pivot;
  }

  uint64_t slots[kBatchPivots] = {};
  uint64_t hashes[kBatchPivots] = {};
  unsigned pivots[kBatchPivots] = {};
};

// Gives each of the first `count` of n equations that lacks one a pivot: the lowest of its slots
// among `allowed`, which is then taken out of all other equations. Four at a time: clear(equations,
// n, batch) adds to each equation those of the batch whose pivot it has. It may change equations
// from n to the next multiple of 8.
template <typename Clear>
BLOOMLINE_ALWAYS_INLINE void ReduceInBatches(Equations* equations, size_t n, size_t count,
                                             uint64_t allowed, Clear clear) {
  for (size_t i = 0; i < count;) {
    PivotBatch batch;
    size_t places[kBatchPivots] = {};
    unsigned size = 0;
    // Unrolled, the batch stays in registers.
#pragma GCC unroll 4
    for (unsigned k = 0; k < kBatchPivots; ++k) {
      Equation equation;
      for (; i < count; ++i) {
        if ((equations->with_pivot >> i & 1) != 0) continue;
        equation = {equations->slots[i], equations->hashes[i]};
        batch.Reduce(k, &equation);
        if ((equation.slots & allowed) != 0) break;
      }
      if (i == count) break;
      const auto pivot = static_cast<unsigned>(__builtin_ctzll(equation.slots & allowed));
      batch.Add(k, equation, pivot);
      places[k] = i;
      size = k + 1;
      equations->with_pivot |= uint64_t{1} << i;
      equations->pivots[i] = static_cast<uint8_t>(pivot);
      ++i;
    }
    if (size == 0) return;
    clear(equations, n, batch);
    // The batch's own equations have become 0.
    for (unsigned j = 0; j < size; ++j) {
      equations->slots[places[j]] = batch.slots[j];
      equations->hashes[places[j]] = batch.hashes[j];
    }
  }
}

// ---- The attempts: what is left of the equations once they are reduced by the slots that no
// attempt changes.

// Four fields of 16 bits, one for each variable slot; bit t of a field is that of attempt t.
static_assert(kVariableSlots * kMaxAttempts == 64);
constexpr uint64_t kAttemptField = 0xFFFF;
constexpr uint64_t kEachField = 0x0001000100010001;

// The variable coefficients of an equation in all attempts. The coefficients of a slot are the bits
// of the hash from 32 + slot on, inverted if the fixed coefficient is 1.
BLOOMLINE_ALWAYS_INLINE uint64_t AttemptCoefficients(uint64_t slots, uint64_t hash,
                                                     unsigned variable_slots) {
  uint64_t coefficients = 0;
  for (unsigned v = 0; v < kVariableSlots; ++v) {
    const uint64_t of_slot = (hash >> (kVariableShift + v) ^ AllOnesIf(slots >> v)) & kAttemptField;
    coefficients |= of_slot << (kMaxAttempts * v);
  }
  return variable_slots >= kVariableSlots ? coefficients
                                          : coefficients & OnesBelow(kMaxAttempts * variable_slots);
}

// A system of equations in the variable slots for each attempt, kept in echelon form. Attempts
// differ, so it does not branch.
class AttemptSystems {
 public:
  // `attempts`: the attempts in which the equation depends on earlier ones. `contradicts`: the
  // attempts among these in which its right side contradicts the earlier equations.
  struct Dependent {
    uint64_t attempts;
    uint64_t contradicts;
  };
  BLOOMLINE_ALWAYS_INLINE Dependent Add(uint64_t coefficients, uint64_t right_side) {
    uint64_t right = AllOnesIf(right_side);
    uint64_t pending = kAttemptField;
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      const uint64_t has = coefficients >> (kMaxAttempts * v) & pending;
      const uint64_t reduced = has & used_[v];
      const uint64_t fresh = has & ~used_[v];
      rows_[v] |= coefficients & fresh * kEachField;
      right_[v] |= right & fresh;
      coefficients ^= rows_[v] & reduced * kEachField;
      right ^= right_[v] & reduced;
      used_[v] |= fresh;
      pending &= ~fresh;
    }
    return {pending, pending & right};
  }

 private:
  uint64_t used_[kVariableSlots] = {};
  uint64_t rows_[kVariableSlots] = {};
  uint64_t right_[kVariableSlots] = {};
};

// The variable slots' values in one attempt, for all columns at once.
class VariableSolution {
 public:
  // Adds an equation that does not contradict the others. The order is free.
  BLOOMLINE_ALWAYS_INLINE void Add(uint64_t slots, uint64_t right_side) {
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      const uint64_t mask = AllOnesIf(slots >> v);
      slots ^= slots_[v] & mask;
      right_side ^= values_[v] & mask;
    }
    const uint64_t lowest = slots & (~slots + 1);
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      // Slot v's equation is the new one, or it has the new one's lowest slot.
      const uint64_t mask = AllOnesIf(((slots_[v] | uint64_t{1} << v) & lowest) != 0 ? 1 : 0);
      slots_[v] ^= slots & mask;
      values_[v] ^= right_side & mask;
    }
  }

  // Slots without an equation are 0.
  uint64_t value(unsigned slot) const { return values_[slot]; }

  // sums[c] is what the values add to an equation with the coefficients c.
  BLOOMLINE_ALWAYS_INLINE void Sums(uint64_t* sums) const {
    sums[0] = 0;
    for (unsigned v = 0; v < kVariableSlots; ++v) {
      for (unsigned c = 0; c < 1u << v; ++c) sums[c | 1u << v] = sums[c] ^ values_[v];
    }
  }

 private:
  uint64_t slots_[kVariableSlots] = {};
  uint64_t values_[kVariableSlots] = {};
};

// ---- A block.

constexpr size_t kGroup = 8;

// Calls f(i) for each bit i that is set.
template <typename F>
BLOOMLINE_ALWAYS_INLINE void ForEachBit(uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<size_t>(__builtin_ctzll(bits)));
}

// The equations of a column, or of several, reduced by their fixed slots.
struct ReducedColumns {
  const Equations& equations;
  size_t size;
  unsigned slots;

  uint64_t without_pivot() const {
    return ~equations.with_pivot & OnesBelow(static_cast<unsigned>(size));
  }
  uint64_t Variables(size_t i, unsigned attempt) const {
    return ((equations.slots[i] & kVariableMask) ^
            VariableCoefficients(equations.hashes[i], attempt)) &
           OnesBelow(slots);
  }

  // Calls value(slot, values) for each slot that may not be 0. Bit i of `values` is its value in
  // column i, as bit i of the hashes is that column's right side.
  template <typename Value>
  BLOOMLINE_ALWAYS_INLINE void Solve(unsigned attempt, Value value) const {
    VariableSolution variables;
    ForEachBit(without_pivot(),
               [&](size_t i) { variables.Add(Variables(i, attempt), equations.hashes[i]); });
    for (unsigned v = 0; v < kVariableSlots; ++v) value(v, variables.value(v));
    uint64_t sums[1 << kVariableSlots];
    variables.Sums(sums);
    ForEachBit(equations.with_pivot, [&](size_t i) {
      value(equations.pivots[i], equations.hashes[i] ^ sums[Variables(i, attempt)]);
    });
  }
};

// The solver of a block for one number of slots.
class System {
 public:
  BLOOMLINE_ALWAYS_INLINE System(unsigned block_bytes, unsigned slots)
      : slots_(slots), split_(SplitBlock(block_bytes, slots)) {}

  // The keys that use the partial column come first. Each key is written to both ends of the free
  // part, and then one end moves: a branch would be random for each key.
  BLOOMLINE_ALWAYS_INLINE void Start(const uint64_t* hashes, size_t n) {
    size_ = n;
    num_users_ = 0;
    size_t others = n;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = hashes[i];
      const uint64_t slots = FixedCoefficients(hash);
      full_.slots[num_users_] = full_.slots[others - 1] = slots;
      full_.hashes[num_users_] = full_.hashes[others - 1] = hash;
      const size_t uses = UsesPartialColumn(hash, slots_, split_.partial_slots) ? 1 : 0;
      num_users_ += uses;
      others -= 1 - uses;
    }
  }

  template <typename Clear>
  BLOOMLINE_ALWAYS_INLINE void Eliminate(Clear clear) {
    const uint64_t fixed = OnesBelow(slots_) & ~kVariableMask;
    ReduceInBatches(&full_, size_, num_users_, fixed & OnesBelow(split_.partial_slots), clear);
    for (size_t i = 0; i < num_users_; i += kGroup) {
      std::memcpy(partial_.slots + i, full_.slots + i, kGroup * sizeof(uint64_t));
      std::memcpy(partial_.hashes + i, full_.hashes + i, kGroup * sizeof(uint64_t));
      std::memcpy(partial_.pivots + i, full_.pivots + i, kGroup);
    }
    partial_.with_pivot = full_.with_pivot;
    ReduceInBatches(&full_, size_, size_, fixed, clear);
  }

  // Bit t: attempt t has a solution. The coefficients of different keys must be independent in the
  // full columns; in the partial one, right sides that happen to agree are enough.
  BLOOMLINE_ALWAYS_INLINE uint64_t GoodAttempts(unsigned num_attempts) const {
    const uint64_t attempts = OnesBelow(num_attempts);
    const uint64_t good = GoodAttemptsBut(0) & attempts;
    if (good != 0) return good;
    const uint64_t implied = ImpliedEquations();
    return implied == 0 ? 0 : GoodAttemptsBut(implied) & attempts;
  }

  // The block must be zeroed.
  BLOOMLINE_ALWAYS_INLINE void Write(unsigned attempt, unsigned block_bytes, char* block) const {
    uint64_t values[kMaxEquations] = {};
    full_columns().Solve(attempt, [&](size_t slot, uint64_t value) { values[slot] = value; });
    unsigned column = 0;
    if (split_.full_columns >= kByteColumns) {
      column = kByteColumns;
      for (unsigned slot = 0; slot < slots_; ++slot) block[slot] = static_cast<char>(values[slot]);
    }
    for (; column < split_.full_columns; ++column) {
      uint64_t bits = 0;
      for (unsigned slot = 0; slot < slots_; ++slot) bits |= (values[slot] >> column & 1) << slot;
      OrBits(bits, column * slots_, block_bytes, block);
    }
    uint64_t bits = 0;
    partial_column().Solve(attempt, [&](size_t slot, uint64_t value) {
      bits |= (value >> split_.full_columns & 1) << slot;
    });
    OrBits(bits, column * slots_, block_bytes, block);
    block[block_bytes - 1] = static_cast<char>(slots_ + attempt % kHeaderAttempts * 64);
  }

 private:
  // The second equation of a repeated key is a sum of others, or 0 if the key has a pivot. The
  // equations outside the result do not depend on the order of the keys.
  uint64_t ImpliedEquations() const {
    uint64_t implied = 0;
    EquationSpan span;
    ForEachBit(full_columns().without_pivot(), [&](size_t i) {
      implied |= uint64_t{!span.Add(full_.slots[i], full_.hashes[i])} << i;
    });
    return implied;
  }

  BLOOMLINE_ALWAYS_INLINE uint64_t GoodAttemptsBut(uint64_t implied) const {
    uint64_t bad = 0;
    AttemptSystems full;
    ForEachBit(full_columns().without_pivot() & ~implied, [&](size_t i) {
      bad |= full.Add(AttemptCoefficients(full_.slots[i], full_.hashes[i], slots_), 0).attempts;
    });
    AttemptSystems partial;
    ForEachBit(partial_column().without_pivot(), [&](size_t i) {
      const uint64_t coefficients =
          AttemptCoefficients(partial_.slots[i], partial_.hashes[i], split_.partial_slots);
      bad |= partial.Add(coefficients, partial_.hashes[i] >> split_.full_columns).contradicts;
    });
    return ~bad;
  }

  ReducedColumns full_columns() const { return {full_, size_, slots_}; }
  ReducedColumns partial_column() const { return {partial_, num_users_, split_.partial_slots}; }

  static void OrBits(uint64_t bits, unsigned bit, unsigned block_bytes, char* block) {
    const unsigned byte = std::min(bit / 8, block_bytes - 8);
    const unsigned shift = bit - 8 * byte;
    StoreLittleEndian64(LoadLittleEndian64(block + byte) | bits << (shift & 63), block + byte);
    if (shift > 0 && bits >> (64 - shift) != 0) {
      block[byte + 8] =
          static_cast<char>(static_cast<unsigned char>(block[byte + 8]) | bits >> (64 - shift));
    }
  }

  unsigned slots_;
  BlockSplit split_;
  size_t size_ = 0;
  size_t num_users_ = 0;  // of the partial column
  Equations full_;
  Equations partial_;
};

// SmallSetKernel::solve, given ReduceInBatches's clear.
template <typename Clear>
BLOOMLINE_ALWAYS_INLINE int SolveSmallSet(const uint64_t* hashes, size_t n, unsigned num_attempts,
                                          uint32_t block_bytes, char* block, Clear clear) {
  for (unsigned slots = std::max(static_cast<unsigned>(n), 1u); slots <= kMaxBlockSlots; ++slots) {
    System system(block_bytes, slots);
    system.Start(hashes, n);
    system.Eliminate(clear);
    const uint64_t good = system.GoodAttempts(num_attempts);
    if (good == 0) continue;
    const auto attempt = static_cast<unsigned>(__builtin_ctzll(good));
    std::memset(block, 0, block_bytes);
    system.Write(attempt, block_bytes, block);
    return static_cast<int>(attempt);
  }
  return -1;
}

}  // namespace bloomline::kernels::small_set

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_SOLVER_H_
