// Keys, bits, probes <-> false-positive rate. Pure functions; no filter is built.
//
// Symbols: n keys, m bits, c = m/n bits per key, k probes, p false-positive rate, B = 512 bits per
// line. All are thread-safe and throw nothing but bad_alloc. "Exact" means for k independent
// uniform probes; the library's filters are within 2 % of it (tests/fpr_test.cc).
#ifndef BLOOMLINE_SIZING_H_
#define BLOOMLINE_SIZING_H_

#include <cstdint>

#include "bloomline/filter_options.h"

namespace bloomline {

// Limits of k, the number of probes; LevelDB's format sets them.
constexpr int kMinProbes = 1;
constexpr int kMaxProbes = 30;

// Rate of a Bloom filter whose probes range over all its bits, for large n:
//   p = (1 - e^(-k/c))^k
// Describes kClassic where its hash behaves (random keys), and flat filters of hundreds of keys.
double ClassicFalsePositiveRate(double bits_per_key, int num_probes);

// The same for n keys in m bits, exactly: X = number of set bits after n*k throws into m,
//   p = E[(X/m)^k].
// Up to n*k*m = 1e7 the distribution of X is computed (cost: that many steps); beyond, mean and
// variance of X are enough (relative error below 1e-3). No keys: 0. No bits: 1.
double ClassicFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes);

// Rate of a blocked filter for large n: the number of keys in a line is Poisson with mean B/c, so
//   p = sum over i of e^-l * l^i / i! * E[(X_i/B)^k],  l = B/c,  X_i as above for i keys in B bits.
// Cost: about B/c terms.
double BlockedFalsePositiveRate(double bits_per_key, int num_probes);

// The same for n keys in L lines: the load of a line is binomial(n, 1/L).
double BlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, int num_probes);

// Rate of a blocked filter of small blocks, 64 or 128 bits in place of 512, for large n. A
// CountingBloomFilter has one: its blocks are lines of so many counters. The formulas as above with
// B = block_bits; relative error below 2e-3 up to 24 bits per key, 0.015 up to 100.
double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes);

// The same for n keys in so many blocks.
double SmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                   int num_probes);

// The k with the lowest SmallBlockFalsePositiveRate. Takes 0.1 ms.
int OptimalSmallBlockNumProbes(int block_bits, double bits_per_key);

// The least bits per key (counters per key) in kMinBitsPerKey..kMaxBitsPerKey, to 1e-3, at which
// that k gives at most `rate`; NaN if there is none or `rate` is not in (0, 1). Takes milliseconds.
double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double rate);

// Rate of a compact filter for large n: lines have Poisson loads, and for each load the
// probabilities of what the solver ends with are those of random matrices (docs/design.md). Takes
// milliseconds.
double CompactFalsePositiveRate(double bits_per_key);

// The same for n keys in L lines of line_bytes bytes (8 to 64): the load is binomial(n, 1/L).
// base_slots as in docs/format.md: 64-byte lines with 21 or more are those of section 3.5.
double CompactFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, uint32_t line_bytes,
                                uint32_t base_slots);

// The k that `format` writes at this bits_per_key. kBlocked: the k with the lowest
// BlockedFalsePositiveRate (less than c ln 2: cockroachdb/pebble#5632). kClassic: LevelDB's own
// rule, 0.69 c rounded down. kCompact: 0, it has no probes. Both within kMinProbes..kMaxProbes.
// bits_per_key is taken as if clamped to kMinBitsPerKey..kMaxBitsPerKey; NaN counts as
// kMinBitsPerKey. A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// The k of a flat Bloom filter with the lowest ClassicFalsePositiveRate(bits_per_key, k); about c
// ln 2.
int OptimalFlatNumProbes(double bits_per_key);

// Rate at the k that OptimalNumProbes gives.
double FalsePositiveRate(Format format, double bits_per_key);

// The least bits per key in kMinBitsPerKey..kMaxBitsPerKey whose FalsePositiveRate is at most
// `rate`, to 1e-6 bits (kCompact: 1e-3, in its own range); NaN if there is none or `rate` is not in
// (0, 1).
double BitsPerKeyForFalsePositiveRate(Format format, double rate);

// The same for filters whose probes range over all bits, with OptimalFlatNumProbes.
double FlatBitsPerKeyForFalsePositiveRate(double rate);

// Bytes of the filter that FilterBuilder makes of n distinct keys, trailer included; 64-bit, so
// that 5e9 keys at 10 bits give 6.25e9. Needs valid bits_per_key; otherwise 0.
uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key);

}  // namespace bloomline

#endif  // BLOOMLINE_SIZING_H_
