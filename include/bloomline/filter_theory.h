// The mathematics of filters: false-positive rates of each layout, and the sizes that reach them.
// sizing.h has what most users need; this header is for other layouts, a given number of probes,
// small filters, and comparisons with other structures. Link with bloomline::core.
//
// Symbols: n keys, m bits, c = m/n bits per key, k probes, p false-positive rate, B bits per block
// (512 in kBlocked). "Large n" functions take bits per key and hold from thousands of keys on.
// "Exact" functions take a number of keys and a whole number of bits or blocks. Both assume k
// independent uniform probes; the library's filters are within 2 % of the result
// (tests/filter/fpr_test.cc).
//
// A function returns NaN if no filter can meet the request; one that returns an integer (bits,
// blocks or keys) returns 0. Unless a comment says otherwise, this applies to: a rate not between 0
// and 1, a k outside kMinProbes .. kMaxProbes, bits per key not above 0, and a rate out of reach.
// block_bits must be 64 or 128, and block_bytes 8 to 64; neither is checked. All functions are pure
// and thread-safe; all but ValidateNumProbes need no memory.
//
// Sources: Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970; Putze,
// Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007 (blocked filters);
// Dillinger and Walzer, "Ribbon filter", 2021 (ranks of random equations, for kCompact).
#ifndef BLOOMLINE_FILTER_THEORY_H_
#define BLOOMLINE_FILTER_THEORY_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

// ---- The standard Bloom filter: probes range over all bits. Describes BloomLayout::kStandard,
// LevelDB's filter where its hash behaves (random keys), and the flat layout of small sets.

// Large n: p = (1 - e^(-k/c))^k. Any k > 0, also a fraction.
double StandardFalsePositiveRate(double bits_per_key, double num_probes);

// Exact: with X bits set after n*k throws into m, p = E[(X/m)^k]. Up to n*k*m = 1e7 the
// distribution of X is computed (cost: that many steps); beyond, mean and variance of X are enough
// (relative error below 1e-3). No keys: 0. No bits: 1.
double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes);

// The real number k with the lowest rate, c ln 2, and the c that reaches p with it,
// -ln p / (ln 2)^2.
double IdealNumProbes(double bits_per_key);
double IdealBitsPerKey(double false_positive_rate);

// What no structure can go below: log2(1/p) bits per key.
double InformationLimitBitsPerKey(double false_positive_rate);

// The whole k with the lowest StandardFalsePositiveRate, about c ln 2. bits_per_key is clamped to
// kMinBitsPerKey .. kMaxBitsPerKey; NaN counts as the lower end, which gives 1. A table lookup.
int OptimalStandardNumProbes(double bits_per_key);

// The least bits per key in kMinBitsPerKey .. kMaxBitsPerKey, to 1e-6 bits, at which
// OptimalStandardNumProbes reaches the rate.
double StandardBitsPerKeyForFalsePositiveRate(double false_positive_rate);

// ---- Blocked filters: all probes of a key lie in one block of B = 512 bits.

// Large n: the keys of a block are Poisson distributed with mean l = B/c, so
//   p = sum over i of e^-l * l^i / i! * E[(X_i/B)^k],  X_i bits set by i keys.
// Cost: about B/c terms.
double BlockedFalsePositiveRate(double bits_per_key, int num_probes);

// Exact: n keys in L blocks; a block's keys are binomial(n, 1/L).
double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, int num_probes);

// The same two with blocks of 64 or 128 bits. A CountingBloomFilter is one: its blocks are cache
// lines of 128 4-bit or 64 8-bit counters. Relative error below 2e-3 up to 24 bits per key, 0.015
// up to 100.
double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes);
double ExactSmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                        int num_probes);

// The k with the lowest SmallBlockFalsePositiveRate. bits_per_key is clamped to kMinBitsPerKey ..
// kMaxBitsPerKey; NaN counts as the lower end. Takes 0.1 ms.
int OptimalSmallBlockNumProbes(int block_bits, double bits_per_key);

// The least bits (or counters) per key, to 1e-3, at which OptimalSmallBlockNumProbes reaches the
// rate. Takes milliseconds.
double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double false_positive_rate);

// ---- Compact filters: a block stores the solution of a linear system.

// Large n: a block's keys are Poisson distributed; for each number of keys, the slots and columns
// of the solved block follow from the ranks of random matrices (docs/design.md). bits_per_key is
// clamped to kMinCompactBitsPerKey .. kMaxCompactBitsPerKey, 3 to 24; NaN counts as the lower end.
double CompactFalsePositiveRate(double bits_per_key);

// Exact: n keys in L blocks of block_bytes bytes (32 or 64), each block's keys binomial(n, 1/L).
double ExactCompactFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes);

// The same for the compact filters of LevelDB (docs/format.md, section 3.8): blocks of 8 to 64
// bytes.
double ExactSmallSetFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_THEORY_H_
