// Bloom filters with blocks of 128 or 64 bits (docs/format.md, section 3.7). A block is two words
// or one, so a key is a mask that is compared or set at once.
//
// One code serves BloomFilter and AtomicBloomFilter: all operations are relaxed atomic ones. Atomic
// loads cost the same as others, and only words that lack bits are written.
#ifndef BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_
#define BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "src/in_memory/bloom_bits.h"

namespace bloomline::in_memory {

// AddHashes and MayMatchHashes of bloom_bits.h, for kBlocked128 and kBlocked64.
void SmallBlocksAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void SmallBlocksMayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes,
                               bool* may_match);

// The functions for one key of such a filter.
OneKeyFunctions SmallBlocksFunctions(BloomLayout layout, int num_probes);

// The mean, over all blocks, of (set bits / bits)^num_probes.
double SmallBlocksFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_
