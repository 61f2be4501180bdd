#include "src/filter/sizing/compact_rate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_bloom_block.h"
#include "src/filter/kernels/compact/compact_search.h"
#include "src/filter/sizing/compact_block_rates.h"
#include "src/filter/sizing/linear_systems.h"

namespace bloomline::filter {
namespace {

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

// A block that is a Bloom filter.
double BloomBlockRate(double num_keys, double payload_bits) {
  const double num_probes = kernels::BloomBlockNumProbes(static_cast<unsigned>(payload_bits),
                                                         static_cast<uint64_t>(num_keys));
  return std::pow(1 - std::pow(1 - 1 / payload_bits, num_probes * num_keys), num_probes);
}

// Assumes that a failure at one number of slots affects the next one through the rank alone, and
// that attempts are independent of each other. At most kMaxCompactSlots keys.
double SolvedBlockRate(uint64_t num_keys, uint32_t arrangement) {
  const unsigned payload_bits = kernels::kArrangements[arrangement].payload_bits();
  const kernels::SearchRange range(num_keys);
  std::array<double, kMaxLeft + 1> left =
      DependentProbabilities(num_keys, range.least_slots - kernels::kNumVariableSlots);
  double rate = 0;
  for (unsigned slots = range.least_slots; slots <= range.last_slots; ++slots) {
    const kernels::ColumnCounts counts = kernels::ColumnCountsOf(payload_bits, slots);
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
  return num_keys == 0
             ? rate
             : rate + unsolved * BloomBlockRate(static_cast<double>(num_keys), payload_bits);
}

// Of the arrangements of a block size, the rate depends on the bytes alone.
constexpr uint32_t ArrangementOf(uint32_t block_bytes) { return block_bytes == 32 ? 0 : 2; }

}  // namespace

double CompactBlockRate(uint64_t num_keys, uint32_t block_bytes) {
  if (num_keys > kernels::kMaxCompactSlots) {
    const unsigned payload_bits = kernels::kArrangements[ArrangementOf(block_bytes)].payload_bits();
    return BloomBlockRate(static_cast<double>(num_keys), payload_bits);
  }
  return kCompactBlockRates[block_bytes == 32 ? 0 : 1][num_keys];
}

double ComputedCompactBlockRate(uint64_t num_keys, uint32_t block_bytes) {
  return SolvedBlockRate(num_keys, ArrangementOf(block_bytes));
}

}  // namespace bloomline::filter
