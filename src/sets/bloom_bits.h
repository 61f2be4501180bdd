// Setting, querying and counting the bits of a Bloom filter, by the hashes of keys.
#ifndef BLOOMLINE_SETS_BLOOM_BITS_H_
#define BLOOMLINE_SETS_BLOOM_BITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/view/prefetch_ahead.h"
#include "src/sets/bloom_shape.h"

namespace bloomline::sets {

// A shape and its bits, which the caller owns. `data` begins on a 64-byte boundary.
struct BloomBits {
  BloomShape shape;
  char* data = nullptr;
  const kernels::Kernel* kernel = nullptr;

  uint64_t num_bits() const { return shape.num_lines * kernels::kBlockBits; }
  uint64_t num_bytes() const { return shape.num_lines * kernels::kBlockBytes; }
  kernels::PayloadView lines() const { return {data, shape.num_lines, shape.num_probes}; }
};

// Adds up to kBatchKeys hashes, one after the other. changed[i]: hash i changed a bit.
void AddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);

// Answers queries of up to kBatchKeys hashes.
void MayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match);

// The same while other threads do so as well.
void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void AtomicMayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match);

// The functions that BloomFilter calls for one key.
OneKeyFunctions FunctionsOf(const BloomBits& bits);

// Prefetch the cache lines of a key: all of them to add it, because that touches all; only the
// first to query it, because most missing keys need no more than two.
void PrefetchStandardForAdd(const kernels::PayloadView& bits, uint64_t hash);
void PrefetchStandardForQuery(const kernels::PayloadView& bits, uint64_t hash);

inline void PrefetchForAdd(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kStandard) {
    PrefetchStandardForAdd(bits.lines(), hash);
  } else {
    __builtin_prefetch(kernels::BlockFor(bits.lines(), hash), 1);
  }
}

inline void PrefetchForQuery(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kStandard) {
    PrefetchStandardForQuery(bits.lines(), hash);
  } else {
    __builtin_prefetch(kernels::BlockFor(bits.lines(), hash));
  }
}

inline bool IsWorthPrefetching(const BloomBits& bits) {
  return bits.num_bytes() > kernels::kCachedBytes;
}

// Adds n keys, KeyHash or GivenHash, and returns how many changed a bit. `add` is AddHashes or
// AtomicAddHashes. `changed` may be null.
template <typename Keys, typename AddGroup>
inline size_t AddKeys(const BloomBits& bits, size_t n, const Keys& keys, AddGroup add,
                      bool* changed) {
  bool unwanted[kernels::kBatchKeys];
  size_t added = 0;
  filter::ForEachBatch(
      n, keys, IsWorthPrefetching(bits), [&](uint64_t hash) { PrefetchForAdd(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bool* group = changed == nullptr ? unwanted : changed + first;
        add(bits, count, hashes, group);
        added += filter::NumTrue(group, count);
      });
  return added;
}

// Answers queries of n keys. `query` is MayMatchHashes or AtomicMayMatchHashes.
template <typename Keys, typename MayMatchGroup>
inline void MayMatchKeys(const BloomBits& bits, size_t n, const Keys& keys, MayMatchGroup query,
                         bool* may_match) {
  filter::ForEachBatch(
      n, keys, IsWorthPrefetching(bits), [&](uint64_t hash) { PrefetchForQuery(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        query(bits, count, hashes, may_match + first);
      });
}

// These read all bits. Other threads may set bits meanwhile by atomic operations.
uint64_t EstimatedNumKeys(const BloomBits& bits);
// Estimates the keys that were added to both filters, which have one shape, by inclusion and
// exclusion: the common bits alone do not distinguish a shared key from bits that are shared by
// chance.
uint64_t EstimatedNumSharedKeys(const BloomBits& a, const BloomBits& b);
double EstimatedFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_BLOOM_BITS_H_
