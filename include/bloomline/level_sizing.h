// How many bits per key the filters of each level of an LSM tree should get. A Get of a missing key
// queries one filter in each sorted run, and each false positive wastes a read of a block. In a
// level with a tenth of the keys, one more bit per key saves as many reads for a tenth of the
// memory. So the smaller levels should get more bits (Dayan, Athanassoulis and Idreos, "Monkey:
// Optimal Navigable Key-Value Store", 2017). Link with bloomline::core.
//
//   double keys[5], bits[5];
//   bloomline::KeysOfLevels(5, 10, keys);  // each level has 10 times the keys of the one before
//   bloomline::SpreadBitsByLevel(bloomline::Format::kCompact, 10, keys, 5, bits);
//   // bits: 24, 22.7, 17.8, 13.5, 9.56
//   bloomline::WastedReads(bloomline::Format::kCompact, bits, 5);           // 0.0023 per Get
//
// Arguments:
//
//   format            all levels have filters of one format.
//   bits_per_key      filter memory per key, over all levels: 0 to the upper end of
//                     AllowedBitsPerKey(format). Below the lower end, some level has no filter. In
//                     kRibbon, as in each level, the bits per key of a Bloom filter as accurate.
//   num_levels        1 to kMaxLevels; the length of the arrays.
//   keys_of_level     keys of each level, in any unit: 0, or 1e-30 to 1e30; not all 0. A level
//                     without keys costs nothing and gets the most bits. The sizes need not be
//                     sorted.
//   runs_of_level     sorted runs of each level: 4 if level 0 has four files, 1 from level 1 on.
//                     1e-6 to 1e6; a fraction is an average. Null: 1 each.
//   bits_of_level     bits per key of each level: 0, which means no filter, or within
//                     AllowedBitsPerKey(format).
//
// Wasted reads are an expected number per Get of a missing key: the sum of the false-positive rates
// of all runs (FalsePositiveRate of sizing.h). A run without a filter counts as 1. A Get of a
// stored key wastes reads only in the levels above its own.
//
// Errors: on arguments out of range, the functions return NaN, or false without touching the
// output. ValidateLevels says what is wrong.
//
// All functions are pure and thread-safe. The first call with a format takes 2 ms. Later calls with
// seven levels take 0.02 to 0.2 ms, BitsPerKeyForWastedReads 0.2 to 4 ms.
#ifndef BLOOMLINE_LEVEL_SIZING_H_
#define BLOOMLINE_LEVEL_SIZING_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

constexpr int kMaxLevels = 64;
constexpr double kMaxLevelSizeRatio = 1000;

// The keys of full levels, as fractions of all keys: each level has level_size_ratio (1 to
// kMaxLevelSizeRatio) times as many as the one before it. Fractions below 1e-30 are 0.
bool KeysOfLevels(int num_levels, double level_size_ratio, double* keys_of_level);

// Sets bits_of_level to what minimizes WastedReads, while all filters together take at most
// bits_per_key for each key. The result is within 1 % of the minimum but for a few trees: in
// kClassic, whose rate falls in steps, up to 6 % above it, and where some level has no filter, up
// to 13 % (of 7,500 random trees, 16 were more than 1 % above). It is never worse than bits_per_key
// in all levels, and leaves memory unused only if more memory would not save a read.
bool SpreadBitsByLevel(Format format, double bits_per_key, const double* keys_of_level,
                       int num_levels, double* bits_of_level);
bool SpreadBitsByLevel(Format format, double bits_per_key, const double* keys_of_level,
                       const double* runs_of_level, int num_levels, double* bits_of_level);

// The wasted reads per Get of a missing key.
double WastedReads(Format format, const double* bits_of_level, int num_levels);
double WastedReads(Format format, const double* bits_of_level, const double* runs_of_level,
                   int num_levels);

// Filter memory per key over all levels.
double AverageBitsPerKey(const double* keys_of_level, const double* bits_of_level, int num_levels);

// The least bits_per_key, to 1e-3, with which SpreadBitsByLevel wastes at most wasted_reads (more
// than 0). NaN if the upper end of the format's range wastes more.
double BitsPerKeyForWastedReads(Format format, double wasted_reads, const double* keys_of_level,
                                const double* runs_of_level, int num_levels);

// The bits_per_key with which the filters of all levels take filter_bytes, at most the upper end of
// the format's range. keys_of_level are numbers of keys here. Whole blocks and trailers, which make
// small filters larger (FilterBytes of sizing.h), are not counted.
double BitsPerKeyForLevelBytes(Format format, uint64_t filter_bytes, const double* keys_of_level,
                               int num_levels);

// Empty if SpreadBitsByLevel accepts the arguments, else one sentence that names the value and the
// allowed range. runs_of_level may be null.
std::string ValidateLevels(Format format, double bits_per_key, const double* keys_of_level,
                           const double* runs_of_level, int num_levels);

}  // namespace bloomline

#endif  // BLOOMLINE_LEVEL_SIZING_H_
