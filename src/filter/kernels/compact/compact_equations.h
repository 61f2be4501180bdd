// The equations of a compact block, as a kernel's inner steps have them in memory.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/always_inline.h"
#include "src/filter/kernels/compact/compact_block.h"

namespace bloomline::kernels {

constexpr size_t kMaxBlockKeys = kMaxCompactSlots;
// Room for 8 equations at a time, and for one that is looked at ahead.
constexpr size_t kEquationRoom = (kMaxBlockKeys + 8 + 7) / 8 * 8;

// Instead of a pivot's slot: the other equations imply this one.
constexpr uint8_t kNoPivot = 0xFF;

// Equations of two words. Of the full columns: `first` are slots 0 to 63; `second`, from bit 0, the
// slots from 64 on, the bits of which the variable slots are made, and the right-hand sides of all
// full columns. Of the partial column: the same slots, and its right-hand side in the uppermost bit
// of `second`.
struct BlockEquations {
  alignas(64) uint64_t first[kEquationRoom];
  alignas(64) uint64_t second[kEquationRoom];
};

// Four equations of one or two words with pivots in the first word, each reduced by those before
// it. To reduce the other equations by four at a time saves three of four loads and stores of
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

// Gauss-Jordan elimination of the equations in the given slots. An equation without a pivot is
// given to on_left(i), which has to set pivots[i]. Pivots are slots.
template <typename Steps, typename OnLeft>
BLOOMLINE_ALWAYS_INLINE void EliminatePairs(BlockEquations* equations, size_t n,
                                            CompactSlots columns, uint8_t* pivots, OnLeft on_left) {
  for (size_t i = 0; i < n;) {
    FourPivots<2> four;
    if (i + 4 <= n && four.Choose({equations->first + i, equations->second + i}, columns.word)) {
      for (unsigned j = 0; j < 4; ++j) pivots[i + j] = four.Slot(j);
      Steps::ClearFourPairs(equations, n, i, four);
      i += 4;
      continue;
    }
    if (const uint64_t bits = equations->first[i] & columns.word; bits != 0) {
      pivots[i] = static_cast<uint8_t>(__builtin_ctzll(bits));
      Steps::ClearPair(equations, n, i, false, bits & (~bits + 1));
    } else if (const uint64_t more = equations->second[i] & columns.field; more != 0) {
      pivots[i] = static_cast<uint8_t>(kWordSlots + static_cast<unsigned>(__builtin_ctzll(more)));
      Steps::ClearPair(equations, n, i, true, more & (~more + 1));
    } else {
      on_left(i);
    }
    ++i;
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_
