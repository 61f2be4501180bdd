// The false-positive rate of LevelDB's compact filters, from the mathematics of their solver: ranks
// of random matrices over GF(2), as in Dillinger and Walzer, "Ribbon filter", 2021.
#ifndef BLOOMLINE_FILTER_RATES_SMALL_SET_RATE_H_
#define BLOOMLINE_FILTER_RATES_SMALL_SET_RATE_H_

#include <cstdint>

namespace bloomline::filter {

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

#endif  // BLOOMLINE_FILTER_RATES_SMALL_SET_RATE_H_
