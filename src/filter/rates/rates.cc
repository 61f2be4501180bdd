#include "src/filter/rates/rates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/limits.h"

namespace bloomline {
namespace {

using filter::kCoarsePrecision;
using filter::kNotANumber;
using filter::kPrecision;
using filter::LeastBitsPerKey;
using filter::OccupancyMoment;

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

auto BlockRate(double bins, int num_probes) {
  return [=](double keys) { return OccupancyMoment(keys * num_probes, bins, num_probes); };
}

// The fraction of keys that use the partial column of a small set's block.
double PartialUse(unsigned slots, unsigned partial_slots) {
  unsigned users = 0;
  for (uint64_t selector = 0; selector < 256; ++selector) {
    const uint64_t hash = selector << kernels::kSelectorShift;
    users += kernels::small_set::UsesPartialColumn(hash, slots, partial_slots) ? 1 : 0;
  }
  return users / 256.0;
}

// The rate of a small set's block that was solved with this many slots.
double RateWithSlots(uint32_t block_bytes, unsigned slots) {
  if (slots > kernels::small_set::kMaxBlockSlots) return 1;
  const kernels::small_set::Division division = kernels::small_set::DivideBlock(block_bytes, slots);
  return std::ldexp(1 - PartialUse(slots, division.partial_slots) / 2,
                    -static_cast<int>(division.full_columns));
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

double BlockedFalsePositiveRate(double bits_per_key, int num_probes) {
  return SmallBlockFalsePositiveRate(kernels::kBlockBits, bits_per_key, num_probes);
}

double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_blocks, int num_probes) {
  return ExactSmallBlockFalsePositiveRate(kernels::kBlockBits, num_keys, num_blocks, num_probes);
}

double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes) {
  if (!(bits_per_key > 0) || !filter::ProbesInRange(num_probes)) return kNotANumber;
  return RateOverPoissonLoads(block_bits / bits_per_key, BlockRate(block_bits, num_probes));
}

double ExactSmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                        int num_probes) {
  if (!filter::ProbesInRange(num_probes)) return kNotANumber;
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
  return RateOverBinomialLoads(num_keys, num_blocks, [=](double keys) {
    return num_blocks == 1 ? SmallSetBlockRate(kMoreSlotsOfOneBlock, keys, block_bytes)
                           : SmallSetBlockRate(kMoreSlotsOfSeveral, keys, block_bytes);
  });
}

double filter::EstimatedSmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  // One block: in seven of eight cases as many slots as keys, else mostly one more. Several have
  // fewer attempts, and blocks with more keys than the mean weigh more than those with fewer.
  const auto of_mean = static_cast<unsigned>((num_keys + num_blocks - 1) / num_blocks);
  const unsigned slots = std::min(of_mean + (num_blocks == 1 ? 0 : 2), 62u);
  return (7 * RateWithSlots(block_bytes, slots) + RateWithSlots(block_bytes, slots + 1)) / 8;
}

int OptimalStandardNumProbes(double bits_per_key) {
  return filter::OptimalStandardNumProbes(bits_per_key);
}

double StandardBitsPerKeyForFalsePositiveRate(double rate) {
  if (!filter::IsRate(rate)) return kNotANumber;
  return LeastBitsPerKey(kMinBitsPerKey, kMaxBitsPerKey, kPrecision, [=](double bits_per_key) {
    return StandardFalsePositiveRate(bits_per_key, OptimalStandardNumProbes(bits_per_key)) <= rate;
  });
}

double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double rate) {
  if (!filter::IsRate(rate)) return kNotANumber;
  return LeastBitsPerKey(
      kMinBitsPerKey, kMaxBitsPerKey, kCoarsePrecision, [=](double bits_per_key) {
        const int num_probes = OptimalSmallBlockNumProbes(block_bits, bits_per_key);
        return SmallBlockFalsePositiveRate(block_bits, bits_per_key, num_probes) <= rate;
      });
}

namespace filter {

double ShapeRate(const FilterShape& shape, double bits_per_key) {
  switch (shape.layout) {
    case Layout::kBlocked:
      return BlockedFalsePositiveRate(bits_per_key, shape.num_probes);
    case Layout::kFlat:
      return StandardFalsePositiveRate(bits_per_key, shape.num_probes);
    case Layout::kCompact:
      return CompactFalsePositiveRate(bits_per_key);
    default:
      return kNotANumber;
  }
}

double ExactShapeRate(const FilterShape& shape, uint64_t num_keys) {
  switch (shape.layout) {
    case Layout::kBlocked:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
    case Layout::kFlat:
      return ExactStandardFalsePositiveRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes);
    case Layout::kCompact:
      return ExactCompactFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kSmallSet:
      return ExactSmallSetFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    default:
      return kNotANumber;
  }
}

}  // namespace filter
}  // namespace bloomline
