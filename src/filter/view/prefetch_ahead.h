// Keys in batches: while one is probed, the blocks of the next are prefetched.
#ifndef BLOOMLINE_FILTER_VIEW_PREFETCH_AHEAD_H_
#define BLOOMLINE_FILTER_VIEW_PREFETCH_AHEAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {

// The hashes of an array of keys. Long keys are hashed out of line, so that the loop over short
// ones has enough registers.
struct KeyHash {
  KeyHash(const std::string_view* hashed_keys, uint64_t key_seed)
      : keys(hashed_keys), seed(key_seed), short_keys(key_seed) {}
  uint64_t operator()(size_t i) const {
    const std::string_view key = keys[i];
    return short_keys.IsShort(key.size()) ? short_keys(key) : Hash64OutOfLine(key, seed);
  }

  const std::string_view* keys;
  uint64_t seed;
  ShortKeyHasher short_keys;
};

struct GivenHash {
  const uint64_t* hashes;
};

// A batch of hashes, kept in one of two buffers in turn, or where they already are. done(hash) is
// called for each.
template <typename Done>
inline const uint64_t* HashBatch(const KeyHash& keys, size_t first, size_t count,
                                 uint64_t (*batches)[kernels::kBatchKeys], Done done) {
  uint64_t* hashes = batches[first / kernels::kBatchKeys % 2];
  for (size_t i = 0; i < count; ++i) {
    const uint64_t hash = keys(first + i);
    hashes[i] = hash;
    done(hash);
  }
  return hashes;
}

template <typename Done>
inline const uint64_t* HashBatch(const GivenHash& given, size_t first, size_t count,
                                 uint64_t (*)[kernels::kBatchKeys], Done done) {
  for (size_t i = first; i < first + count; ++i) done(given.hashes[i]);
  return given.hashes + first;
}

// The keys are KeyHash or GivenHash. prefetch(hash) prefetches a key's block; probe(first, count,
// hashes) handles keys first .. first + count - 1. Prefetching one batch ahead takes half the time
// of prefetching each batch right before it is probed (docs/rejected.md). `is_large`: prefetch at
// all.
template <typename Keys, typename Prefetch, typename Probe>
inline void ForEachBatch(size_t n, const Keys& keys, bool is_large, Prefetch prefetch,
                         Probe probe) {
  using kernels::kBatchKeys;
  uint64_t batches[2][kBatchKeys];
  const auto prepare = [&](size_t first) {
    const size_t count = std::min(kBatchKeys, n - first);
    return is_large ? HashBatch(keys, first, count, batches, prefetch)
                    : HashBatch(keys, first, count, batches, [](uint64_t) {});
  };
  const uint64_t* next = n > 0 ? prepare(0) : nullptr;
  for (size_t first = 0; first < n; first += kBatchKeys) {
    const uint64_t* const hashes = next;
    if (n - first > kBatchKeys) next = prepare(first + kBatchKeys);
    probe(first, std::min(kBatchKeys, n - first), hashes);
  }
}

// How many of up to kBatchKeys answers are true, eight at a time.
inline size_t NumTrue(const bool* answers, size_t n) {
  static_assert(sizeof(bool) == 1 && kernels::kBatchKeys <= UINT8_MAX);
  uint64_t sums = 0;  // of each eighth answer, in a byte
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, answers + i, sizeof(eight));
    sums += eight;
  }
  auto num_true = static_cast<size_t>(sums * 0x0101010101010101 >> 56);
  for (; i < n; ++i) num_true += answers[i] ? 1 : 0;
  return num_true;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_VIEW_PREFETCH_AHEAD_H_
