#include "src/filter/stock/stock_size.h"

#include <algorithm>
#include <cmath>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/stock_filter.h"
#include "src/support/bisection.h"

namespace bloomline::stock {
namespace {

constexpr double kBlockBits = static_cast<double>(kernels::kBlockBits);

// RocksDB's BloomMath::StandardFpRate (util/bloom_impl.h), with the same rounding: it decides
// sizes. StandardFalsePositiveRate (filter_theory.h) is more precise for low rates.
double StandardRate(double bits_per_key, int num_probes) {
  return std::pow(1 - std::exp(-num_probes / bits_per_key), num_probes);
}

// The most columns of a ribbon filter's block.
constexpr double kMaxColumns = RibbonShape::kMaxColumns;

// Slots for each key: BandingConfigHelper (util/ribbon_config.cc), whose table for up to 2^17 slots
// is between 1.021 and 1.036.
double SlotsPerKey(uint64_t num_keys) {
  const double log2_slots = std::log2(static_cast<double>(std::max<uint64_t>(num_keys, 1)));
  return std::max(1.023, 0.97149 + 0.0038 * log2_slots);
}

// The mean number of columns of the blocks for a rate, and back: blocks of c and of c + 1 columns,
// whose rates are 2^-c and half of it.
double ColumnsForRate(double rate) {
  const double lower = std::min(std::floor(-std::log2(rate)), kMaxColumns);
  return std::min(kMaxColumns, lower + 2 - std::ldexp(rate, static_cast<int>(lower) + 1));
}
double RateOfColumns(double columns) {
  const double lower = std::floor(std::min(columns, kMaxColumns));
  return std::ldexp(1 - (std::min(columns, kMaxColumns) - lower) / 2, -static_cast<int>(lower));
}

}  // namespace

int Millibits(double bits_per_key) { return static_cast<int>(bits_per_key * 1000 + 0.500001); }

int BloomNumProbes(int millibits) {
  constexpr int kUpTo[] = {2080,  3580,  5100,  6640,  8300,  10070,
                           11720, 14001, 16050, 18300, 22001, 25501};
  int num_probes = 1;
  for (const int limit : kUpTo) {
    if (millibits <= limit) return num_probes;
    ++num_probes;
  }
  return millibits > 50000 ? 24 : (millibits - 1) / 2000 - 1;
}

uint64_t BloomPayloadBytes(uint64_t num_keys, int millibits) {
  // The product would be more than kMaxPayloadBytes.
  if (num_keys > kMaxPayloadBytes * 8) return kMaxPayloadBytes;
  const uint64_t bytes = (num_keys * static_cast<uint64_t>(millibits) + 7999) / 8000;
  return std::min(bytes + 63, kMaxPayloadBytes) & ~uint64_t{63};
}

double ExpectedBloomRate(double bits_per_key, int num_probes) {
  if (!(bits_per_key > 0)) return 1;
  // The mean of the rates one standard deviation above and below the mean number of keys.
  const double keys = kBlockBits / bits_per_key;
  const double deviation = std::sqrt(keys);
  const double crowded = StandardRate(kBlockBits / (keys + deviation), num_probes);
  const double uncrowded = StandardRate(kBlockBits / (keys - deviation), num_probes);
  return (crowded + uncrowded) / 2;
}

double RibbonRate(double bits_per_key) {
  const int millibits = Millibits(bits_per_key);
  const double rate = ExpectedBloomRate(millibits / 1000.0, BloomNumProbes(millibits));
  return std::max(rate, RateOfColumns(kMaxColumns));
}

double RibbonMemoryBits(double bits_per_key, uint64_t num_keys) {
  return ColumnsForRate(RibbonRate(bits_per_key)) * SlotsPerKey(num_keys);
}

double RibbonRateOfMemory(double memory_bits, uint64_t num_keys) {
  return RateOfColumns(memory_bits / SlotsPerKey(num_keys));
}

double RibbonBitsOfMemory(double memory_bits, uint64_t num_keys) {
  constexpr double kMin = 1, kMax = 100;
  constexpr double kPrecision = 1.25e-13;  // nine units in the last place of kMax
  const auto fits = [=](double bits_per_key) {
    return RibbonMemoryBits(bits_per_key, num_keys) <= memory_bits;
  };
  return support::Bisect(kMin, kMax, fits, kPrecision).holds;
}

}  // namespace bloomline::stock
