// Keys in batches: while one is probed, the blocks of the next are prefetched.
#ifndef BLOOMLINE_QUERY_PREFETCH_AHEAD_H_
#define BLOOMLINE_QUERY_PREFETCH_AHEAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/format/hash.h"
#include "src/kernels/blocked/blocks.h"

namespace bloomline::core {

// The hashes of an array of keys.
struct KeyHash {
  KeyHash(const std::string_view* hashed_keys, uint64_t seed) : keys(hashed_keys), hasher(seed) {}
  uint64_t operator()(size_t i) const { return hasher(keys[i]); }

  const std::string_view* keys;
  KeyHasher hasher;
};

struct GivenHash {
  const uint64_t* hashes;
  uint64_t operator()(size_t i) const { return hashes[i]; }
};

// hash_of(i) is the hash of key i of n; prefetch(hash) prefetches its block; probe(first, count,
// hashes) handles keys first .. first + count - 1. Prefetching one batch ahead takes half the time
// of prefetching each batch right before it is probed (docs/design.md). `is_large`: prefetch at
// all.
template <typename HashOf, typename Prefetch, typename Probe>
inline void ForEachBatch(size_t n, HashOf hash_of, bool is_large, Prefetch prefetch, Probe probe) {
  using kernels::kBatchKeys;
  uint64_t batches[2][kBatchKeys];
  const auto prepare = [&](size_t first) {
    uint64_t* hashes = batches[first / kBatchKeys % 2];
    const size_t count = std::min(kBatchKeys, n - first);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(first + i);
      if (is_large) prefetch(hashes[i]);
    }
  };
  if (n > 0) prepare(0);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    if (n - first > kBatchKeys) prepare(first + kBatchKeys);
    probe(first, std::min(kBatchKeys, n - first), batches[first / kBatchKeys % 2]);
  }
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_QUERY_PREFETCH_AHEAD_H_
