// Keys in groups: all are hashed and their lines requested before the first is probed, so that
// their cache misses overlap.
#ifndef BLOOMLINE_FILTERS_HASH_GROUPS_H_
#define BLOOMLINE_FILTERS_HASH_GROUPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filters/bloom_bits.h"
#include "src/kernels/lines.h"

namespace bloomline::filters {

// may_contain[i] for key i of n, whose hash is hash_of(i).
template <typename HashOf>
inline void AskInGroups(const BloomBits& bits, size_t n, HashOf hash_of, bool* may_contain) {
  const bool request = bits.num_bytes() > kernels::kCachedBytes;
  uint64_t hashes[kernels::kBatchKeys];
  for (size_t start = 0; start < n; start += kernels::kBatchKeys) {
    const size_t count = std::min(kernels::kBatchKeys, n - start);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(start + i);
      if (request) RequestForQuery(bits, hashes[i]);
    }
    RequestedMayContain(bits, count, hashes, may_contain + start);
  }
}

// Returns how many changed a bit; `changed` may be null.
template <typename HashOf>
inline size_t AddInGroups(const BloomBits& bits, size_t n, HashOf hash_of, bool* changed) {
  const bool request = bits.num_bytes() > kernels::kCachedBytes;
  uint64_t hashes[kernels::kBatchKeys];
  bool unwanted[kernels::kBatchKeys];
  size_t added = 0;
  for (size_t start = 0; start < n; start += kernels::kBatchKeys) {
    const size_t count = std::min(kernels::kBatchKeys, n - start);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(start + i);
      if (request) RequestForAdd(bits, hashes[i]);
    }
    added += AddRequested(bits, count, hashes, changed == nullptr ? unwanted : changed + start);
  }
  return added;
}

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_HASH_GROUPS_H_
