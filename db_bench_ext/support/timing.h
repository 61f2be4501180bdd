// A stopwatch, and what the rounds that it measured have in common.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bloomline::bench {

template <typename Function>
double SecondsOf(const Function& timed) {
  const auto start = std::chrono::steady_clock::now();
  timed();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The mean of the two in the middle if their number is even; NaN if there are none.
inline double Median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Spread {
  double median = NAN;
  double min = NAN;
  double max = NAN;
};

// NaN if there are no values.
inline Spread SpreadOf(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return {Median(values), *min, *max};
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_
