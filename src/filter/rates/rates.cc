#include "src/filter/rates/rates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline {
namespace {

using filter::kCoarsePrecision;
using filter::kNotANumber;
using filter::kPrecision;
using filter::LeastBitsPerKey;

// ---- Filters of many blocks, by the rate of one block.

// Blocks with more keys than this are full in every format, so the sums over loads are not worth
// their time.
constexpr double kHopelessLoad = 1e5;

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

// The probability that k random bins are all occupied after `throws` random ones were: E[(X/B)^k],
// X = occupied bins after t throws into B, with
//   E[f(X)] = f(mean) + f''(mean) * variance / 2.
double OccupancyMoment(double throws, double bins, int k) {
  if (throws == 0) return 0;
  const double empty = std::exp(throws * std::log1p(-1 / bins));
  const double pair_empty = std::exp(throws * std::log1p(-2 / bins));
  const double mean = 1 - empty;
  const double variance = std::max(0.0, (empty + (bins - 1) * pair_empty) / bins - empty * empty);
  return std::pow(mean, k) * (1 + 0.5 * k * (k - 1) * variance / (mean * mean));
}

auto BlockRate(double bins, int num_probes) {
  return [=](double keys) { return OccupancyMoment(keys * num_probes, bins, num_probes); };
}

// ---- Small sets.

// The fraction of keys that use the partial column of a small set's block: UsesPartialColumn for
// 256 selectors.
double PartialUse(unsigned slots, unsigned partial_slots) {
  constexpr unsigned kSpare = kernels::small_set::kSparePartialSlots;
  if (partial_slots <= kSpare) return 0;
  return static_cast<double>(filter::CeilDiv(256 * (partial_slots - kSpare), slots)) / 256;
}

// The rate of a small set's block that was solved with this many slots.
double RateWithSlots(uint32_t block_bytes, unsigned slots) {
  if (slots > kernels::small_set::kMaxBlockSlots) return 1;
  const kernels::small_set::BlockSplit split = kernels::small_set::SplitBlock(block_bytes, slots);
  return std::ldexp(1 - PartialUse(slots, split.partial_slots) / 2,
                    -static_cast<int>(split.full_columns));
}

// How often a block has as many slots as keys, one more, and so on, by the ranks of random matrices
// over GF(2) (Dillinger and Walzer, "Ribbon filter", 2021): with the 16 attempts of a filter that
// is one block, and with the four of others. Means of 12 to 58 keys.
constexpr double kMoreSlotsOfOneBlock[] = {0.92, 0.08};
constexpr double kMoreSlotsOfSeveral[] = {0.695, 0.27, 0.025, 0.01};

template <size_t kSize>
double SmallSetBlockRate(const double (&more_slots)[kSize], double keys, uint32_t block_bytes) {
  const auto slots =
      static_cast<unsigned>(std::clamp(keys, 1.0, kernels::small_set::kMaxBlockSlots + 1.0));
  double rate = 0;
  for (unsigned i = 0; i < kSize; ++i)
    rate += more_slots[i] * RateWithSlots(block_bytes, slots + i);
  return rate;
}

}  // namespace

// ---- The rates.

double StandardFalsePositiveRate(double bits_per_key, double num_probes) {
  if (!(bits_per_key > 0) || !(num_probes > 0)) return kNotANumber;
  return std::pow(-std::expm1(-num_probes / bits_per_key), num_probes);
}

double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  if (!filter::ProbesInRange(num_probes)) return kNotANumber;
  if (num_keys == 0) return 0;
  if (num_bits == 0) return 1;
  return OccupancyMoment(static_cast<double>(num_keys) * num_probes, static_cast<double>(num_bits),
                         num_probes);
}

double filter::BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                                      uint32_t usable_bits) {
  return RateOverPoissonLoads(bits_per_block / bits_per_key, BlockRate(usable_bits, num_probes));
}

double BlockedFalsePositiveRate(double bits_per_key, int num_probes, int block_bits) {
  if (!(bits_per_key > 0) || !filter::ProbesInRange(num_probes)) return kNotANumber;
  return RateOverPoissonLoads(block_bits / bits_per_key, BlockRate(block_bits, num_probes));
}

double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, int num_probes,
                                     int block_bits) {
  if (!filter::ProbesInRange(num_probes)) return kNotANumber;
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, BlockRate(block_bits, num_probes));
}

double filter::SmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, [=](double keys) {
    return num_blocks == 1 ? SmallSetBlockRate(kMoreSlotsOfOneBlock, keys, block_bytes)
                           : SmallSetBlockRate(kMoreSlotsOfSeveral, keys, block_bytes);
  });
}

double filter::WithEqualHashes(double rate, uint64_t num_keys) {
  constexpr uint64_t kNumHashes = uint64_t{1} << 32;
  const double equal = -std::expm1(static_cast<double>(num_keys) * std::log1p(-1.0 / kNumHashes));
  return equal + (1 - equal) * rate;
}

double filter::ClampBitsPerKey(double bits_per_key, const BitsPerKeyRange& allowed) {
  // std::clamp would return NaN for NaN.
  return bits_per_key > allowed.min ? std::min(bits_per_key, allowed.max) : allowed.min;
}

// ---- The number of probes.

int OptimalStandardNumProbes(double bits_per_key) {
  static constexpr double kMoreProbesFrom[] = {
      2.0781,  3.5562,  5.0135,  6.4643,  7.9120,  9.3583,  10.8035, 12.2482, 13.6924, 15.1364,
      16.5801, 18.0237, 19.4671, 20.9105, 22.3537, 23.7969, 25.2400, 26.6831, 28.1261, 29.5691,
      31.0121, 32.4551, 33.8980, 35.3409, 36.7838, 38.2267, 39.6696, 41.1124, 42.5553};
  return filter::NumProbesFrom(kMoreProbesFrom, filter::ClampBitsPerKey(bits_per_key));
}

int OptimalBlockedNumProbes(double bits_per_key, int block_bits) {
  const double c = filter::ClampBitsPerKey(bits_per_key);
  int best = kMinProbes;
  double best_rate = BlockedFalsePositiveRate(c, best, block_bits);
  // The rate falls to its minimum and rises from there.
  for (int k = best + 1; k <= kMaxProbes; ++k) {
    const double rate = BlockedFalsePositiveRate(c, k, block_bits);
    if (rate >= best_rate) break;
    best = k;
    best_rate = rate;
  }
  return best;
}

// ---- The least bits per key that meet a bound.

double StandardBitsPerKeyForFalsePositiveRate(double rate) {
  if (!filter::IsRate(rate)) return kNotANumber;
  return LeastBitsPerKey(kMinBitsPerKey, kMaxBitsPerKey, kPrecision, [=](double bits_per_key) {
    return StandardFalsePositiveRate(bits_per_key, OptimalStandardNumProbes(bits_per_key)) <= rate;
  });
}

double BlockedBitsPerKeyForFalsePositiveRate(double rate, int block_bits) {
  if (!filter::IsRate(rate)) return kNotANumber;
  return LeastBitsPerKey(
      kMinBitsPerKey, kMaxBitsPerKey, kCoarsePrecision, [=](double bits_per_key) {
        const int num_probes = OptimalBlockedNumProbes(bits_per_key, block_bits);
        return BlockedFalsePositiveRate(bits_per_key, num_probes, block_bits) <= rate;
      });
}

}  // namespace bloomline
