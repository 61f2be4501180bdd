// Operations on all counters of a filter, and EstimatedCount: what needs no SIMD.
#ifndef BLOOMLINE_IN_MEMORY_COUNTERS_H_
#define BLOOMLINE_IN_MEMORY_COUNTERS_H_

#include <cstdint>

#include "src/filter/kernels/counters/counter_blocks.h"

namespace bloomline::in_memory {

// The lowest counter of a hash.
uint32_t LeastCount(const kernels::CounterBlocks& lines, uint64_t hash);

// Adds the counters of `from` to those of `to`, which has the same number of bytes and of bits per
// counter. Sums saturate.
void MergeCounters(const kernels::CounterBlocks& from, const kernels::CounterBlocks& to);

uint64_t CountSaturated(const kernels::CounterBlocks& lines);

// Sets bit i of `bits` if counter i is not zero, and clears it otherwise. `bits` has num_bytes /
// counter_bits bytes.
void CountersToBits(const kernels::CounterBlocks& lines, char* bits);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_COUNTERS_H_
