#include "bloomline/sizing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "src/format/layout.h"
#include "src/format/leveldb_codes.h"
#include "src/format/limits.h"
#include "src/format/num_probes.h"
#include "src/format/trailer.h"
#include "src/kernels/probe_sequence.h"
#include "src/sizing/block_rate.h"
#include "src/sizing/compact_rate.h"

namespace bloomline {
namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kBinsPerLine = static_cast<double>(kernels::kBlockBits);
// Lines with more keys than this are full in every format; the sums over loads then have no terms
// worth their time.
constexpr double kHopelessLoad = 1e5;

// E[(X/B)^k], X = occupied bins after t throws into B, from mean and variance of X:
//   E[f(X)] = f(mean) + f''(mean) * variance / 2.
double OccupancyMoment(double throws, double bins, int k) {
  if (throws == 0) return 0;
  const double empty = std::exp(throws * std::log1p(-1 / bins));
  const double pair_empty = std::exp(throws * std::log1p(-2 / bins));
  const double mean = 1 - empty;
  const double variance = std::max(0.0, (empty + (bins - 1) * pair_empty) / bins - empty * empty);
  return std::pow(mean, k) * (1 + 0.5 * k * (k - 1) * variance / (mean * mean));
}

// Up to so many throws times occupied bins, the distribution of X is worth its time.
constexpr double kMaxDistributionSteps = 1e7;
constexpr uint64_t kMaxOccupied = 3163;  // min(throws, bins)
static_assert(kMaxOccupied * kMaxOccupied >= kMaxDistributionSteps);

// The same from the distribution of X, step by step: a throw hits an occupied bin with probability
// x/B. At most kMaxOccupied bins are ever occupied, so the distribution takes 25 KB of stack and
// no memory.
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

// Sum over loads i of P(i) * line_rate(i), around a mean load. growth(i) is P(i + 1) / P(i): from
// the most probable load outwards, each probability comes from its neighbour, and their sum makes
// up for the first one's being unknown. Unlike logarithms of factorials, this loses no digits at
// 1e12 keys.
template <typename LineRate, typename Growth>
double MixOverLoads(double mean_load, double max_load, LineRate line_rate, Growth growth) {
  if (mean_load > kHopelessLoad) return 1;
  constexpr double kNegligible = 1e-30;
  const double mode = std::min(max_load, std::floor(mean_load));
  double total = 1;
  double rate = line_rate(mode);
  double probability = 1;
  for (double i = mode; i < max_load && probability > kNegligible; ++i) {
    probability *= growth(i);
    total += probability;
    rate += probability * line_rate(i + 1);
  }
  probability = 1;
  for (double i = mode; i > 0 && probability > kNegligible; --i) {
    probability /= growth(i - 1);
    total += probability;
    rate += probability * line_rate(i - 1);
  }
  return rate / total;
}

}  // namespace

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

double StandardFalsePositiveRate(double bits_per_key, int num_probes) {
  return core::ProbesInRange(num_probes) ? StandardFalsePositiveRate(bits_per_key, num_probes)
                                         : kNone;
}

double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  if (!core::ProbesInRange(num_probes)) return kNone;
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

template <typename LineRate>
double RateOverPoissonLoads(double mean_load, LineRate line_rate) {
  return MixOverLoads(mean_load, std::numeric_limits<double>::infinity(), line_rate,
                      [=](double i) { return mean_load / (i + 1); });
}

template <typename LineRate>
double RateOverBinomialLoads(uint64_t num_keys, uint64_t num_lines, LineRate line_rate) {
  const double n = static_cast<double>(num_keys);
  if (num_lines == 1) return line_rate(n);
  const double lines = static_cast<double>(num_lines);
  return MixOverLoads(n / lines, n, line_rate,
                      [=](double i) { return (n - i) / ((i + 1) * (lines - 1)); });
}

auto BlockRate(double bins, int num_probes) {
  return [=](double keys) { return OccupancyMoment(keys * num_probes, bins, num_probes); };
}

}  // namespace

double BlockedFalsePositiveRate(double bits_per_key, int num_probes) {
  if (!(bits_per_key > 0) || !core::ProbesInRange(num_probes)) return kNone;
  return RateOverPoissonLoads(kBinsPerLine / bits_per_key, BlockRate(kBinsPerLine, num_probes));
}

double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, int num_probes) {
  if (!core::ProbesInRange(num_probes)) return kNone;
  if (num_keys == 0) return 0;
  if (num_lines == 0) return 1;
  return RateOverBinomialLoads(num_keys, num_lines, BlockRate(kBinsPerLine, num_probes));
}

double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes) {
  if (!(bits_per_key > 0) || !core::ProbesInRange(num_probes)) return kNone;
  return RateOverPoissonLoads(block_bits / bits_per_key, BlockRate(block_bits, num_probes));
}

double ExactSmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                        int num_probes) {
  if (!core::ProbesInRange(num_probes)) return kNone;
  if (num_keys == 0) return 0;
  if (num_blocks == 0) return 1;
  return RateOverBinomialLoads(num_keys, num_blocks, BlockRate(block_bits, num_probes));
}

int OptimalSmallBlockNumProbes(int block_bits, double bits_per_key) {
  const double c = core::ClampBitsPerKey(bits_per_key);
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
  const double c = std::clamp(bits_per_key, kMinCompactBitsPerKey, kMaxCompactBitsPerKey);
  const core::FilterShape shape = core::CompactShape(1, c, 0, UINT64_MAX);
  return RateOverPoissonLoads(8.0 * shape.block_bytes / c, [&](double keys) {
    return core::CompactLineRate(static_cast<uint64_t>(keys), shape.block_bytes, shape.base_slots);
  });
}

double ExactCompactFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, uint32_t line_bytes,
                                     uint32_t base_slots) {
  if (num_keys == 0) return 0;
  if (num_lines == 0) return 1;
  return RateOverBinomialLoads(num_keys, num_lines, [&](double keys) {
    return core::CompactLineRate(static_cast<uint64_t>(keys), line_bytes, base_slots);
  });
}

int OptimalNumProbes(Format format, double bits_per_key) {
  return core::OptimalNumProbes(format, bits_per_key);
}

int OptimalStandardNumProbes(double bits_per_key) {
  return core::OptimalStandardNumProbes(bits_per_key);
}

double FalsePositiveRate(Format format, double bits_per_key) {
  if (format == Format::kCompact) return CompactFalsePositiveRate(bits_per_key);
  const double c = core::ClampBitsPerKey(bits_per_key);
  const int k = OptimalNumProbes(format, c);
  return format == Format::kClassic ? StandardFalsePositiveRate(c, k)
                                    : BlockedFalsePositiveRate(c, k);
}

namespace {

// The least bits per key in low..high at which rate_at is at most `rate`; NaN if there is none.
template <typename RateAt>
double LeastBitsPerKey(double rate, double low, double high, double precision, RateAt rate_at) {
  if (!(rate > 0 && rate < 1) || rate_at(high) > rate) return kNone;
  if (rate_at(low) <= rate) return low;
  while (high - low > precision) {
    const double middle = low + (high - low) / 2;
    (rate_at(middle) <= rate ? high : low) = middle;
  }
  return high;
}

constexpr double kPrecision = 1e-6;
// Where a step takes longer; filters come in whole lines anyway.
constexpr double kCoarsePrecision = 1e-3;

}  // namespace

double BitsPerKeyForFalsePositiveRate(Format format, double rate) {
  const auto rate_at = [&](double bits_per_key) { return FalsePositiveRate(format, bits_per_key); };
  if (format == Format::kCompact) {
    return LeastBitsPerKey(rate, kMinCompactBitsPerKey, kMaxCompactBitsPerKey, kCoarsePrecision,
                           rate_at);
  }
  return LeastBitsPerKey(rate, kMinBitsPerKey, kMaxBitsPerKey, kPrecision, rate_at);
}

double BitsPerKeyWithNumProbes(Format format, double rate, int num_probes) {
  if (format == Format::kCompact || !core::ProbesInRange(num_probes)) return kNone;
  return LeastBitsPerKey(
      rate, kMinBitsPerKey, kMaxBitsPerKey, kPrecision, [&](double bits_per_key) {
        return format == Format::kClassic ? StandardFalsePositiveRate(bits_per_key, num_probes)
                                          : BlockedFalsePositiveRate(bits_per_key, num_probes);
      });
}

double StandardBitsPerKeyForFalsePositiveRate(double rate) {
  return LeastBitsPerKey(rate, kMinBitsPerKey, kMaxBitsPerKey, kPrecision, [](double bits_per_key) {
    return StandardFalsePositiveRate(bits_per_key, OptimalStandardNumProbes(bits_per_key));
  });
}

double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double rate) {
  return LeastBitsPerKey(
      rate, kMinBitsPerKey, kMaxBitsPerKey, kCoarsePrecision, [&](double bits_per_key) {
        return SmallBlockFalsePositiveRate(block_bits, bits_per_key,
                                           OptimalSmallBlockNumProbes(block_bits, bits_per_key));
      });
}

uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key) {
  if (!core::IsAllowed(format, bits_per_key)) return 0;
  if (format == Format::kClassic) {
    constexpr uint64_t kCodeBytes = 1;
    return core::ClassicShape(num_keys, bits_per_key).payload_bytes() + kCodeBytes;
  }
  if (num_keys == 0) return core::kTrailerBytes;
  return core::StandaloneShape(format, num_keys, bits_per_key, kMinProbes, UINT64_MAX)
             .payload_bytes() +
         core::kTrailerBytes;
}

double core::BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                                    uint32_t usable_bits) {
  return RateOverPoissonLoads(bits_per_block / bits_per_key, [=](double keys) {
    return OccupancyMoment(keys * num_probes, usable_bits, num_probes);
  });
}

FilterOptions FilterOptions::ForFalsePositiveRate(Format format, double rate) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = BitsPerKeyForFalsePositiveRate(format, rate);
  return options;
}

}  // namespace bloomline
