#include "bloomline/filter_theory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/limits.h"
#include "src/filter/layouts/num_probes.h"
#include "src/filter/rates/least_bits.h"
#include "src/filter/rates/rates.h"

namespace bloomline {
namespace {

using filter::kCoarsePrecision;
using filter::kNone;
using filter::kPrecision;
using filter::LeastBitsPerKey;
using filter::OccupancyMoment;

constexpr double kLn2 = 0.6931471805599453;
// Blocks with more keys than this are full in every format, so the sums over loads are not worth
// their time.
constexpr double kHopelessLoad = 1e5;

// The most steps for which the distribution of the occupied bins is computed: throws times occupied
// bins.
constexpr double kMaxDistributionSteps = 1e7;
constexpr uint64_t kMaxOccupied = 3163;  // min(throws, bins)
static_assert(kMaxOccupied * kMaxOccupied >= kMaxDistributionSteps);

// OccupancyMoment from the distribution of X, the occupied bins, throw by throw: a throw hits an
// occupied bin with probability x/B. At most kMaxOccupied bins are ever occupied, so the
// distribution takes 25 KB of stack and no other memory.
double OccupancyMomentByDistribution(uint64_t throws, uint64_t bins, int k) {
  const double b = static_cast<double>(bins);
  const uint64_t most = std::min(throws, bins);
  double probability[kMaxOccupied + 1] = {1};
  for (uint64_t t = 0; t < throws; ++t) {
    for (uint64_t x = std::min(t + 1, most); x > 0; --x) {
      const double hits = static_cast<double>(x);
      probability[x] = probability[x] * hits / b + probability[x - 1] * (b - hits + 1) / b;
    }
    probability[0] = 0;
  }
  double moment = 0;
  for (uint64_t x = 1; x <= most; ++x) {
    moment += probability[x] * std::pow(static_cast<double>(x) / b, k);
  }
  return moment;
}

// Sum over loads i (keys in a block) of P(i) * load_rate(i). growth(i) is P(i + 1) / P(i). The sum
// starts at the most probable load with an assumed P of 1 and goes outwards, each probability from
// its neighbour; dividing by the sum of all P corrects the assumption. Unlike logarithms of
// factorials, this loses no digits at 1e12 keys.
template <typename LoadRate, typename Growth>
double MixOverLoads(double mean_load, double max_load, LoadRate load_rate, Growth growth) {
  if (mean_load > kHopelessLoad) return 1;
  constexpr double kNegligible = 1e-30;
  const double mode = std::min(max_load, std::floor(mean_load));
  double total = 1;
  double rate = load_rate(mode);
  double probability = 1;
  for (double i = mode; i < max_load && probability > kNegligible; ++i) {
    probability *= growth(i);
    total += probability;
    rate += probability * load_rate(i + 1);
  }
  probability = 1;
  for (double i = mode; i > 0 && probability > kNegligible; --i) {
    probability /= growth(i - 1);
    total += probability;
    rate += probability * load_rate(i - 1);
  }
  return rate / total;
}

}  // namespace

// E[(X/B)^k], X = occupied bins after t throws into B, with
//   E[f(X)] = f(mean) + f''(mean) * variance / 2.
double filter::OccupancyMoment(double throws, double bins, int k) {
  if (throws == 0) return 0;
  const double empty = std::exp(throws * std::log1p(-1 / bins));
  const double pair_empty = std::exp(throws * std::log1p(-2 / bins));
  const double mean = 1 - empty;
  const double variance = std::max(0.0, (empty + (bins - 1) * pair_empty) / bins - empty * empty);
  return std::pow(mean, k) * (1 + 0.5 * k * (k - 1) * variance / (mean * mean));
}

double IdealNumProbes(double bits_per_key) {
  return bits_per_key > 0 ? bits_per_key * kLn2 : kNone;
}

double StandardFalsePositiveRate(double bits_per_key, double num_probes) {
  if (!(bits_per_key > 0) || !(num_probes > 0)) return kNone;
  return std::pow(-std::expm1(-num_probes / bits_per_key), num_probes);
}

double IdealBitsPerKey(double rate) { return InformationLimitBitsPerKey(rate) / kLn2; }

double InformationLimitBitsPerKey(double rate) {
  return rate > 0 && rate < 1 ? -std::log2(rate) : kNone;
}

double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  if (!filter::ProbesInRange(num_probes)) return kNone;
  if (num_keys == 0) return 0;
  if (num_bits == 0) return 1;
  const double throws = static_cast<double>(num_keys) * num_probes;
  const double bits = static_cast<double>(num_bits);
  if (throws * std::min(throws, bits) <= kMaxDistributionSteps && bits <= kMaxDistributionSteps) {
    return OccupancyMomentByDistribution(num_keys * static_cast<uint64_t>(num_probes), num_bits,
                                         num_probes);
  }
  return OccupancyMoment(throws, bits, num_probes);
}

namespace {

template <typename LoadRate>
double RateOverPoissonLoads(double mean_load, LoadRate load_rate) {
  return MixOverLoads(mean_load, std::numeric_limits<double>::infinity(), load_rate,
                      [=](double i) { return mean_load / (i + 1); });
}

template <typename LoadRate>
double RateOverBinomialLoads(uint64_t num_keys, uint64_t num_blocks, LoadRate load_rate) {
  const double n = static_cast<double>(num_keys);
  if (num_blocks == 1) return load_rate(n);
  const double blocks = static_cast<double>(num_blocks);
  return MixOverLoads(n / blocks, n, load_rate,
                      [=](double i) { return (n - i) / ((i + 1) * (blocks - 1)); });
}

auto BlockRate(double bins, int num_probes) {
  return [=](double keys) { return OccupancyMoment(keys * num_probes, bins, num_probes); };
}

}  // namespace

double filter::BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                                      uint32_t usable_bits) {
  return RateOverPoissonLoads(bits_per_block / bits_per_key, BlockRate(usable_bits, num_probes));
}

double BlockedFalsePositiveRate(double bits_per_key, int num_probes) {
  return SmallBlockFalsePositiveRate(kernels::kBlockBits, bits_per_key, num_probes);
}

double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, int num_probes) {
  return ExactSmallBlockFalsePositiveRate(kernels::kBlockBits, num_keys, num_blocks, num_probes);
}

double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes) {
  if (!(bits_per_key > 0) || !filter::ProbesInRange(num_probes)) return kNone;
  return RateOverPoissonLoads(block_bits / bits_per_key, BlockRate(block_bits, num_probes));
}

double ExactSmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                        int num_probes) {
  if (!filter::ProbesInRange(num_probes)) return kNone;
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, BlockRate(block_bits, num_probes));
}

int OptimalSmallBlockNumProbes(int block_bits, double bits_per_key) {
  const double c = filter::ClampBitsPerKey(bits_per_key);
  int best = kMinProbes;
  double best_rate = SmallBlockFalsePositiveRate(block_bits, c, best);
  // The rate falls to its minimum and rises from there.
  for (int k = best + 1; k <= kMaxProbes; ++k) {
    const double rate = SmallBlockFalsePositiveRate(block_bits, c, k);
    if (rate >= best_rate) break;
    best = k;
    best_rate = rate;
  }
  return best;
}

double CompactFalsePositiveRate(double bits_per_key) {
  // std::clamp would return NaN for NaN.
  const double c = bits_per_key > kMinCompactBitsPerKey
                       ? std::min(bits_per_key, kMaxCompactBitsPerKey)
                       : kMinCompactBitsPerKey;
  const filter::FilterShape shape = filter::kCompactRow.shape({1, c});
  return RateOverPoissonLoads(8.0 * shape.block_bytes / c, [&](double keys) {
    return filter::CompactBlockRate(static_cast<uint64_t>(keys), shape.block_bytes);
  });
}

double ExactCompactFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, [&](double keys) {
    return filter::CompactBlockRate(static_cast<uint64_t>(keys), block_bytes);
  });
}

double ExactSmallSetFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks,
                                      uint32_t block_bytes) {
  if (num_keys == 0) return 0;
  const unsigned attempts =
      num_blocks == 1 ? kernels::small_set::kMaxAttempts : kernels::small_set::kHeaderAttempts;
  return RateOverBinomialLoads(num_keys, num_blocks, [&](double keys) {
    return filter::SmallSetBlockRate(static_cast<uint64_t>(keys), block_bytes, attempts);
  });
}

int OptimalStandardNumProbes(double bits_per_key) {
  return filter::OptimalStandardNumProbes(bits_per_key);
}

double StandardBitsPerKeyForFalsePositiveRate(double rate) {
  if (!filter::IsRate(rate)) return kNone;
  return LeastBitsPerKey(kMinBitsPerKey, kMaxBitsPerKey, kPrecision, [=](double bits_per_key) {
    return StandardFalsePositiveRate(bits_per_key, OptimalStandardNumProbes(bits_per_key)) <= rate;
  });
}

double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double rate) {
  if (!filter::IsRate(rate)) return kNone;
  return LeastBitsPerKey(
      kMinBitsPerKey, kMaxBitsPerKey, kCoarsePrecision, [=](double bits_per_key) {
        const int num_probes = OptimalSmallBlockNumProbes(block_bits, bits_per_key);
        return SmallBlockFalsePositiveRate(block_bits, bits_per_key, num_probes) <= rate;
      });
}

}  // namespace bloomline
