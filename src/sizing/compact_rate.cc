#include "src/sizing/compact_rate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_line.h"
#include "src/sizing/log_factorial.h"

namespace bloomline::core {
namespace {

// P(n random equations in s unknowns, with `rows` right-hand sides each, do not contradict each
// other), for n = 0 .. max_equations, at most kMaxSlots. One after the other: with rank q so far,
// an equation depends on the others with probability 2^(q - s), and then fits with probability
// 2^-rows.
std::array<double, kernels::kMaxSlots + 1> ConsistencyProbabilities(uint64_t max_equations,
                                                                    unsigned unknowns,
                                                                    unsigned rows) {
  // Of so many dependent equations and more, all fit with a probability that nobody will measure.
  constexpr size_t kMaxDependent = 24;
  double by_dependent[kMaxDependent] = {1};
  const double fits = std::ldexp(1.0, -static_cast<int>(rows));
  std::array<double, kernels::kMaxSlots + 1> result = {1.0};
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
    result[i + 1] = sum;
  }
  return result;
}

// The same for the partial row, which a random share of the keys asks; at most max_asking can.
double PartialRowProbability(uint64_t num_keys, unsigned partial_slots, unsigned partial_share,
                             uint64_t max_asking) {
  if (partial_share == 0) return 1;
  const auto consistent = ConsistencyProbabilities(num_keys, partial_slots, 1);
  const double n = static_cast<double>(num_keys);
  const double log_asks = std::log(partial_share / 256.0);
  const double log_not = std::log1p(-static_cast<double>(partial_share) / 256.0);
  double probability = 0;
  for (uint64_t asking = 0; asking <= std::min(num_keys, max_asking); ++asking) {
    const double m = static_cast<double>(asking);
    probability +=
        consistent[asking] * std::exp(LogFactorial(n) - LogFactorial(m) - LogFactorial(n - m) +
                                      m * log_asks + (n - m) * log_not);
  }
  return probability;
}

double PackedLineRate(uint64_t num_keys, uint32_t line_bytes, uint32_t base_slots) {
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
    const double partial_fits =
        PartialRowProbability(num_keys, shape.partial_slots, shape.partial_share, num_keys);
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

// P(n random equations in `unknowns` unknowns leave j dependent ones), j = 0 .. kMaxLeft; more are
// counted there.
constexpr size_t kMaxLeft = 24;
std::array<double, kMaxLeft + 1> DependentProbabilities(uint64_t num_keys, unsigned unknowns) {
  std::array<double, kMaxLeft + 1> left = {};
  left[0] = 1;
  for (uint64_t i = 0; i < num_keys; ++i) {
    const auto depends = [&](size_t j) {
      const int rank = static_cast<int>(i) - static_cast<int>(j);
      return std::min(1.0, std::ldexp(1.0, rank - static_cast<int>(unknowns)));
    };
    for (size_t j = kMaxLeft; j > 0; --j) {
      const double stays = j == kMaxLeft ? 1 : 1 - depends(j);
      left[j] = left[j] * stays + left[j - 1] * depends(j - 1);
    }
    left[0] *= 1 - depends(0);
  }
  return left;
}

// Of j equations left, in the three variable slots of one try.
double VariableSlotsProbability(size_t left) {
  double probability = left > 3 ? 0 : 1;
  for (size_t i = 0; i < left && i < 3; ++i) {
    probability *= 1 - std::ldexp(1.0, static_cast<int>(i) - 3);
  }
  return probability;
}

// As if what fails at one number of slots said nothing about the next but through the rank.
double LanesLineRate(uint64_t num_keys, uint32_t base_slots) {
  if (num_keys > kernels::kMaxSlots) return 1;
  const uint64_t last_slots =
      std::min<uint64_t>(kernels::kMaxSlots, base_slots + kernels::kNumCodes - 1);
  uint64_t slots = std::max<uint64_t>(num_keys, base_slots);
  std::array<double, kMaxLeft + 1> left =
      DependentProbabilities(num_keys, static_cast<unsigned>(slots) - 3);
  double rate = 0;
  for (; slots <= last_slots; ++slots) {
    const kernels::LaneLayout& layout = kernels::kLaneTables.layouts[slots];
    const auto code = static_cast<unsigned>(slots - base_slots);
    const double tries = kernels::HasManyTries(code) ? kernels::kManyTries : kernels::kFewTries;
    const double partial = PartialRowProbability(num_keys, layout.partial_slots,
                                                 layout.partial_share, layout.partial_slots);
    const bool in_tail = slots <= kernels::kLaneSlots;
    const double line_rate =
        std::exp2(-static_cast<double>(layout.full_rows)) * (1 - layout.partial_share / 512.0);
    for (size_t j = 0; j <= 3; ++j) {
      const double variable = VariableSlotsProbability(j) * (in_tail ? 1 : partial);
      double solved = 1 - std::pow(1 - variable, tries);
      if (in_tail) solved *= 1 - std::pow(1 - partial, 1u << kernels::kTailTryBits);
      rate += left[j] * solved * line_rate;
      left[j] *= 1 - solved;
    }
    for (size_t j = 1; j <= kMaxLeft; ++j) {
      const double fewer = left[j] * (1 - std::ldexp(1.0, -static_cast<int>(j)));
      left[j] -= fewer;
      left[j - 1] += fewer;
    }
  }
  for (const double unsolved : left) rate += unsolved;
  return rate;
}

}  // namespace

double CompactLineRate(uint64_t num_keys, uint32_t line_bytes, uint32_t base_slots) {
  return line_bytes == kernels::kBlockBytes && base_slots >= kernels::kMinLanesBase
             ? LanesLineRate(num_keys, base_slots)
             : PackedLineRate(num_keys, line_bytes, base_slots);
}

}  // namespace bloomline::core
