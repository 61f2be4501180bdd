// Setting, asking and counting the bits of a Bloom filter, whose keys are hashes here.
#ifndef BLOOMLINE_IN_MEMORY_BLOOM_BITS_H_
#define BLOOMLINE_IN_MEMORY_BLOOM_BITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/in_memory/bloom_shape.h"
#include "src/in_memory/standard_bloom.h"
#include "src/kernels/blocked/blocks.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"
#include "src/query/prefetch_ahead.h"

namespace bloomline::filters {

// A shape and its bits, which it does not own. `data` is on a 64-byte line.
struct BloomBits {
  BloomShape shape;
  char* data = nullptr;
  const kernels::Kernel* kernel = nullptr;

  uint64_t num_bits() const { return shape.num_lines * kernels::kBlockBits; }
  uint64_t num_bytes() const { return shape.num_lines * kernels::kBlockBytes; }
  kernels::BlockedFilter lines() const { return {data, shape.num_lines, shape.num_probes}; }
  StandardBits standard() const { return {data, num_bits(), shape.num_probes}; }
};

// Adds n hashes one after the other; changed[i]: that changed a bit.
void AddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);

// Of up to kBatchKeys hashes.
void HashesMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match);

// The same while other threads do so, too.
void SharedAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void SharedHashesMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_match);

bool HashMayContain(const BloomBits& bits, uint64_t hash);

inline void PrefetchForAdd(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kStandard) {
    RequestStandardForAdd(bits.standard(), hash);
  } else {
    __builtin_prefetch(kernels::BlockOf(bits.lines(), hash), 1);
  }
}

inline void PrefetchForQuery(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kStandard) {
    RequestStandardForQuery(bits.standard(), hash);
  } else {
    __builtin_prefetch(kernels::BlockOf(bits.lines(), hash));
  }
}

inline bool IsWorthRequesting(const BloomBits& bits) {
  return bits.num_bytes() > kernels::kCachedBytes;
}

// Adds hash_of(i) for i < n by `add`, which is AddHashes or does the same in another way, and
// returns how many changed a bit. `changed` may be null.
template <typename HashOf, typename AddGroup>
inline size_t AddKeys(const BloomBits& bits, size_t n, HashOf hash_of, AddGroup add,
                      bool* changed) {
  bool unwanted[kernels::kBatchKeys];
  size_t added = 0;
  core::ForEachBatch(
      n, hash_of, IsWorthPrefetching(bits), [&](uint64_t hash) { PrefetchForAdd(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bool* group = changed == nullptr ? unwanted : changed + first;
        add(bits, count, hashes, group);
        added += static_cast<size_t>(std::count(group, group + count, true));
      });
  return added;
}

// The same with `ask`, which is HashesMayContain or the like.
template <typename HashOf, typename AskGroup>
inline void AskMany(const BloomBits& bits, size_t n, HashOf hash_of, AskGroup ask,
                    bool* may_match) {
  core::ForEachBatch(
      n, hash_of, IsWorthPrefetching(bits), [&](uint64_t hash) { PrefetchForQuery(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        ask(bits, count, hashes, may_match + first);
      });
}

// Read all bits, which other threads may set meanwhile by atomic operations.
uint64_t EstimatedNumKeys(const BloomBits& bits);
double EstimatedFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_BLOOM_BITS_H_
