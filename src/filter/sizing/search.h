// Searches that invert a formula: the least bits per key, or whole number, that meets a bound.
#ifndef BLOOMLINE_FILTER_SIZING_SEARCH_H_
#define BLOOMLINE_FILTER_SIZING_SEARCH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bloomline::filter {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Beyond it, sums and products below could overflow. No filter comes near.
constexpr uint64_t kMaxUnits = uint64_t{1} << 62;

inline bool IsRate(double rate) { return rate > 0 && rate < 1; }

// The value as a whole number from 1 to kMaxUnits. The cast alone is undefined for NaN and values
// that are too large.
inline uint64_t ToUnits(double value) {
  if (!(value > 1)) return 1;
  return value < static_cast<double>(kMaxUnits) ? static_cast<uint64_t>(value) : kMaxUnits;
}

// The least value >= 1 with holds(value); 0 if kMaxUnits does not hold. The better `guess`, the
// fewer calls: steps from the guess double until the result lies between two of them. holds must be
// false up to some value and true from there on. If rounding makes it waver, the result still
// holds, and the value below it does not.
template <typename Holds>
uint64_t LeastThat(uint64_t guess, Holds holds) {
  uint64_t low = 0;  // does not hold, or is 0
  uint64_t high = std::clamp<uint64_t>(guess, 1, kMaxUnits);
  if (holds(high)) {
    for (uint64_t step = 1; high > step; step *= 2) {
      if (!holds(high - step)) {
        low = high - step;
        break;
      }
      high -= step;
    }
  } else {
    for (uint64_t step = 1;; step *= 2) {
      if (high == kMaxUnits) return 0;
      low = high;
      high = std::min(high + step, kMaxUnits);
      if (holds(high)) break;
    }
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// The greatest value that does not exceed: the one before the least that does.
template <typename Exceeds>
uint64_t MostWithout(uint64_t guess, Exceeds exceeds) {
  const uint64_t exceeding = LeastThat(guess, exceeds);
  return exceeding == 0 ? kMaxUnits : exceeding - 1;
}

// The least bits per key in low..high at which rate_at is at most `rate`; NaN if there is none.
template <typename RateAt>
double LeastBitsPerKey(double rate, double low, double high, double precision, RateAt rate_at) {
  if (!(rate > 0 && rate < 1) || rate_at(high) > rate) return kNone;
  if (rate_at(low) <= rate) return low;
  while (high - low > precision) {
    const double middle = low + (high - low) / 2;
    (rate_at(middle) <= rate ? high : low) = middle;
  }
  return high;
}

// `rate` rounded up to two digits: a rate that is printed and given back is then within reach.
// Needs 0 < rate.
inline double RoundedUp(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 1);
  return std::ceil(rate / unit) * unit;
}

constexpr double kPrecision = 1e-6;
// For formulas that take longer. Filters consist of whole blocks anyway.
constexpr double kCoarsePrecision = 1e-3;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_SEARCH_H_
