// The false-positive rate of compact blocks from the mathematics of their solver: ranks of random
// matrices over GF(2), as in Dillinger and Walzer, "Ribbon filter", 2021. The library has a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/rates/rates.h"

namespace bloomline {
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

// P(the equations of a partial column have a solution, and at most max_affected of num_keys keys,
// itself at most 127, use it). Each does with probability threshold / 256.
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
    probability += consistent[affected] *
                   std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1) +
                            m * log_affected + (n - m) * log_not_affected);
  }
  return probability;
}

// P(of n random equations in `unknowns` unknowns, j depend on the others), for j = 0 to kMaxLeft;
// the last entry counts more than that, too.
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

// P(the three variable slots of one attempt solve the `left` dependent equations).
double VariableSlotsProbability(size_t left) {
  double probability = left > kernels::kNumVariableSlots ? 0 : 1;
  for (size_t i = 0; i < left && i < kernels::kNumVariableSlots; ++i) {
    probability *= 1 - std::ldexp(1.0, static_cast<int>(i) - 3);
  }
  return probability;
}

// The probability that a missing key matches if its block has num_keys keys, at most
// kMaxCompactSlots. Over the attempts (slots, seed) in the builder's order, it is
//   sum of P(all before failed, this one succeeds) * 2^-r * (1 - T / 512),
// with r full fingerprint bits and a threshold T of 256 for the partial one; the Bloom filter that
// the block then is if no attempt succeeds. Blocks of docs/format.md, section 3.5: 32 or 64 bytes.
// Takes 0.1 ms.
//
// Assumes that a failure at one number of slots affects the next one through the rank alone, and
// that attempts are independent of each other.
double ComputedCompactBlockRate(uint64_t num_keys, uint32_t block_bytes) {
  const unsigned payload_bits = kernels::CompactPayloadBits(block_bytes);
  const kernels::SearchRange range(num_keys);
  std::array<double, kMaxLeft + 1> left =
      DependentProbabilities(num_keys, range.least_slots - kernels::kNumVariableSlots);
  double rate = 0;
  for (unsigned slots = range.least_slots; slots <= range.last_slots; ++slots) {
    const kernels::ColumnCounts counts = kernels::CountColumns(payload_bits, slots);
    const double partial = PartialColumnProbability(num_keys, counts.partial_slots,
                                                    counts.threshold, counts.partial_slots);
    const double solved_rate =
        std::exp2(-static_cast<double>(counts.full)) * (1 - counts.threshold / 512.0);
    for (size_t j = 0; j <= kernels::kNumVariableSlots; ++j) {
      const double attempt = VariableSlotsProbability(j) * partial;
      const double solved = 1 - std::pow(1 - attempt, range.num_attempts());
      rate += left[j] * solved * solved_rate;
      left[j] *= 1 - solved;
    }
    for (size_t j = 1; j <= kMaxLeft; ++j) {
      const double fewer = left[j] * (1 - std::ldexp(1.0, -static_cast<int>(j)));
      left[j] -= fewer;
      left[j - 1] += fewer;
    }
  }
  double unsolved = 0;
  for (const double p : left) unsolved += p;
  if (num_keys == 0) return rate;
  const double num_probes = kernels::BloomBlockNumProbes(payload_bits, num_keys);
  const double throws = num_probes * static_cast<double>(num_keys);
  return rate + unsolved * std::pow(1 - std::pow(1 - 1.0 / payload_bits, throws), num_probes);
}

// A table, because computing them would take most of the time of all that needs a rate.
TEST(CompactRateTest, TabledRatesOfCompactBlocksAreTheComputedOnes) {
  for (const uint32_t block_bytes : {32u, 64u}) {
    for (uint64_t n = 0; n <= kernels::kMaxCompactSlots; ++n) {
      const double computed = ComputedCompactBlockRate(n, block_bytes);
      EXPECT_NEAR(filter::CompactBlockRate(n, block_bytes) / computed, 1, 1e-4)
          << n << " keys in " << block_bytes << " bytes: " << testing::PrintToString(computed);
    }
    // More keys than slots make a Bloom filter, which is worse.
    EXPECT_GT(filter::CompactBlockRate(kernels::kMaxCompactSlots + 1, block_bytes),
              filter::CompactBlockRate(kernels::kMaxCompactSlots, block_bytes));
  }
}

// 128 bytes were once looked up behind the end of the table.
TEST(CompactRateTest, BlocksOfOtherSizesHaveNoRate) {
  for (const uint32_t block_bytes : {0, 16, 31, 48, 63, 65, 128}) {
    EXPECT_TRUE(std::isnan(filter::CompactBlockRate(100, block_bytes))) << block_bytes;
  }
}

}  // namespace
}  // namespace bloomline
