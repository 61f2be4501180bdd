// The rates of small sets: LevelDB's compact filters.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/filter/bits/small_set_block.h"
#include "src/filter/rates/rates.h"
#include "src/support/log_gamma.h"

namespace bloomline::filter {
namespace {

// The most dependent equations that are told apart. More are negligible, and count as this many.
constexpr size_t kMaxLeft = 16;
using LeftProbabilities = std::array<double, kMaxLeft + 1>;

double LogFactorial(double n) { return support::LogGamma(n + 1); }  // ln n!

double PowerOfHalf(int64_t n) { return std::ldexp(1.0, -static_cast<int>(n)); }

// One more random equation in `unknowns` unknowns, after `before` others.
void AddEquation(uint64_t before, unsigned unknowns, LeftProbabilities* left) {
  const int64_t free = int64_t{unknowns} - static_cast<int64_t>(before);
  // P(it depends on the others | j of them are dependent) = 2^-(unknowns - rank).
  double depends = PowerOfHalf(free + static_cast<int64_t>(kMaxLeft));
  for (size_t j = kMaxLeft; j > 0; --j) {
    const double depends_below = 2 * depends;
    const double stays = j == kMaxLeft ? 1 : 1 - std::min(1.0, depends);
    (*left)[j] = (*left)[j] * stays + (*left)[j - 1] * std::min(1.0, depends_below);
    depends = depends_below;
  }
  (*left)[0] *= 1 - std::min(1.0, depends);
}

// P(j random equations in `unknowns` <= 4 unknowns are independent).
double IndependentProbability(size_t j, unsigned unknowns) {
  double probability = 1;
  for (size_t i = 0; i < j; ++i) {
    probability *= std::max(0.0, 1 - PowerOfHalf(int64_t{unknowns} - static_cast<int64_t>(i)));
  }
  return probability;
}

// P(j random equations in `unknowns` unknowns with one right side do not contradict each other).
double ConsistentProbability(size_t j, unsigned unknowns) {
  LeftProbabilities left = {1};
  for (size_t i = 0; i < j; ++i) AddEquation(i, unknowns, &left);
  double probability = 0;
  for (size_t d = 0; d <= kMaxLeft; ++d) probability += left[d] * PowerOfHalf(int64_t(d));
  return probability;
}

// The fraction of keys that use the partial column.
double PartialUse(unsigned slots, unsigned partial_slots) {
  unsigned users = 0;
  for (uint64_t selector = 0; selector < 256; ++selector) {
    const uint64_t hash = selector << kernels::kSelectorShift;
    users += kernels::small_set::UsesPartialColumn(hash, slots, partial_slots) ? 1 : 0;
  }
  return users / 256.0;
}

// How many of the partial column's equations depend on the others in its fixed slots.
LeftProbabilities PartialLeft(uint64_t num_keys, double use, unsigned fixed_slots) {
  LeftProbabilities result = {};
  LeftProbabilities left = {1};
  const double n = static_cast<double>(num_keys);
  for (uint64_t users = 0; users <= num_keys; ++users) {
    const double m = static_cast<double>(users);
    const double p = use <= 0   ? (users == 0 ? 1.0 : 0.0)
                     : use >= 1 ? (users == num_keys ? 1.0 : 0.0)
                                : std::exp(LogFactorial(n) - LogFactorial(m) - LogFactorial(n - m) +
                                           m * std::log(use) + (n - m) * std::log1p(-use));
    for (size_t j = 0; j <= kMaxLeft; ++j) result[j] += p * left[j];
    AddEquation(users, fixed_slots, &left);
  }
  return result;
}

unsigned FixedSlots(unsigned slots) {
  return slots > kernels::small_set::kVariableSlots ? slots - kernels::small_set::kVariableSlots
                                                    : 0;
}

double SolvedRate(const kernels::small_set::Division& division, double use) {
  return PowerOfHalf(division.full_columns) * (1 - use / 2);
}

double RateWithSlots(uint32_t block_bytes, unsigned slots) {
  const kernels::small_set::Division division = kernels::small_set::DivideBlock(block_bytes, slots);
  return SolvedRate(division, PartialUse(slots, division.partial_slots));
}

}  // namespace

double SmallSetBlockRate(uint64_t num_keys, uint32_t block_bytes, unsigned num_attempts) {
  if (num_keys > kernels::small_set::kMaxBlockSlots) return 1;
  unsigned slots = std::max(static_cast<unsigned>(num_keys), 1u);
  LeftProbabilities left = {1};
  for (uint64_t i = 0; i < num_keys; ++i) AddEquation(i, FixedSlots(slots), &left);
  double rate = 0;
  double unsolved = 1;
  constexpr double kNegligible = 1e-9;
  for (; slots <= kernels::small_set::kMaxBlockSlots && unsolved > kNegligible; ++slots) {
    const kernels::small_set::Division division =
        kernels::small_set::DivideBlock(block_bytes, slots);
    const double use = PartialUse(slots, division.partial_slots);
    const LeftProbabilities partial =
        PartialLeft(num_keys, use, FixedSlots(division.partial_slots));
    const unsigned variable = std::min(slots, kernels::small_set::kVariableSlots);
    const unsigned partial_variable =
        std::min(division.partial_slots, kernels::small_set::kVariableSlots);
    unsolved = 0;
    for (size_t j = 0; j <= kMaxLeft; ++j) {
      const double independent = IndependentProbability(j, variable);
      double solved = 0;
      for (size_t u = 0; u <= kMaxLeft && independent > 0; ++u) {
        const double good = independent * ConsistentProbability(u, partial_variable);
        solved += partial[u] * (1 - std::pow(1 - good, num_attempts));
      }
      rate += left[j] * solved * SolvedRate(division, use);
      left[j] *= 1 - solved;
      unsolved += left[j];
    }
    if (slots < kernels::small_set::kVariableSlots) continue;
    // One more fixed slot takes one of the dependent equations in, if any of them has it.
    for (size_t j = 1; j <= kMaxLeft; ++j) {
      const double fewer = left[j] * (1 - PowerOfHalf(static_cast<int64_t>(j)));
      left[j] -= fewer;
      left[j - 1] += fewer;
    }
  }
  return rate + unsolved;
}

double EstimatedSmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  // One block: in seven of eight cases as many slots as keys, else mostly one more. Several have
  // fewer attempts, and blocks with more keys than the mean weigh more than those with fewer.
  const auto of_mean = static_cast<unsigned>((num_keys + num_blocks - 1) / num_blocks);
  const unsigned slots = std::min(of_mean + (num_blocks == 1 ? 0 : 2), 62u);
  return (7 * RateWithSlots(block_bytes, slots) + RateWithSlots(block_bytes, slots + 1)) / 8;
}

}  // namespace bloomline::filter
