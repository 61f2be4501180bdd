// The search that inverts a formula: the least bits per key that meet a bound.
#ifndef BLOOMLINE_FILTER_RATES_LEAST_BITS_H_
#define BLOOMLINE_FILTER_RATES_LEAST_BITS_H_

#include <cmath>
#include <limits>

namespace bloomline::filter {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

inline bool IsRate(double rate) { return rate > 0 && rate < 1; }

// Returns the least bits per key in low..high, to `precision`, at which reaches(bits per key) is
// true, as it is from there on; NaN if it is false everywhere.
template <typename Reaches>
double LeastBitsPerKey(double low, double high, double precision, Reaches reaches) {
  if (!reaches(high)) return kNone;
  if (reaches(low)) return low;
  while (high - low > precision) {
    const double middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
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

#endif  // BLOOMLINE_FILTER_RATES_LEAST_BITS_H_
