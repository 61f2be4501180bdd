// Gaussian elimination over GF(2) of a small set's equations, four pivots at a time.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_REDUCTION_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_REDUCTION_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/always_inline.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline::kernels::small_set {

constexpr size_t kMaxEquations = 64;  // one more than there are: whole registers
static_assert(kMaxBlockSlots < kMaxEquations);

// The pivot of an equation is a slot that no other equation has.
struct Equations {
  alignas(64) uint64_t slots[kMaxEquations];
  alignas(64) uint64_t hashes[kMaxEquations];
  uint8_t pivots[kMaxEquations];
  uint64_t with_pivot = 0;  // bit i: equation i has one
};

// Up to four pivots: equations of which none has the pivot of another. Unused ones are 0.
constexpr unsigned kBatchPivots = 4;
struct PivotBatch {
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
      uint64_t slots = 0;
      uint64_t hash = 0;
      for (; i < count; ++i) {
        if ((equations->with_pivot >> i & 1) != 0) continue;
        slots = equations->slots[i];
        hash = equations->hashes[i];
#pragma GCC unroll 4
        for (unsigned j = 0; j < k; ++j) {
          const uint64_t mask = AllOnesIf(slots >> batch.pivots[j]);
          slots ^= batch.slots[j] & mask;
          hash ^= batch.hashes[j] & mask;
        }
        if ((slots & allowed) != 0) break;
      }
      if (i == count) break;
      const auto pivot = static_cast<unsigned>(__builtin_ctzll(slots & allowed));
#pragma GCC unroll 4
      for (unsigned j = 0; j < k; ++j) {
        const uint64_t mask = AllOnesIf(batch.slots[j] >> pivot);
        batch.slots[j] ^= slots & mask;
        batch.hashes[j] ^= hash & mask;
      }
      batch.slots[k] = slots;
      batch.hashes[k] = hash;
      batch.pivots[k] = pivot;
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

}  // namespace bloomline::kernels::small_set

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_REDUCTION_H_
