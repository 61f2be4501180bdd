// False-positive rates of Bloom filters, and the sizes that achieve them. Experimental.
//
// Symbols: n keys, m bits, c = m/n bits per key, k probes, p false-positive rate, B bits per block.
// Probes are independent and uniform. Functions named Exact hold for any number of keys, the others
// for thousands or more.
//
// A function returns NaN for a rate not between 0 and 1 or out of reach, a k outside kMinProbes ..
// kMaxProbes, and bits per key not above 0. block_bits must be 512, 128 or 64, which is not
// checked. "Clamps" means that a function moves bits per key into kMinBitsPerKey .. kMaxBitsPerKey,
// and NaN to the lower end. All functions are pure and thread-safe.
#ifndef BLOOMLINE_FILTER_THEORY_H_
#define BLOOMLINE_FILTER_THEORY_H_

#include <cstdint>

#include "bloomline/filter_options.h"

namespace bloomline {

// ---- The standard Bloom filter: probes range over all bits.

// p = (1 - e^(-k/c))^k. k may be any number > 0.
double StandardFalsePositiveRate(double bits_per_key, double num_probes);

// p = E[(X/m)^k], from the mean and variance of X, the number of bits set. The error is below 0.5 %
// for at least 256 bits and up to 21 bits per key. With more bits per key, the result is too low.
// It is 0 without keys, and 1 without bits.
double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes);

// The integer k with the lowest StandardFalsePositiveRate, about c ln 2. Clamps. A table lookup.
int OptimalStandardNumProbes(double bits_per_key);

// The fewest bits per key, to 1e-6, at which OptimalStandardNumProbes reaches the rate.
double StandardBitsPerKeyForFalsePositiveRate(double false_positive_rate);

// ---- Blocked filters: all probes of a key lie in one block of B bits.

// With l = B/c and X_i bits set by i keys,
//   p = sum over i of e^-l * l^i / i! * E[(X_i/B)^k].
// Relative error below 2e-3 up to 24 bits per key, 0.015 up to 100. Cost: about B/c terms.
double BlockedFalsePositiveRate(double bits_per_key, int num_probes, int block_bits = 512);
double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, int num_probes,
                                     int block_bits = 512);

// The k with the lowest rate. Clamps. Takes 0.1 ms.
int OptimalBlockedNumProbes(double bits_per_key, int block_bits = 512);

// The fewest bits per key, to 1e-3, at which the optimal k reaches the rate. Takes milliseconds.
double BlockedBitsPerKeyForFalsePositiveRate(double false_positive_rate, int block_bits = 512);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_THEORY_H_
