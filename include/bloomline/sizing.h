// How large a filter is and how often it is wrong. For the filters that FilterBuilder makes, this
// computes any of bits per key, false-positive rate, bytes and keys from the others. No filter is
// built. Link with bloomline::core.
//
//   double bits = bloomline::BitsPerKeyForFalsePositiveRate(bloomline::Format::kBlocked, 0.01);
//   uint64_t bytes = bloomline::FilterBytes(bloomline::Format::kBlocked, 1000000, bits);
//
// The false-positive rate is the probability that a missing key matches, 0.01 for 1 %. It is exact
// for independent uniform probes; the library's filters are within 2 % of it
// (tests/filter/fpr_test.cc).
//
// A function whose result is a double returns NaN if no filter can meet the request; one that
// returns bytes or keys returns 0. That is so for a rate not between 0 and 1, bits per key outside
// AllowedBitsPerKey(format), and a rate out of reach. FalsePositiveRate and OptimalNumProbes clamp
// instead. ValidateFalsePositiveRate and FilterOptions::Validate say what is wrong in a sentence.
//
// All functions are pure and thread-safe; all but ValidateFalsePositiveRate need no memory. The
// formulas behind them are in filter_theory.h. How to divide memory among the levels of an LSM tree
// is in level_sizing.h.
#ifndef BLOOMLINE_SIZING_H_
#define BLOOMLINE_SIZING_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

// False-positive rate of a filter of thousands of keys. bits_per_key is clamped to
// AllowedBitsPerKey(format); NaN counts as the lower end.
double FalsePositiveRate(Format format, double bits_per_key);

// False-positive rate of the filter made for `capacity` keys when it holds num_keys: fewer, as
// many, or more (over-filled). Whole blocks and the trailer are counted. Without keys the rate is
// 0, even without capacity; with keys but no capacity it is 1. In kClassic this adds the
// effects of LevelDB's 32-bit hash, which FalsePositiveRate leaves out. A fraction of
// 1 - (1 - 2^-32)^num_keys of the missing keys share the hash of a stored one (2.3 % at 1e8 keys).
// No bit past 2^32 is ever set.
double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys);

// The least bits per key whose FalsePositiveRate is at most false_positive_rate, to 1e-6 bits
// (kCompact: 1e-3).
double BitsPerKeyForFalsePositiveRate(Format format, double false_positive_rate);

// The number of probes, k, that `format` writes at this bits_per_key: kMinProbes to kMaxProbes.
// kBlocked: the k with the lowest false-positive rate, which is below the usual bits_per_key *
// ln 2 (cockroachdb/pebble#5632). kClassic: LevelDB's own rule, 0.69 * bits_per_key rounded down.
// kBloom: RocksDB's rule. kCompact and kRibbon: 0, they have no probes. bits_per_key is clamped to
// kMinBitsPerKey .. kMaxBitsPerKey; NaN counts as the lower end. A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// Bytes of the filter over num_keys distinct keys, trailer included; in kClassic, of LevelDB's
// filter, and in kBloom and kRibbon of RocksDB's (kRibbon: to 1 %), where more than a million keys
// count as several files. 0 keys give 20 bytes (kClassic: 9, RocksDB's: 5), so 0 is always an
// error. 5e9 keys at 10 bits give about 6.25e9. Inside RocksDB, small filters differ by up to 64
// bytes, and none has more than 4 GiB (docs/format.md, section 5).
uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key);

// The most bits per key at which the filter of num_keys keys takes at most filter_bytes (up to
// 2^60), cut to the upper end of the format's range. NaN if num_keys is 0, or if the lower end of
// the range takes more.
double BitsPerKeyForFilterBytes(Format format, uint64_t num_keys, uint64_t filter_bytes);

// The most keys whose filter takes at most filter_bytes (up to 2^60) at bits_per_key; 0 if one key
// takes more.
uint64_t Capacity(Format format, uint64_t filter_bytes, double bits_per_key);

// Empty if BitsPerKeyForFalsePositiveRate gives a number, else one sentence that names the rate, or
// an unknown format, and what is allowed.
std::string ValidateFalsePositiveRate(Format format, double false_positive_rate);

}  // namespace bloomline

#endif  // BLOOMLINE_SIZING_H_
