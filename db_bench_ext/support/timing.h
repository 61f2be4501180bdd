// A stopwatch, and what the rounds that it measured have in common.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <vector>

namespace bloomline::bench {

template <typename Function>
double SecondsOf(const Function& timed) {
  const auto start = std::chrono::steady_clock::now();
  timed();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The CPU time of this thread alone, whatever else the machine does. Reading that clock is a system
// call of a few hundred nanoseconds.
template <typename Function>
double CpuSecondsOf(const Function& timed) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  timed();
  return now() - start;
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

// What turn(round, subject) returns, by subject and round. All subjects have their turn in a round,
// and each round begins with another one: what else the machine does affects all of them alike.
template <typename Turn>
auto InTurns(int rounds, size_t num_subjects, const Turn& turn) {
  std::vector<std::vector<decltype(turn(0, size_t{0}))>> results(num_subjects);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < num_subjects; ++i) {
      const size_t now = (i + static_cast<size_t>(round)) % num_subjects;
      results[now].push_back(turn(round, now));
    }
  }
  return results;
}

// One figure of the results of all rounds.
template <typename Result>
std::vector<double> Each(const std::vector<Result>& results, double Result::*figure) {
  std::vector<double> values;
  for (const Result& result : results) values.push_back(result.*figure);
  return values;
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_TIMING_H_
