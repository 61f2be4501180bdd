// What is done to all counters of a filter, and to those of one hash that needs no speed.
#ifndef BLOOMLINE_IN_MEMORY_COUNTERS_H_
#define BLOOMLINE_IN_MEMORY_COUNTERS_H_

#include <cstdint>

#include "src/kernels/counters/counter_blocks.h"

namespace bloomline::filters {

// The least counter of a hash.
uint32_t LeastCount(const kernels::CounterBlocks& lines, uint64_t hash);

// Adds the counters of `from`, which has as many bytes and bits, to those of `to`; sums stop at the
// maximum.
void MergeCounters(const kernels::CounterBlocks& from, const kernels::CounterBlocks& to);

uint64_t CountSaturated(const kernels::CounterBlocks& lines);

// Bit i of `bits` is set if counter i is not zero. `bits` has num_bytes / counter_bits bytes, a
// whole number.
void CountersToBits(const kernels::CounterBlocks& lines, char* bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_COUNTERS_H_
