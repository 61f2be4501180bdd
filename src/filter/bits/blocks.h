// The block of a key: its place and its prefetch.
#ifndef BLOOMLINE_FILTER_BITS_BLOCKS_H_
#define BLOOMLINE_FILTER_BITS_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/always_inline.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::kernels {

// Keys whose blocks are prefetched before the first is probed, so that their cache misses overlap.
// RocksDB's MultiGet has at most this many at a time.
constexpr size_t kBatchKeys = 32;

// We take a filter of at most this many bytes to be in the second-level cache, from which the
// processor fetches cache lines fast enough by itself. Prefetching them costs 0.3 ns per key
// (docs/rejected.md).
constexpr uint64_t kCachedBytes = 256 << 10;

// Keys from the one that is inserted to the one whose block is prefetched: enough to cover an
// access to memory, few enough to stay in the first-level cache. On a machine whose other processes
// use the third-level cache, 10 million keys take 3.9 ns each with 64, 5.7 with 32 and 7.1 with 16.
constexpr size_t kInsertAhead = 64;

inline const char* BlockOf(const PayloadView& filter, uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * kBlockBytes;
}

inline char* WritableBlockOf(const PayloadView& filter, uint64_t hash) {
  return const_cast<char*>(BlockOf(filter, hash));
}

// Prefetches the block of a key, of up to 64 bytes. If the payload does not begin at a cache line,
// the block lies in two lines.
//
// Always inlined: GCC 12 assumes that a function which only prefetches has no effect, and may drop
// calls of it.
BLOOMLINE_ALWAYS_INLINE void PrefetchBlock(const char* data, uint64_t num_blocks,
                                           uint64_t block_bytes, uint64_t hash) {
  const char* block = data + BlockIndex(hash, num_blocks) * block_bytes;
  __builtin_prefetch(block);
  __builtin_prefetch(block + block_bytes - 1);
}

BLOOMLINE_ALWAYS_INLINE void PrefetchForWrite(const char* block) {
  __builtin_prefetch(block, 1);
  __builtin_prefetch(block + kBlockBytes - 1, 1);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_BLOCKS_H_
