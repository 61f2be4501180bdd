#include "src/filter/rates/rates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/table/layout_table.h"

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

// ---- Compact filters.

// Rates of compact blocks of 32 and 64 bytes by the number of keys, up to kMaxCompactSlots, to five
// digits. In a table because computing one takes 0.1 ms, and the rate of a filter is a sum over a
// hundred of them. compact_rate_test computes each entry again.
constexpr double kCompactBlockRates[2][kernels::kMaxCompactSlots + 1] = {
    {
        0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441,
        0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441, 0.00044441,
        0.00044441, 0.00044441, 0.00044441, 0.00044442, 0.00044447, 0.00044474, 0.00044633,
        0.00045542, 0.00050312, 0.00069975, 0.00093308, 0.0012587,  0.0015951,  0.0020147,
        0.0025371,  0.0030937,  0.0036956,  0.004597,   0.0053382,  0.0062261,  0.0071143,
        0.008521,   0.0095006,  0.010848,   0.012193,   0.013497,   0.014903,   0.017796,
        0.018426,   0.020426,   0.022405,   0.024328,   0.026172,   0.027993,   0.029803,
        0.032414,   0.034712,   0.03745,    0.040222,   0.042972,   0.045625,   0.048186,
        0.050717,   0.05314,    0.05546,    0.05772,    0.060115,   0.062833,   0.066214,
        0.069478,   0.073088,   0.076793,   0.080244,   0.083787,   0.087009,   0.090365,
        0.093533,   0.096662,   0.099596,   0.10249,    0.10523,    0.10811,    0.11128,
        0.11393,    0.11648,    0.11907,    0.12168,    0.12465,    0.12979,    0.13235,
        0.13625,    0.14025,    0.14428,    0.14834,    0.15222,    0.15608,    0.15982,
        0.16341,    0.16712,    0.17067,    0.17434,    0.17765,    0.18077,    0.1865,
        0.18967,    0.19281,    0.19586,    0.19882,    0.20176,    0.20466,    0.20749,
        0.21023,    0.21295,    0.21564,    0.21829,    0.22088,    0.22342,    0.22603,
        0.22914,    0.23462,    0.24778,    0.27946,    0.33447,
    },
    {
        1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,
        1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,
        1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.411e-07,  1.4129e-07,
        1.4541e-07, 1.9005e-07, 3.6548e-07, 7.1529e-07, 1.0546e-06, 1.8789e-06, 3.0402e-06,
        5.1725e-06, 7.2146e-06, 1.0746e-05, 1.5384e-05, 2.1825e-05, 2.9858e-05, 4.0812e-05,
        5.3766e-05, 7.4318e-05, 9.2141e-05, 0.00011583, 0.00014907, 0.00018468, 0.00022403,
        0.00028433, 0.00033693, 0.00040129, 0.00046952, 0.00056475, 0.00066575, 0.000773,
        0.00088086, 0.00099793, 0.0011723,  0.001349,   0.0015254,  0.0016979,  0.001877,
        0.0021471,  0.0023932,  0.0026816,  0.0029635,  0.0032424,  0.0035133,  0.0037973,
        0.0042213,  0.0046169,  0.0050727,  0.0055237,  0.0059647,  0.0064003,  0.0068159,
        0.0072328,  0.0076754,  0.0083212,  0.00894,    0.0096451,  0.010341,   0.011137,
        0.011797,   0.012442,   0.013077,   0.013699,   0.014319,   0.014962,   0.015689,
        0.016715,   0.017575,   0.018581,   0.019593,   0.020602,   0.021597,   0.022557,
        0.023498,   0.024441,   0.025346,   0.026232,   0.027123,   0.027986,   0.02957,
        0.030405,   0.031085,   0.031876,   0.034186,   0.035451,   0.036845,   0.038229,
        0.039599,   0.040975,   0.042323,   0.043632,   0.044949,   0.046233,   0.0475,
        0.048856,   0.050865,   0.055994,   0.07077,    0.10064,
    },
};

double ExactCompactRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, [&](double keys) {
    return filter::CompactBlockRate(static_cast<uint64_t>(keys), block_bytes);
  });
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

// The rate of LevelDB's compact filters, whose blocks have 8 to 64 bytes. From 12 keys on it is
// within 4 % for one block, 10 % for several; below, it is too high.
double ExactSmallSetRate(uint64_t num_keys, uint64_t num_blocks, uint32_t block_bytes) {
  if (num_keys == 0) return 0;
  return RateOverBinomialLoads(num_keys, num_blocks, [=](double keys) {
    return num_blocks == 1 ? SmallSetBlockRate(kMoreSlotsOfOneBlock, keys, block_bytes)
                           : SmallSetBlockRate(kMoreSlotsOfSeveral, keys, block_bytes);
  });
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

double filter::CompactBlockRate(uint64_t num_keys, uint32_t block_bytes) {
  if (block_bytes != 32 && block_bytes != 64) return kNotANumber;
  if (num_keys <= kernels::kMaxCompactSlots) {
    return kCompactBlockRates[block_bytes == 64 ? 1 : 0][num_keys];
  }
  // The rate depends on the size of the block, not on its arrangement.
  const unsigned payload_bits = kernels::CompactPayloadBits(block_bytes);
  const double num_probes = kernels::BloomBlockNumProbes(payload_bits, num_keys);
  const double throws = num_probes * static_cast<double>(num_keys);
  return std::pow(1 - std::pow(1 - 1.0 / payload_bits, throws), num_probes);
}

double filter::CompactFalsePositiveRate(double bits_per_key) {
  const double c = ClampBitsPerKey(bits_per_key, AllowedBitsPerKey(Format::kCompact));
  const FilterShape shape = kCompactRow.shape({1, c});
  return RateOverPoissonLoads(8.0 * shape.block_bytes / c, [&](double keys) {
    return CompactBlockRate(static_cast<uint64_t>(keys), shape.block_bytes);
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
  return filter::kFlatRow.num_probes(filter::ClampBitsPerKey(bits_per_key));
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

// ---- By the shape of a payload.

double filter::ExactShapeRate(const FilterShape& shape, uint64_t num_keys) {
  switch (shape.layout) {
    case Layout::kBlocked:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
    case Layout::kFlat:
      return ExactStandardFalsePositiveRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes);
    case Layout::kCompact:
      return ExactCompactRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kSmallSet:
      return ExactSmallSetRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kClassic:  // positions have 32 bits
      return WithEqualHashes(
          ExactStandardFalsePositiveRate(
              num_keys, std::min(8 * shape.payload_bytes(), uint64_t{1} << 32), shape.num_probes),
          num_keys);
    case Layout::kRocksDBBloom:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
    case Layout::kRocksDBLegacy:  // its blocks have the size of ExactBlocked's on most CPUs
      return WithEqualHashes(
          ExactBlockedFalsePositiveRate(
              num_keys, std::max<uint64_t>(shape.payload_bytes() / kernels::kBlockBytes, 1),
              std::min(shape.num_probes, kMaxProbes)),
          num_keys);
    case Layout::kRocksDBRibbon:
      return stock::ExpectedRibbonRateOf({shape.arrangement, shape.payload_bytes()});
    default:
      return kNotANumber;
  }
}

}  // namespace bloomline
