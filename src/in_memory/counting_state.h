// What a CountingBloomFilter holds: counters, their memory, and what is counted beside them.
#ifndef BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_
#define BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/in_memory/bloom_shape.h"
#include "src/kernels/counters/counter_blocks.h"
#include "src/memory/filter_memory.h"

namespace bloomline::filters {

struct CountingState {
  BloomShape shape;  // of the Bloom filter with a bit for each counter
  kernels::CounterBlocks lines;
  const kernels::CounterKernel* kernel = nullptr;
  uint64_t capacity = 0;
  uint64_t num_keys = 0;
  uint64_t num_saturated = 0;
  LineMemory memory;
};

// With zeroed counters. Null, with one sentence in *error unless that is null, if there is no
// memory. The shape's layout is kBlocked128 or kBlocked64.
std::unique_ptr<CountingState> NewCountingState(const BloomShape& shape, uint64_t capacity,
                                                std::string* error);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_COUNTING_STATE_H_
