// Keys in groups: while one is probed, the lines of the next are on their way.
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
  const std::string_view* keys;
  uint64_t seed;
  uint64_t operator()(size_t i) const { return Hash64(keys[i], seed); }
};

struct GivenHash {
  const uint64_t* hashes;
  uint64_t operator()(size_t i) const { return hashes[i]; }
};

// hash_of(i) is the hash of key i of n; request(hash) asks for its lines; probe(first, count,
// hashes) handles keys first .. first + count - 1. Requesting one group ahead takes half the time
// of requesting each group right before it is probed (docs/design.md). `is_large`: request at all.
template <typename HashOf, typename Request, typename Probe>
inline void ForEachGroup(size_t n, HashOf hash_of, bool is_large, Request request, Probe probe) {
  using kernels::kBatchKeys;
  uint64_t groups[2][kBatchKeys];
  const auto prepare = [&](size_t first) {
    uint64_t* hashes = groups[first / kBatchKeys % 2];
    const size_t count = std::min(kBatchKeys, n - first);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(first + i);
      if (is_large) request(hashes[i]);
    }
  };
  if (n > 0) prepare(0);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    if (n - first > kBatchKeys) prepare(first + kBatchKeys);
    probe(first, std::min(kBatchKeys, n - first), groups[first / kBatchKeys % 2]);
  }
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_QUERY_PREFETCH_AHEAD_H_
