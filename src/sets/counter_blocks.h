// The content of a counting Bloom filter (Fan et al., 2000): blocks of counters in place of bits.
#ifndef BLOOMLINE_SETS_COUNTER_BLOCKS_H_
#define BLOOMLINE_SETS_COUNTER_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/probe_sequence.h"

namespace bloomline::sets {

// num_blocks >= 1 blocks of 64 bytes, counter_bits 4 or 8, num_probes in 1..30. Counter i is byte
// i, or with 4 bits the lower (i even) or upper half of byte i / 2.
//
// Counters are read one at a time: SIMD was measured and rejected (docs/rejected.md). Functions for
// n hashes take them one after the other, and prefetch nothing.
struct CounterBlocks {
  unsigned char* data = nullptr;
  uint64_t num_blocks = 0;
  int counter_bits = 4;
  int num_probes = 1;

  uint64_t num_bytes() const { return num_blocks * kernels::kBlockBytes; }
  unsigned char* Block(uint64_t hash) const {
    return data + kernels::BlockIndex(hash, num_blocks) * kernels::kBlockBytes;
  }

  // may_match[i]: none of the hash's counters is zero.
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const;

  // Raises each of the hash's counters by one, except saturated ones. was_absent[i] says whether
  // one of them was zero. Adds the number of counters that became saturated to *num_saturated.
  void AddMany(size_t n, const uint64_t* hashes, bool* was_absent, uint64_t* num_saturated) const;

  // removed[i] says whether none of the hash's counters is zero. Only then lowers each of them by
  // one, except saturated ones.
  void RemoveMany(size_t n, const uint64_t* hashes, bool* removed) const;

  // The lowest counter of a hash.
  uint32_t LeastCount(uint64_t hash) const;

  // Adds the counters of `other`, which has as many blocks of this size. Sums saturate.
  void Merge(const CounterBlocks& other) const;

  // The number of saturated counters.
  uint64_t NumSaturated() const;

  // Sets bit i of `bits` if counter i is not zero, and clears it otherwise.
  void ToBits(char* bits) const;
};

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_COUNTER_BLOCKS_H_
