// False-positive rates of filters of any engine (engine_filter.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bloomline/filter_theory.h"
#include "src/db/engine_filters/double_hashing.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/cpu/little_endian.h"

namespace bloomline::engine_filters {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double RibbonRate(const stock::RibbonShape& shape) {
  const double rows =
      static_cast<double>(uint64_t{shape.upper_start} * stock::RibbonShape::kRowsPerBlock);
  const double lower = std::min(1.0, rows / shape.num_starts);
  const auto columns = static_cast<int>(shape.columns);
  return lower * std::ldexp(1.0, 1 - columns) + (1 - lower) * std::ldexp(1.0, -columns);
}

bool HasDoubleHashing(Kind kind) { return kind == Kind::kClassic || kind == Kind::kRocksDBLegacy; }

DoubleHashing DoubleHashingOf(const FilterFacts& facts, uint64_t num_keys) {
  if (num_keys == 0) return {0, 0, 0};
  return facts.kind == Kind::kClassic
             ? ClassicDoubleHashing(num_keys, 8 * facts.payload_bytes, facts.num_probes)
             : LegacyDoubleHashing(num_keys, facts.num_blocks, __builtin_ctzll(facts.block_bytes),
                                   facts.num_probes);
}

// The layouts whose formulas take up to milliseconds.
double RateByFormula(const FilterFacts& facts, uint64_t num_keys) {
  if (const filter::LayoutRow* row = RowOf(facts.kind); row != nullptr) {
    return row->exact_rate(facts.payload, num_keys);
  }
  return facts.kind == Kind::kRocksDBBloom
             ? ExactBlockedFalsePositiveRate(num_keys, facts.num_blocks, facts.num_probes)
             : kNaN;
}

// The bytes of one block as its queries see it; 0 if the layout is no Bloom filter.
uint64_t BloomBlockBytes(const FilterFacts& facts) {
  const filter::LayoutRow* const row = RowOf(facts.kind);
  if (row != nullptr && !row->is_bloom()) return 0;
  if (row == nullptr && facts.kind != Kind::kRocksDBBloom && facts.kind != Kind::kRocksDBLegacy) {
    return 0;
  }
  return facts.block_bytes > 1 ? facts.block_bytes : facts.payload_bytes;
}

uint64_t Ones(const char* block, uint64_t bytes) {
  uint64_t ones = 0;
  uint64_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    ones += static_cast<uint64_t>(__builtin_popcountll(kernels::LoadLittleEndian64(block + i)));
  }
  for (; i < bytes; ++i) {
    ones += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(block[i])));
  }
  return ones;
}

// How full the blocks of a Bloom filter are.
struct Fill {
  double fill;        // mean
  double fill_power;  // mean of fill^k
  double block_bits;
  double num_blocks;
};
Fill FillOf(const FilterFacts& facts, uint64_t block_bytes) {
  const uint64_t num_blocks = facts.payload_bytes / block_bytes;
  Fill result = {0, 0, static_cast<double>(8 * block_bytes), static_cast<double>(num_blocks)};
  for (uint64_t i = 0; i < num_blocks; ++i) {
    const uint64_t ones = Ones(facts.data + i * block_bytes, block_bytes);
    const double fill = static_cast<double>(ones) / result.block_bits;
    result.fill += fill / result.num_blocks;
    result.fill_power += std::pow(fill, facts.num_probes) / result.num_blocks;
  }
  return result;
}

// Sums of rounded numbers may exceed 1. NaN stays.
double AtMostOne(double rate) { return rate > 1 ? 1 : rate; }

// A key hits one block, and of its bits a fraction h: 1 - fill = (1 - h / blocks)^n.
double KeysOf(const FilterFacts& facts, const Fill& fill) {
  const double hit = -std::expm1(facts.num_probes * std::log1p(-1 / fill.block_bits));
  return std::log1p(-std::min(1.0, fill.fill)) / std::log1p(-hit / fill.num_blocks);
}

uint64_t Rounded(double num_keys) {
  constexpr double kMost = 1e18;
  return static_cast<uint64_t>(std::round(std::min(num_keys, kMost)));
}

// A number of keys near that, of few that are simulated: to 2 %, and all up to 64.
uint64_t Representative(double num_keys) {
  const uint64_t n = std::max<uint64_t>(1, Rounded(num_keys));
  if (n <= 64) return n;
  const int shift = 63 - __builtin_clzll(n) - 5;
  const uint64_t half = uint64_t{1} << shift >> 1;
  return (n + half) >> shift << shift;
}

double RateFromBloomBits(const FilterFacts& facts, const Fill& fill) {
  if (!HasDoubleHashing(facts.kind)) return fill.fill_power;
  if (!(fill.fill > 0)) return 0;
  const DoubleHashing mean = DoubleHashingOf(facts, Representative(KeysOf(facts, fill)));
  // In few bits, what double hashing adds comes from few steps, and hardly depends on the bits of
  // this filter.
  constexpr double kFewBits = 1024;
  if (!(mean.fill_power > 0)) return mean.rate;
  if (fill.block_bits <= kFewBits) {
    return std::max(0.0, fill.fill_power + mean.rate - mean.fill_power);
  }
  return mean.rate * (fill.fill_power / mean.fill_power);
}

}  // namespace

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys || num_keys == 0) return 0;
  if (facts_.ribbon) return RibbonRate(*facts_.ribbon);
  if (HasDoubleHashing(kind())) return AtMostOne(DoubleHashingOf(facts_, num_keys).rate);
  using Arguments = std::tuple<Kind, int, uint64_t, uint64_t, uint64_t>;
  static auto* const known = new Remembered<Arguments, double>;
  return known->Get({kind(), facts_.num_probes, facts_.num_blocks, facts_.block_bytes, num_keys},
                    [&] { return AtMostOne(RateByFormula(facts_, num_keys)); });
}

double EngineFilter::RateFromBits() const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys) return 0;
  if (facts_.ribbon) return RibbonRate(*facts_.ribbon);
  const uint64_t block_bytes = BloomBlockBytes(facts_);
  if (block_bytes == 0) return kNaN;
  return AtMostOne(RateFromBloomBits(facts_, FillOf(facts_, block_bytes)));
}

}  // namespace bloomline::engine_filters
