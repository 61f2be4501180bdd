// False-positive rates of blocks, and of filters that consist of them.
#ifndef BLOOMLINE_FILTER_RATES_BLOCK_RATE_H_
#define BLOOMLINE_FILTER_RATES_BLOCK_RATE_H_

#include <cstdint>

namespace bloomline::filter {

// As BlockedFalsePositiveRate in bloomline/filter_theory.h, for blocks of bits_per_block bits, of
// which the probes use usable_bits.
double BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                              uint32_t usable_bits);

// The probability that num_probes random bits are all set, of num_bits of which `throws` random
// ones were set: from the mean and the variance of how many are.
double OccupancyMoment(double throws, double num_bits, int num_probes);

// The probability that a missing key matches if its compact block has num_keys keys. Blocks of
// docs/format.md, section 3.5: 32 or 64 bytes. From a table; above kMaxCompactSlots keys, where the
// block is a Bloom filter, from its formula.
double CompactBlockRate(uint64_t num_keys, uint32_t block_bytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RATES_BLOCK_RATE_H_
