// The equations of a compact block, as the portable solver has them in memory.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/always_inline.h"
#include "src/filter/kernels/compact/compact_block.h"

namespace bloomline::kernels {

constexpr size_t kMaxBlockKeys = kMaxCompactSlots;

// Instead of a pivot's slot: the other equations imply this one.
constexpr uint8_t kNoPivot = 0xFF;

// Equations of two words. Of the full columns: `first` are slots 0 to 63; `second`, from bit 0, the
// slots from 64 on, the bits of which the variable slots are made, and the right-hand sides of all
// full columns. Of the partial column: the same slots, and its right-hand side in the uppermost bit
// of `second`.
struct BlockEquations {
  uint64_t first[kMaxBlockKeys];
  uint64_t second[kMaxBlockKeys];
};

// Adds equation `pivot` to each other one that has `bit`.
BLOOMLINE_ALWAYS_INLINE void ClearBit(BlockEquations* equations, size_t n, size_t pivot,
                                      bool in_second, uint64_t bit) {
  const uint64_t first = equations->first[pivot];
  const uint64_t second = equations->second[pivot];
  const uint64_t* tested = in_second ? equations->second : equations->first;
  const int shift = __builtin_ctzll(bit);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mask = ~(tested[i] >> shift & 1) + 1;
    equations->first[i] ^= first & mask;
    equations->second[i] ^= second & mask;
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

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_EQUATIONS_H_
