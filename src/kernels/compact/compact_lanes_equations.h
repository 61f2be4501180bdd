// The equations of a line of eight lanes, as they are in memory for a kernel's inner steps.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_EQUATIONS_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_EQUATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_lanes.h"

namespace bloomline::kernels {

constexpr size_t kMaxLaneKeys = kMaxSlots;
// Room for 8 equations at a time, and for one that is looked at ahead.
constexpr size_t kEquationRoom = kMaxLaneKeys + 8;
static_assert(kEquationRoom % 8 == 0);

// In place of a pivot: the other equations imply this one.
constexpr uint8_t kNoLanePivot = 0xFF;

// The equations. `first` are the own slots; `second`, from bit 0, the slots in other lanes, the
// pool of the variable slots, and, at the upper end, the right-hand sides of all rows.
struct LaneEquations {
  alignas(64) uint64_t first[kEquationRoom];
  alignas(64) uint64_t second[kEquationRoom];
};

// How `second` is divided, by the number of keys, so that it fits: up to 56 keys give lines of up
// to 24 rows, more of at most 8; more than 88 could have more slots in other lanes than there is
// room for beside a pool of eight tries.
struct SecondWord {
  unsigned columns;
  unsigned num_tries;
  unsigned right_shift;
};

constexpr SecondWord SecondWordFor(size_t num_keys) {
  if (num_keys <= 56) return {16, kManyTries, 40};
  if (num_keys <= 88) return {32, kManyTries, 56};
  return {kMaxSlots - kLaneSlots, kFewTries, 56};
}

// Four equations of one or two words that are pivots in the first word: each with those before it
// taken out. To take four at a time out of the others spares three of four loads and stores of
// these.
template <unsigned kWords>
struct FourPivots {
  // False: one of them has no pivot there.
  BLOOMLINE_ALWAYS_INLINE bool Choose(std::array<const uint64_t*, kWords> equations,
                                      uint64_t columns) {
    for (unsigned w = 0; w < kWords; ++w) {
      for (unsigned j = 0; j < 4; ++j) words[w][j] = equations[w][j];
    }
    uint64_t all = columns;
    for (unsigned j = 0; j < 4; ++j) {
      const uint64_t slots = words[0][j] & columns;
      bits[j] = slots & (~slots + 1);
      for (unsigned later = j + 1; later < 4; ++later) {
        const uint64_t hit = ~uint64_t{(words[0][later] & bits[j]) != 0} + 1;
        for (unsigned w = 0; w < kWords; ++w) words[w][later] ^= words[w][j] & hit;
      }
      if (slots == 0) all = 0;
    }
    return all != 0;
  }
  uint8_t Slot(unsigned j) const { return static_cast<uint8_t>(__builtin_ctzll(bits[j])); }

  uint64_t words[kWords][4];
  uint64_t bits[4];
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_EQUATIONS_H_
