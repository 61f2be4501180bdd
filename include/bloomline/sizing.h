// How large a static filter is and how often it is wrong. kClassic and kCompact are sized as in
// LevelDB, and kBloom as in RocksDB. kRibbon is a static filter, whose bits per key are memory; in
// RocksDB's policies they are the N of ribbonfilter:N.
//
// The false-positive rate is the probability that a missing key matches (0.01 for 1 %). Real
// filters are within 5 % of it, static ones with a million keys within 2 %.
//
// For a rate that is not between 0 and 1 or out of reach, and for bits per key outside
// AllowedBitsPerKey(format), functions return NaN, or 0 bytes or keys. FalsePositiveRate and
// OptimalNumProbes clamp bits instead, NaN to the lower end. filter_bytes are at most 2^60.
// All functions are pure and thread-safe.
#ifndef BLOOMLINE_SIZING_H_
#define BLOOMLINE_SIZING_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

// The rate of a filter with thousands of keys; in kCompact, of 36, about as many as LevelDB has in
// one filter; in kRibbon, of a million (with 5,000 to 50 million keys and up to 16 bits per key,
// 0.75 to 1.35 times as high; with fewer keys more).
double FalsePositiveRate(Format format, double bits_per_key);

// The rate of a filter made for `capacity` keys that holds num_keys, which may be more. It includes
// the effects of whole blocks, the trailer and, in kClassic, LevelDB's 32-bit hash. It is 0 without
// keys, and 1 with keys but no capacity. A kRibbon filter holds no more keys than its capacity.
double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys);

// The fewest bits per key with at most this FalsePositiveRate, to 1e-6 bits.
double BitsPerKeyForFalsePositiveRate(Format format, double false_positive_rate);

// The k that `format` writes: in kBlocked the best one; in kClassic and kBloom the engine's; 0 in
// kCompact and kRibbon. A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// Bytes for num_keys distinct keys, including the trailer; 0 only on error. In kBloom, more than a
// million keys count as several files, and in kCompact, more than 36 as several filters. Inside
// RocksDB, small filters differ by up to 64 bytes, and none has more than 4 GiB.
uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key);

// The most bits per key at which FilterBytes are at most filter_bytes, up to the upper end of the
// format's range. NaN if num_keys is 0, or if even the lower end takes more.
double BitsPerKeyForFilterBytes(Format format, uint64_t num_keys, uint64_t filter_bytes);

// The most keys for which FilterBytes are at most filter_bytes; 0 if even one key takes more.
uint64_t Capacity(Format format, uint64_t filter_bytes, double bits_per_key);

// Returns "", or why BitsPerKeyForFalsePositiveRate gives NaN.
std::string ValidateFalsePositiveRate(Format format, double false_positive_rate);

}  // namespace bloomline

#endif  // BLOOMLINE_SIZING_H_
