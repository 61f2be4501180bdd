#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include "bloomline/filter_theory.h"
#include "src/filter/container/shapes.h"
#include "src/filter/layouts/formats.h"
#include "src/filter/rates/rates.h"

namespace bloomline::engine_filters {
namespace {

double RibbonRate(const stock::RibbonShape& shape) {
  const double rows =
      static_cast<double>(uint64_t{shape.upper_start} * stock::RibbonShape::kRowsPerBlock);
  const double lower = std::min(1.0, rows / shape.num_starts);
  const auto columns = static_cast<int>(shape.columns);
  return lower * std::ldexp(1.0, 1 - columns) + (1 - lower) * std::ldexp(1.0, -columns);
}

// The bytes of one block, in the view of its queries; 0 if the layout is not a Bloom filter.
uint64_t BloomBlockBytes(const FilterFacts& facts) {
  const filter::LayoutRow* const row = LayoutRowFor(facts.kind);
  const bool is_bloom =
      row != nullptr ? row->is_bloom()
                     : facts.kind == Kind::kRocksDBBloom || facts.kind == Kind::kRocksDBLegacy;
  if (!is_bloom) return 0;
  return facts.block_bytes > 1 ? facts.block_bytes : facts.payload_bytes;
}

uint64_t Ones(const char* block, uint64_t bytes) {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    if (bytes - i >= 8) {
      std::memcpy(&word, block + i, 8);
    } else {
      std::memcpy(&word, block + i, static_cast<size_t>(bytes - i));
    }
    ones += static_cast<uint64_t>(__builtin_popcountll(word));
  }
  return ones;
}

// The mean of fill^k over the blocks of a Bloom filter.
double RateFromBloomBits(const FilterFacts& facts, uint64_t block_bytes) {
  const uint64_t num_blocks = facts.payload_bytes / block_bytes;
  double rate = 0;
  for (uint64_t i = 0; i < num_blocks; ++i) {
    const uint64_t ones = Ones(facts.data + i * block_bytes, block_bytes);
    const double fill = static_cast<double>(ones) / static_cast<double>(8 * block_bytes);
    rate += std::pow(fill, facts.num_probes) / static_cast<double>(num_blocks);
  }
  return std::min(rate, 1.0);
}

double RateByFormula(const FilterFacts& facts, uint64_t num_keys) {
  const int num_probes = std::min(facts.num_probes, kMaxProbes);
  switch (facts.kind) {
    case Kind::kRocksDBRibbon:
      return RibbonRate(*facts.ribbon);
    case Kind::kRocksDBBloom:
      return ExactBlockedFalsePositiveRate(num_keys, facts.num_blocks, num_probes);
    case Kind::kRocksDBLegacy:  // its blocks have the size of ExactBlocked's on most CPUs
      return filter::WithEqualHashes(
          ExactBlockedFalsePositiveRate(num_keys, std::max<uint64_t>(facts.payload_bytes / 64, 1),
                                        num_probes),
          num_keys);
    case Kind::kClassic:
      return filter::WithEqualHashes(
          ExactStandardFalsePositiveRate(num_keys, 8 * facts.payload_bytes, num_probes), num_keys);
    default:
      return filter::ExactShapeRate(facts.shape, num_keys);
  }
}

}  // namespace

const char* KindName(Kind kind) {
  if (const filter::LayoutRow* row = LayoutRowFor(kind); row != nullptr) return row->long_name;
  return stock::KindName(static_cast<stock::Kind>(kind));
}

std::set<Kind> KindsFor(Container container, Format format) {
  constexpr double kAnyBits = 10;  // kinds hardly depend on it, but shapes need a number
  const bool is_rocksdb = container == Container::kRocksDB;
  std::set<Kind> kinds;
  if (is_rocksdb && format == Format::kBloom) kinds = {Kind::kRocksDBBloom, Kind::kRocksDBLegacy};
  if (is_rocksdb && format == Format::kRibbon) kinds = {Kind::kRocksDBRibbon};
  if (filter::IsStock(format) || (is_rocksdb && format == Format::kClassic)) return kinds;
  const filter::LevelDBShapes shapes(format, kAnyBits);
  for (uint64_t keys = 1; keys < (1 << 20); keys += keys / 8 + 1) {
    kinds.insert(KindOf(
        (is_rocksdb ? filter::TableShape(format, keys, kAnyBits) : shapes.For(keys)).layout));
  }
  return kinds;
}

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys || num_keys == 0) return 0;
  // Some layouts' formulas take up to milliseconds, and a database has few sizes of filters.
  using Arguments = std::tuple<Kind, int, uint64_t, uint64_t, uint64_t>;
  constexpr size_t kMaxRates = 10000;
  thread_local std::map<Arguments, double> rates;
  if (rates.size() >= kMaxRates) rates.clear();
  const Arguments arguments(kind(), facts_.num_probes, facts_.num_blocks, facts_.payload_bytes,
                            num_keys);
  if (const auto known = rates.find(arguments); known != rates.end()) return known->second;
  // Before it is stored: the formula may throw std::bad_alloc.
  double rate = RateByFormula(facts_, num_keys);
  if (rate > 1) rate = 1;  // Sums of rounded numbers may exceed 1. NaN stays.
  rates.emplace(arguments, rate);
  return rate;
}

double EngineFilter::RateFromBits() const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys) return 0;
  if (kind() == Kind::kRocksDBRibbon) return RibbonRate(*facts_.ribbon);
  const uint64_t block_bytes = BloomBlockBytes(facts_);
  return block_bytes == 0 ? std::nan("") : RateFromBloomBits(facts_, block_bytes);
}

}  // namespace bloomline::engine_filters
