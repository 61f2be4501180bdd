#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "bloomline/filter_theory.h"
#include "src/db/engine_filters/opened_filter.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/container/shapes.h"
#include "src/filter/layouts/limits.h"
#include "src/filter/rates/rates.h"

namespace bloomline::engine_filters {
namespace {

// ---- False-positive rates.

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double RibbonRate(const stock::RibbonShape& shape) {
  const double rows =
      static_cast<double>(uint64_t{shape.upper_start} * stock::RibbonShape::kRowsPerBlock);
  const double lower = std::min(1.0, rows / shape.num_starts);
  const auto columns = static_cast<int>(shape.columns);
  return lower * std::ldexp(1.0, 1 - columns) + (1 - lower) * std::ldexp(1.0, -columns);
}

// LevelDB's filters and RocksDB's legacy ones hash keys to 32 bits.
double WithEqualHashes(double rate, uint64_t num_keys) {
  const double equal = -std::expm1(static_cast<double>(num_keys) * std::log1p(-1.0 / 4294967296.0));
  return equal + (1 - equal) * rate;
}

// Some layouts' formulas take up to milliseconds.
double RateByFormula(const FilterFacts& facts, uint64_t num_keys) {
  const int num_probes = std::min(facts.num_probes, kMaxProbes);
  switch (facts.kind) {
    case Kind::kRocksDBBloom:
      return ExactBlockedFalsePositiveRate(num_keys, facts.num_blocks, num_probes);
    case Kind::kRocksDBLegacy:  // its blocks have the size of ExactBlocked's on most CPUs
      return WithEqualHashes(
          ExactBlockedFalsePositiveRate(num_keys, std::max<uint64_t>(facts.payload_bytes / 64, 1),
                                        num_probes),
          num_keys);
    case Kind::kClassic:
      return WithEqualHashes(
          ExactStandardFalsePositiveRate(num_keys, 8 * facts.payload_bytes, num_probes), num_keys);
    default:
      const filter::LayoutRow* const row = LayoutRowFor(facts.kind);
      return row == nullptr ? kNaN : filter::ExactShapeRate(facts.payload, num_keys);
  }
}

// The bytes of one block, in the view of its queries; 0 if the layout is not a Bloom filter.
uint64_t BloomBlockBytes(const FilterFacts& facts) {
  const filter::LayoutRow* const row = LayoutRowFor(facts.kind);
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

// The mean of fill^k over the blocks of a Bloom filter.
double RateFromBloomBits(const FilterFacts& facts, uint64_t block_bytes) {
  const uint64_t num_blocks = facts.payload_bytes / block_bytes;
  double rate = 0;
  for (uint64_t i = 0; i < num_blocks; ++i) {
    const uint64_t ones = Ones(facts.data + i * block_bytes, block_bytes);
    const double fill = static_cast<double>(ones) / static_cast<double>(8 * block_bytes);
    rate += std::pow(fill, facts.num_probes) / static_cast<double>(num_blocks);
  }
  return rate;
}

// Sums of rounded numbers may exceed 1. NaN stays.
double AtMostOne(double rate) { return rate > 1 ? 1 : rate; }

// Rates by formula, kept for files of the same size.
class KnownRates {
 public:
  double Get(const FilterFacts& facts, uint64_t num_keys) {
    const Arguments arguments{facts.kind, facts.num_probes, facts.num_blocks, facts.payload_bytes,
                              num_keys};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = rates_.find(arguments);
      if (found != rates_.end()) return found->second;
    }
    const double rate = AtMostOne(RateByFormula(facts, num_keys));
    const std::lock_guard<std::mutex> lock(mutex_);
    constexpr size_t kMaxRates = 10000;  // a database has few sizes of filters
    if (rates_.size() >= kMaxRates) rates_.clear();
    rates_.emplace(arguments, rate);
    return rate;
  }

 private:
  using Arguments = std::tuple<Kind, int, uint64_t, uint64_t, uint64_t>;

  std::mutex mutex_;
  std::map<Arguments, double> rates_;
};

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

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  return container == Container::kLevelDB ? OpenLevelDB(name, bytes) : OpenRocksDB(name, bytes);
}

bool EngineFilter::MayMatch(std::string_view key) const {
  bool may_match;
  return MayMatch(1, &key, &may_match) == 1;
}

size_t EngineFilter::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  query_(n, keys, may_match);
  return static_cast<size_t>(std::count(may_match, may_match + n, true));
}

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys || num_keys == 0) return 0;
  if (facts_.ribbon) return RibbonRate(*facts_.ribbon);
  static auto* const known = new KnownRates;
  return known->Get(facts_, num_keys);
}

double EngineFilter::RateFromBits() const {
  if (kind() == Kind::kUnknown || kind() == Kind::kAlwaysMatch) return 1;
  if (kind() == Kind::kNoKeys) return 0;
  if (facts_.ribbon) return RibbonRate(*facts_.ribbon);
  const uint64_t block_bytes = BloomBlockBytes(facts_);
  if (block_bytes == 0) return kNaN;
  return AtMostOne(RateFromBloomBits(facts_, block_bytes));
}

}  // namespace bloomline::engine_filters
