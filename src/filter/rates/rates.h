// False-positive rates of filters, by the shape of the payload, and of single blocks.
#ifndef BLOOMLINE_FILTER_RATES_RATES_H_
#define BLOOMLINE_FILTER_RATES_RATES_H_

#include <cstdint>

#include "src/filter/bits/filter_shape.h"

namespace bloomline::filter {

// ---- Filters: bloomline/filter_theory.h for the layout that one has.

// The rate of many keys with `bits_per_key` bits each, in the layout of `shape` with its k. NaN for
// layouts that only LevelDB has.
double RateOf(const FilterShape& shape, double bits_per_key);

// The expected rate of num_keys keys in this very shape, which has blocks. NaN for layouts without
// a formula, which only LevelDB has.
double ExactRateOf(const FilterShape& shape, uint64_t num_keys);

// ---- Blocks.

// BlockedFalsePositiveRate (bloomline/filter_theory.h) for blocks of bits_per_block bits,
// usable_bits of which the probes use.
double BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                              uint32_t usable_bits);

// The probability that num_probes random bits are all set, after `throws` random ones of num_bits
// were set: from the mean and the variance of the number of set bits.
double OccupancyMoment(double throws, double num_bits, int num_probes);

// The probability that a missing key matches if its compact block has num_keys keys. Blocks of
// docs/format.md, section 3.5: 32 or 64 bytes. From a table; above kMaxCompactSlots keys, when the
// block is a Bloom filter, from its formula.
double CompactBlockRate(uint64_t num_keys, uint32_t block_bytes);

// LevelDB's compact filters: from the mathematics of their solver, ranks of random matrices over
// GF(2), as in Dillinger and Walzer, "Ribbon filter", 2021.
//
// The probability that a missing key matches if its block (docs/format.md, section 3.8) has
// num_keys keys. Over the numbers of slots in the builder's order, it is
//   sum of P(no number before had a good attempt, this one has) * 2^-r * (1 - u / 2),
// with r full columns and the fraction u of keys that use the partial one; 1 if none has. Takes
// some 10 microseconds.
double SmallSetBlockRate(uint64_t num_keys, uint32_t block_bytes, unsigned num_attempts);

// The rate of num_keys keys in num_blocks blocks, in a microsecond or less. Up to 61 keys it is
// within 30 %, which suffices to compare layouts.
double EstimatedSmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RATES_RATES_H_
