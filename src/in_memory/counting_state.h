// The content of a counting filter: counters, their memory, and the figures beside them.
#ifndef BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_
#define BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/filter/kernels/counters/counter_blocks.h"
#include "src/in_memory/bloom_shape.h"
#include "src/support/filter_memory.h"

namespace bloomline::in_memory {

struct CountingState {
  BloomShape shape;  // of the Bloom filter with a bit for each counter
  kernels::CounterBlocks lines;
  const kernels::CounterKernel* kernel = nullptr;
  uint64_t capacity = 0;
  uint64_t num_keys = 0;
  uint64_t num_saturated = 0;
  support::FilterMemory memory;
};

// All counters are zero. The layout of the shape is kBlocked128 or kBlocked64. Null, with one
// sentence in *error unless that is null, if there is no memory.
std::unique_ptr<CountingState> NewCountingState(const BloomShape& shape, uint64_t capacity,
                                                std::string* error);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_
