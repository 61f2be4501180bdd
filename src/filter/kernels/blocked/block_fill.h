// How full blocks are.
#ifndef BLOOMLINE_FILTER_KERNELS_BLOCKED_BLOCK_FILL_H_
#define BLOOMLINE_FILTER_KERNELS_BLOCKED_BLOCK_FILL_H_

#include <cstdint>

#include "src/filter/kernels/always_inline.h"
#include "src/filter/kernels/blocked/atomic_words.h"

namespace bloomline::kernels {

// AtomicKernel::count_blocks. Inlined, so that it is compiled for the kernel's POPCNT.
BLOOMLINE_ALWAYS_INLINE void CountBlocksByFill(const char* data, uint64_t num_blocks,
                                               uint64_t* blocks_with) {
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  for (uint64_t block = 0; block < num_blocks; ++block) {
    int count = 0;
    for (uint64_t i = 0; i < kWordsPerBlock; ++i) {
      count += __builtin_popcountll(LoadAtomic(words + block * kWordsPerBlock + i));
    }
    ++blocks_with[count];
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_BLOCKED_BLOCK_FILL_H_
