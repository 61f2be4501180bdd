// Setting, asking and counting the bits of a Bloom filter, whose keys are hashes here.
#ifndef BLOOMLINE_FILTERS_BLOOM_BITS_H_
#define BLOOMLINE_FILTERS_BLOOM_BITS_H_

#include <cstddef>
#include <cstdint>

#include "src/filters/bloom_shape.h"
#include "src/filters/hash_groups.h"
#include "src/kernels/kernel.h"
#include "src/kernels/lines.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::filters {

// A shape and its bits, which it does not own. `data` is on a 64-byte line.
struct BloomBits {
  BloomShape shape;
  char* data = nullptr;
  const kernels::Kernel* kernel = nullptr;

  uint64_t num_bits() const { return shape.num_lines * kernels::kLineBits; }
  uint64_t num_bytes() const { return shape.num_lines * kernels::kLineBytes; }
  kernels::BlockedLines lines() const { return {data, shape.num_lines, shape.num_probes}; }
};

// True if that changed a bit.
bool AddHash(const BloomBits& bits, uint64_t hash);
bool HashMayContain(const BloomBits& bits, uint64_t hash);

// The same for n hashes, at most kBatchKeys, whose lines were requested. AddRequested returns how
// many changed a bit.
size_t AddRequested(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void RequestedMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                         bool* may_contain);

// Of a key in kUnblocked all lines, or the first probe's, for most absent keys need no more than
// two.
void RequestUnblockedForAdd(const BloomBits& bits, uint64_t hash);
void RequestUnblockedForQuery(const BloomBits& bits, uint64_t hash);

inline void RequestForAdd(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kUnblocked) {
    RequestUnblockedForAdd(bits, hash);
  } else {
    __builtin_prefetch(kernels::Line(bits.lines(), hash), 1);
  }
}

inline void RequestForQuery(const BloomBits& bits, uint64_t hash) {
  if (bits.shape.layout == BloomLayout::kUnblocked) {
    RequestUnblockedForQuery(bits, hash);
  } else {
    __builtin_prefetch(kernels::Line(bits.lines(), hash));
  }
}

// AddHash of n hashes, hash_of(i) for i < n; returns how many changed a bit. `changed` may be null.
template <typename HashOf>
inline size_t AddMany(const BloomBits& bits, size_t n, HashOf hash_of, bool* changed) {
  bool unwanted[kernels::kBatchKeys];
  size_t added = 0;
  ForEachGroup(
      n, hash_of, bits.num_bytes() > kernels::kCachedBytes,
      [&](uint64_t hash) { RequestForAdd(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        added += AddRequested(bits, count, hashes, changed == nullptr ? unwanted : changed + first);
      });
  return added;
}

template <typename HashOf>
inline void AskMany(const BloomBits& bits, size_t n, HashOf hash_of, bool* may_contain) {
  ForEachGroup(
      n, hash_of, bits.num_bytes() > kernels::kCachedBytes,
      [&](uint64_t hash) { RequestForQuery(bits, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        RequestedMayContain(bits, count, hashes, may_contain + first);
      });
}

// Read all bits.
uint64_t CountSetBits(const BloomBits& bits);
uint64_t EstimatedNumKeys(const BloomBits& bits);
double EstimatedFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_BLOOM_BITS_H_
