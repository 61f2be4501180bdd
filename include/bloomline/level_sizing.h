// Bits per key for each level of an LSM tree. In small levels, a bit per key saves as many reads
// but costs less memory (Monkey: Dayan et al. 2017).
//
//   bloomline::KeysOfLevels(5, 10, keys);
//   bloomline::SpreadBitsByLevel(bloomline::Format::kBlocked, 10, keys, nullptr, 5, bits);
//   // bits: 35.5, 27.5, 20.6, 14.8, 9.4
//
// Arguments:
//
//   format            of an engine's filters: in kRibbon, bits per key are the N of ribbonfilter:N
//   bits_per_key      over all levels: 0 to the upper end of AllowedBitsPerKey(format)
//   num_levels        1 to kMaxLevels; the length of the arrays
//   keys_of_level     in any unit: 0, or 1e-30 to 1e30; not all 0
//   runs_of_level     sorted runs, as an average: 1e-6 to 1e6. Null: 1 each
//   bits_of_level     bits per key: 0 (no filter), or within AllowedBitsPerKey(format)
//
// For other arguments, functions return NaN, or return false and leave the output unchanged. All
// functions are pure and thread-safe. With 7 levels and 2 bits per key or more, they take up to
// 4 ms, but BitsPerKeyForWastedReads up to 0.2 s.
#ifndef BLOOMLINE_LEVEL_SIZING_H_
#define BLOOMLINE_LEVEL_SIZING_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

constexpr int kMaxLevels = 64;
constexpr double kMaxLevelSizeRatio = 1000;

// Computes fractions of all keys: each level has level_size_ratio (1 to kMaxLevelSizeRatio) times
// as many as the one before it. Fractions below 1e-30 are 0.
bool KeysOfLevels(int num_levels, double level_size_ratio, double* keys_of_level);

// Minimizes WastedReads while all filters together take at most bits_per_key for each key. The
// result is usually within 1 % of the minimum, and never worse than bits_per_key in all levels.
bool SpreadBitsByLevel(Format format, double bits_per_key, const double* keys_of_level,
                       const double* runs_of_level, int num_levels, double* bits_of_level);

// Expected wasted reads per Get of a missing key: the sum of the false-positive rates of all runs,
// 1 for a run without a filter.
double WastedReads(Format format, const double* bits_of_level, const double* runs_of_level,
                   int num_levels);

// Filter memory per key over all levels.
double AverageBitsPerKey(const double* keys_of_level, const double* bits_of_level, int num_levels);

// The fewest bits_per_key, to 1e-3, with which SpreadBitsByLevel wastes at most wasted_reads (above
// 0). NaN if none does.
double BitsPerKeyForWastedReads(Format format, double wasted_reads, const double* keys_of_level,
                                const double* runs_of_level, int num_levels);

// The bits_per_key, at most the upper end of the format's range, with which all filters take
// filter_bytes, before rounding. keys_of_level are numbers of keys.
double BitsPerKeyForLevelBytes(Format format, uint64_t filter_bytes, const double* keys_of_level,
                               int num_levels);

// Returns "", or why SpreadBitsByLevel refuses the arguments.
std::string ValidateLevels(Format format, double bits_per_key, const double* keys_of_level,
                           const double* runs_of_level, int num_levels);

}  // namespace bloomline

#endif  // BLOOMLINE_LEVEL_SIZING_H_
