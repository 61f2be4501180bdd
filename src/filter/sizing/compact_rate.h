// The false-positive rate of compact filters, from the mathematics of their solver: ranks of random
// matrices over GF(2), as in Dillinger and Walzer, "Ribbon filter", 2021.
#ifndef BLOOMLINE_FILTER_SIZING_COMPACT_RATE_H_
#define BLOOMLINE_FILTER_SIZING_COMPACT_RATE_H_

#include <cstdint>

namespace bloomline::filter {

// The probability that a missing key matches if its block has num_keys keys. Over the attempts
// (slots, seed) in the builder's order, it is
//   sum of P(all before failed, this one succeeds) * 2^-r * (1 - T / 512),
// with r full fingerprint bits and a threshold T of 256 for the partial one; 1 if no attempt
// succeeds. Blocks of docs/format.md, section 3.5: 32 or 64 bytes.
// From a table; above kMaxCompactSlots keys, where the block is a Bloom filter, from its formula.
double CompactBlockRate(uint64_t num_keys, uint32_t block_bytes);

// What the table has for at most kMaxCompactSlots keys, computed. Takes 0.1 ms.
double ComputedCompactBlockRate(uint64_t num_keys, uint32_t block_bytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_COMPACT_RATE_H_
