// Setting, querying and counting the bits of a Bloom filter, by the hashes of keys.
#ifndef BLOOMLINE_SETS_BLOOM_BITS_H_
#define BLOOMLINE_SETS_BLOOM_BITS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/view/prefetch_ahead.h"
#include "src/sets/bloom_shape.h"

namespace bloomline::sets {

// The functions of a layout for a fixed number of probes. Functions for many hashes take up to
// kBatchKeys, one after the other, and prefetch nothing.
struct BitFunctions : OneKeyFunctions {
  void (*may_match_many)(const kernels::PayloadView& lines, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  // Queries hashes whose blocks are known. Null if that gains nothing.
  void (*may_match_blocks)(const char* const* blocks, int num_probes, size_t n,
                           const uint64_t* hashes, bool* may_match) = nullptr;
  // changed[i]: hash i changed a bit.
  void (*add_many)(const kernels::PayloadView& lines, size_t n, const uint64_t* hashes,
                   bool* changed) = nullptr;
};

// kMany means that threads add and query at the same time.
enum class Threads { kOne, kMany };

// A shape, its bits, which the caller owns, and the functions for them. `data` begins on a 64-byte
// boundary.
struct BloomBits {
  BloomBits() = default;
  BloomBits(const BloomShape& bits_shape, char* bits_data, Threads threads = Threads::kOne);

  BloomShape shape;
  char* data = nullptr;
  BitFunctions functions;

  uint64_t num_bits() const { return shape.num_lines * kernels::kBlockBits; }
  uint64_t num_bytes() const { return shape.num_lines * kernels::kBlockBytes; }
  kernels::PayloadView lines() const { return {data, shape.num_lines, shape.num_probes}; }
  bool is_worth_prefetching() const { return num_bytes() > kernels::kCachedBytes; }
};

// Prefetches the cache lines of a key: all of them before an addition, which touches all; only the
// first before a query, because most missing keys need no more than two.
template <bool kToAdd>
void PrefetchStandard(const kernels::PayloadView& bits, uint64_t hash);

template <bool kToAdd>
inline void Prefetch(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kStandard) {
    PrefetchStandard<kToAdd>(bits.lines(), hash);
  } else {
    __builtin_prefetch(kernels::BlockFor(bits.lines(), hash), kToAdd);
  }
}

// Adds n keys, KeyHash or GivenHash, and returns how many changed a bit. `changed` may be null.
template <typename Keys>
inline size_t AddKeys(const BloomBits& bits, size_t n, const Keys& keys, bool* changed) {
  bool unwanted[kernels::kBatchKeys];
  size_t added = 0;
  filter::ForEachBatch(
      n, keys, bits.is_worth_prefetching(), [&](uint64_t hash) { Prefetch<true>(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bool* group = changed == nullptr ? unwanted : changed + first;
        bits.functions.add_many(bits.lines(), count, hashes, group);
        added += filter::NumTrue(group, count);
      });
  return added;
}

// Answers queries of n keys. Their blocks are computed once, to be prefetched and queried.
template <typename Keys>
inline void MayMatchInBlocks(const BloomBits& bits, size_t n, const Keys& keys, bool* may_match) {
  constexpr size_t kPlaces = 2 * kernels::kBatchKeys;  // of this batch and the next
  const char* blocks[kPlaces];
  size_t num_prefetched = 0;
  const kernels::PayloadView lines = bits.lines();
  filter::ForEachBatch(
      n, keys, true,
      [&](uint64_t hash) {
        const char* const block = kernels::BlockFor(lines, hash);
        __builtin_prefetch(block);
        blocks[num_prefetched++ % kPlaces] = block;
      },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bits.functions.may_match_blocks(blocks + first % kPlaces, lines.num_probes, count, hashes,
                                        may_match + first);
      });
}

// Answers queries of n keys.
template <typename Keys>
inline void MayMatchKeys(const BloomBits& bits, size_t n, const Keys& keys, bool* may_match) {
  if (bits.functions.may_match_blocks != nullptr && bits.is_worth_prefetching()) {
    MayMatchInBlocks(bits, n, keys, may_match);
    return;
  }
  filter::ForEachBatch(
      n, keys, bits.is_worth_prefetching(), [&](uint64_t hash) { Prefetch<false>(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bits.functions.may_match_many(bits.lines(), count, hashes, may_match + first);
      });
}

// These read all bits. If there are many threads, others may set bits meanwhile.
void CopyBits(const BloomBits& from, char* to);
uint64_t EstimatedNumKeys(const BloomBits& bits);
// Estimates the keys that were added to both filters, which have one shape, by inclusion and
// exclusion: the common bits alone do not distinguish a shared key from bits that both filters
// share by chance.
uint64_t EstimatedNumSharedKeys(const BloomBits& a, const BloomBits& b);
double EstimatedFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_BLOOM_BITS_H_
