#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>
#include <cmath>
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
  const auto [rate, is_new] = rates.try_emplace(
      {kind(), facts_.num_probes, facts_.num_blocks, facts_.payload_bytes, num_keys});
  // Sums of rounded numbers may exceed 1. NaN stays.
  if (is_new) rate->second = RateByFormula(facts_, num_keys);
  if (rate->second > 1) rate->second = 1;
  return rate->second;
}

}  // namespace bloomline::engine_filters
