#include "src/filter/sizing/linear_systems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "src/filter/sizing/log_factorial.h"

namespace bloomline::filter {
namespace {

// Blocks have room for fewer different keys.
constexpr size_t kMaxEquations = 127;

using SystemProbabilities = std::array<double, kMaxEquations + 1>;

// P(n random equations in `unknowns` unknowns have a solution), for n = 0 to max_equations.
//
// Equation by equation: if the rank is q so far, the next one depends on the others with
// probability 2^(q - unknowns), and then agrees with them with probability 1/2.
SystemProbabilities ConsistencyProbabilities(uint64_t max_equations, unsigned unknowns) {
  // So many dependent equations or more all agree with a negligible probability.
  constexpr size_t kMaxDependent = 24;
  double by_dependent[kMaxDependent] = {1};
  SystemProbabilities result = {1.0};
  for (uint64_t i = 0; i < max_equations; ++i) {
    double sum = 0;
    for (size_t dependent = std::min<size_t>(kMaxDependent - 1, i + 1) + 1; dependent-- > 0;) {
      // by_dependent[dependent - 1] is still the value of the previous step.
      const auto depends = [&](size_t d) {
        const int rank = static_cast<int>(i) - static_cast<int>(d);
        return std::min(1.0, std::ldexp(1.0, rank - static_cast<int>(unknowns)));
      };
      double p = by_dependent[dependent] * (1 - depends(dependent));
      if (dependent > 0) p += by_dependent[dependent - 1] * depends(dependent - 1) / 2;
      by_dependent[dependent] = p;
      sum += p;
    }
    result[i + 1] = sum;
  }
  return result;
}

}  // namespace

double PartialColumnProbability(uint64_t num_keys, unsigned partial_slots, unsigned threshold,
                                uint64_t max_affected) {
  if (threshold == 0) return 1;
  const auto consistent = ConsistencyProbabilities(num_keys, partial_slots);
  const double n = static_cast<double>(num_keys);
  const double log_affected = std::log(threshold / 256.0);
  const double log_not_affected = std::log1p(-static_cast<double>(threshold) / 256.0);
  double probability = 0;
  for (uint64_t affected = 0; affected <= std::min(num_keys, max_affected); ++affected) {
    const double m = static_cast<double>(affected);
    probability +=
        consistent[affected] * std::exp(LogFactorial(n) - LogFactorial(m) - LogFactorial(n - m) +
                                        m * log_affected + (n - m) * log_not_affected);
  }
  return probability;
}

}  // namespace bloomline::filter
