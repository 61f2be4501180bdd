// The least false-positive rate within reach, as errors name it.
#ifndef BLOOMLINE_FILTER_SIZING_REACHABLE_RATE_H_
#define BLOOMLINE_FILTER_SIZING_REACHABLE_RATE_H_

#include <cmath>

namespace bloomline::filter {

// `rate` rounded up to two digits: a rate that is printed and given back is then within reach.
// Needs 0 < rate.
inline double RoundedUp(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 1);
  return std::ceil(rate / unit) * unit;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_REACHABLE_RATE_H_
