// Bloom filters whose keys have all their bits in 128 or 64 bits of a line (docs/format.md, section
// 3.7): a block is one or two words, so a key is a mask, which is compared or set at once. All by
// relaxed atomic operations, for AtomicBloomFilter has such filters, too; loads cost the same, and
// only words that lack bits are written.
#ifndef BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_
#define BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "src/in_memory/bloom_bits.h"

namespace bloomline::filters {

// AddHashes and HashesMayContain for kBlocked128 and kBlocked64.
void AddToSmallBlocks(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void AskSmallBlocks(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match);

// EstimatedFalsePositiveRate: the mean over all blocks of (set bits / bits)^num_probes.
double SmallBlocksFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_SMALL_BLOCKS_H_
