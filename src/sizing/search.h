// Searches that turn a formula around: the least bits per key, or whole number, that meets a bound.
#ifndef BLOOMLINE_SIZING_SEARCH_H_
#define BLOOMLINE_SIZING_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bloomline::core {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Past it sums and products below could wrap; no filter comes near.
constexpr uint64_t kMaxUnits = uint64_t{1} << 62;

inline bool IsRate(double rate) { return rate > 0 && rate < 1; }

// A whole number from 1 on; the cast alone would be undefined for what is too large, or NaN.
inline uint64_t ToUnits(double value) {
  if (!(value > 1)) return 1;
  return value < static_cast<double>(kMaxUnits) ? static_cast<uint64_t>(value) : kMaxUnits;
}

// The least value >= 1 with holds(value), in as few calls as `guess` is good: steps from the guess
// double until the answer lies between two of them. holds must be false, then true; where it wavers
// by rounding, the result still holds and the value below it does not. 0 if kMaxUnits does not
// hold.
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

// The most that does not exceed: the value before the least that does.
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

constexpr double kPrecision = 1e-6;
// Where a step takes longer; filters come in whole lines anyway.
constexpr double kCoarsePrecision = 1e-3;

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_SEARCH_H_
