// The bits of a Bloom filter that many threads set and ask for at once.
#ifndef BLOOMLINE_FILTERS_ATOMIC_BITS_H_
#define BLOOMLINE_FILTERS_ATOMIC_BITS_H_

#include <cstddef>
#include <cstdint>

#include "src/filters/bloom_bits.h"

namespace bloomline::filters {

// AddHashes and HashesMayContain by relaxed atomic operations on 64-bit words.
void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void AtomicHashesMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_contain);

// Copies the bits to those of an equal shape, which no other thread uses.
void AtomicCopy(const BloomBits& from, const BloomBits& to);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_ATOMIC_BITS_H_
