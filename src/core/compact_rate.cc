#include "src/core/compact_rate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/core/log_factorial.h"
#include "src/kernels/compact_line.h"

namespace bloomline::core {
namespace {

// P(n random equations in s unknowns, with `rows` right-hand sides each, do not contradict each
// other), for n = 0 .. max_equations. One after the other: with rank q so far, an equation depends
// on the others with probability 2^(q - s), and then fits with probability 2^-rows.
std::vector<double> ConsistencyProbabilities(uint64_t max_equations, unsigned unknowns,
                                             unsigned rows) {
  // Of so many dependent equations and more, all fit with a probability that nobody will measure.
  constexpr size_t kMaxDependent = 24;
  double by_dependent[kMaxDependent] = {1};
  const double fits = std::ldexp(1.0, -static_cast<int>(rows));
  std::vector<double> result = {1.0};
  for (uint64_t i = 0; i < max_equations; ++i) {
    double sum = 0;
    for (size_t dependent = std::min<size_t>(kMaxDependent - 1, i + 1) + 1; dependent-- > 0;) {
      // by_dependent[dependent - 1] is still that of the step before.
      const auto depends = [&](size_t d) {
        const int rank = static_cast<int>(i) - static_cast<int>(d);
        return std::min(1.0, std::ldexp(1.0, rank - static_cast<int>(unknowns)));
      };
      double p = by_dependent[dependent] * (1 - depends(dependent));
      if (dependent > 0) p += by_dependent[dependent - 1] * depends(dependent - 1) * fits;
      by_dependent[dependent] = p;
      sum += p;
    }
    result.push_back(sum);
  }
  return result;
}

// The same for the partial row, which a random share of the keys asks.
double PartialRowProbability(uint64_t num_keys, const kernels::LineShape& shape) {
  if (shape.partial_share == 0) return 1;
  const std::vector<double> consistent = ConsistencyProbabilities(num_keys, shape.partial_slots, 1);
  const double n = static_cast<double>(num_keys);
  const double log_asks = std::log(shape.partial_share / 256.0);
  const double log_not = std::log1p(-shape.partial_share / 256.0);
  double probability = 0;
  for (uint64_t asking = 0; asking <= num_keys; ++asking) {
    const double m = static_cast<double>(asking);
    probability +=
        consistent[asking] * std::exp(LogFactorial(n) - LogFactorial(m) - LogFactorial(n - m) +
                                      m * log_asks + (n - m) * log_not);
  }
  return probability;
}

}  // namespace

double CompactLineRate(uint64_t num_keys, uint32_t line_bytes, uint32_t base_slots) {
  const uint64_t last_slots =
      std::min<uint64_t>(kernels::kMaxSlots, base_slots + kernels::kMatchAllCode - 1);
  const uint64_t first_slots = std::max<uint64_t>(num_keys, base_slots);
  // Of one seed number: equations that fit in s slots fit in more, too, while the partial row,
  // which changes with s, is a new draw each time. The seed numbers are independent of each other.
  double fits_before = 0;   // P(the full rows fit in s - 1 slots)
  double waiting = 0;       // P(they fit, but no partial row did so far)
  double solved = 0;        // P(solved so far)
  double all_unsolved = 1;  // by any seed number
  double rate = 0;
  constexpr double kNegligible = 1e-9;
  for (uint64_t slots = first_slots; slots <= last_slots && all_unsolved > kNegligible; ++slots) {
    const unsigned s = static_cast<unsigned>(slots);
    const kernels::LineShape shape = kernels::LineShapeOf(line_bytes, s);
    const double fits =
        std::max(fits_before, ConsistencyProbabilities(num_keys, s, shape.full_rows)[num_keys]);
    const double partial_fits = PartialRowProbability(num_keys, shape);
    const double candidates = waiting + fits - fits_before;
    solved += candidates * partial_fits;
    waiting = candidates * (1 - partial_fits);
    fits_before = fits;
    const double still_unsolved = std::pow(1 - solved, static_cast<double>(kernels::kNumSeeds));
    rate += (all_unsolved - still_unsolved) * std::exp2(-static_cast<double>(shape.full_rows)) *
            (1 - shape.partial_share / 512.0);
    all_unsolved = still_unsolved;
  }
  return rate + all_unsolved;
}

}  // namespace bloomline::core
