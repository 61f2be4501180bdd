// Counting Bloom filters (Fan et al., 2000): blocks of counters in place of bits.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {

// num_blocks >= 1 blocks of 64 bytes, counter_bits 4 or 8, num_probes in 1..30. Counter i is byte
// i, or with 4 bits the lower (i even) or upper half of byte i / 2. So in little-endian words it
// begins at bit i * counter_bits.
struct CounterBlocks {
  unsigned char* data = nullptr;
  uint64_t num_blocks = 0;
  int counter_bits = 4;
  int num_probes = 1;

  uint64_t num_bytes() const { return num_blocks * kBlockBytes; }
  unsigned char* Block(uint64_t hash) const {
    return data + BlockIndex(hash, num_blocks) * kBlockBytes;
  }
};

// Each function takes n hashes, one after the other, and prefetches nothing.
struct CounterKernel {
  // may_match[i]: none of the hash's counters is zero.
  void (*may_match_many)(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  // Raises each of the hash's counters by one, except saturated ones. was_absent[i]: one of them
  // was zero. Adds the number of counters that became saturated to *num_saturated.
  void (*add_many)(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* was_absent,
                   uint64_t* num_saturated) = nullptr;
  // removed[i]: none of the hash's counters is zero. Then, and only then, lowers each of them by
  // one, except saturated ones.
  void (*remove_many)(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                      bool* removed) = nullptr;
};

CounterKernel PortableCounters();
CounterKernel Avx2Counters();    // x86-64
CounterKernel Avx512Counters();  // x86-64
CounterKernel NeonCounters();    // 64-bit ARM

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_KERNEL_H_
