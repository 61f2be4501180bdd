// Formulas of false-positive rates beside those of bloomline/filter_theory.h, and the search that
// inverts a formula. Each layout's row has its formula (layout_row.h).
#ifndef BLOOMLINE_FILTER_RATES_RATES_H_
#define BLOOMLINE_FILTER_RATES_RATES_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "bloomline/filter_options.h"
#include "src/support/bisection.h"

namespace bloomline::filter {

// BlockedFalsePositiveRate (bloomline/filter_theory.h) for blocks of bits_per_block bits,
// usable_bits of which the probes use.
double BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                              uint32_t usable_bits);

// The rate of LevelDB's small sets, whose blocks have 8 to 64 bytes. From 12 keys on it is within
// 4 % for one block, 10 % for several; below, it is too high.
double SmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes);

// The rate of a filter whose keys have hashes of 32 bits, if it is `rate` for different hashes.
// LevelDB's filters and RocksDB's legacy filters have such hashes.
double WithEqualHashes(double rate, uint64_t num_keys);

// Clamps to the range; NaN gives its lower end.
double ClampBitsPerKey(double bits_per_key,
                       const BitsPerKeyRange& allowed = {kMinBitsPerKey, kMaxBitsPerKey});

// ---- The least bits per key that meet a bound.

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

inline bool IsRate(double rate) { return rate > 0 && rate < 1; }

// Returns the least bits per key in low..high, to `precision`, at which reaches(bits per key) is
// true, as it is from there on; NaN if it is false everywhere.
template <typename Reaches>
double LeastBitsPerKey(double low, double high, double precision, Reaches reaches) {
  if (!reaches(high)) return kNotANumber;
  if (reaches(low)) return low;
  const auto misses = [&](double bits_per_key) { return !reaches(bits_per_key); };
  return support::Bisect(low, high, misses, precision).fails;
}

// Returns `rate` rounded up to two digits: a rate that is printed and given back is then within
// reach. Needs 0 < rate.
inline double RoundedUp(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 1);
  return std::ceil(rate / unit) * unit;
}

constexpr double kPrecision = 1e-6;
// For slower formulas. Filters consist of whole blocks anyway.
constexpr double kCoarsePrecision = 1e-3;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RATES_RATES_H_
