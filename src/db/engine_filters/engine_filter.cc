#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/sizing/stock_files.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/view/open_query.h"

namespace bloomline::engine_filters {
namespace {

// ---- Filters, recognised by their bytes.

// Gives the same answer for every key.
EngineFilter OpenConstant(EngineFilter facts, bool answer) {
  facts.query = [answer](size_t n, const std::string_view*, bool* answers) {
    std::fill_n(answers, n, answer);
  };
  return facts;
}

EngineFilter OpenConstant(EngineFilter facts, FilterLayout layout) {
  facts.layout = layout;
  facts.num_probes = 0;
  return OpenConstant(std::move(facts), layout != FilterLayout::kNoKeys);
}

// Matches every key.
EngineFilter NotUnderstood(EngineFilter facts, std::string why) {
  facts.why = std::move(why);
  return OpenConstant(std::move(facts), FilterLayout::kUnknown);
}

EngineFilter UnknownPolicy(EngineFilter facts, std::string_view name) {
  return NotUnderstood(std::move(facts),
                       "the filter policy " + std::string(name) + " is not known");
}

EngineFilter FactsOf(const filter::Payload& payload) {
  EngineFilter facts;
  facts.layout = payload.layout;
  facts.num_probes = payload.num_probes;
  facts.payload_bytes = payload.payload_bytes();
  facts.shape = payload;
  return facts;
}

// ---- LevelDB's filters, one for each range of 2 KiB of data. The last byte is k, at most 30;
// bloomline's codes (docs/format.md, section 4) are above.

// LevelDB stores the policy's name once for all filters of a table. Names that are known:
//   leveldb.BuiltinBloomFilter2  LevelDB since 1.18, and bloomline
//   leveldb.BuiltinBloomFilter   LevelDB before 1.18, whose hash takes bytes as signed; goleveldb,
//                                whose hash does not. A key matches if one of its hashes does.
//   rocksdb.BuiltinBloomFilter   block-based filters of RocksDB before 7.0: LevelDB's with the hash
//                                of RocksDB's legacy filters (RocksDB 6.29 table/block_based/
//                                filter_policy.cc, CreateFilter and KeyMayMatch)
//   *bloomline*, *.seed-<32 hex digits>    bloomline, but for *.canonicalizer-*: it holds no keys
struct PolicyName {
  explicit PolicyName(std::string_view name) {
    is_old = name == filter::kOldLevelDBName;
    is_rocksdb = name == kRocksDBName;
    has_seed = filter::EndsInSeedCheck(name);
    is_bloomline =
        !filter::HasCanonicalizer(name) && (has_seed || name.find("bloomline") != name.npos);
  }

  // bloomline's codes are not among these filters'.
  bool has_only_probes() const { return is_old || is_rocksdb; }

  bool is_old = false;
  bool is_rocksdb = false;
  bool is_bloomline = false;
  bool has_seed = false;
};

// Queries LevelDB's own layout, or bloomline's without a seed.
EngineFilter OpenByCode(EngineFilter facts, const filter::Payload& payload,
                        const PolicyName& name) {
  const auto may_match = [payload, &kernel = kernels::ActiveKernel()](uint64_t hash) {
    return filter::HashMayMatch(payload, kernel, hash);
  };
  const bool has_layout_hash = !name.is_rocksdb;
  const bool has_rocksdb_hash = name.has_only_probes();
  facts.query = [=](size_t n, const std::string_view* keys, bool* answers) {
    for (size_t i = 0; i < n; ++i) {
      answers[i] = (has_layout_hash && may_match(filter::LayoutHash(payload.layout, keys[i], 0))) ||
                   (has_rocksdb_hash && may_match(filter::RocksDBHash32(keys[i])));
    }
  };
  return facts;
}

EngineFilter OpenPayload(const PolicyName& name, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeLevelDB(bytes);
  const int code = static_cast<unsigned char>(bytes.back());
  EngineFilter facts = FactsOf(payload);
  const bool has_only_probes = name.has_only_probes();
  if (payload.always_matches() || (has_only_probes && code > kMaxProbes)) {
    facts.payload_bytes = bytes.size();
    if (code == 0 || (!has_only_probes && bytes.back() == filter::kLevelDBAlwaysMatch.back())) {
      return OpenConstant(std::move(facts), FilterLayout::kAlwaysMatch);
    }
    return NotUnderstood(
        std::move(facts),
        "a filter of " + std::to_string(bytes.size()) + " bytes with code " + std::to_string(code) +
            (has_only_probes ? ", which is reserved" : ", which bloomline does not write"));
  }
  if (name.is_rocksdb) {
    constexpr uint64_t kMostBytes = UINT32_MAX / 8;  // RocksDB counts bits in 32 bits
    if (facts.payload_bytes > kMostBytes) {
      return NotUnderstood(std::move(facts), "a block-based filter of " +
                                                 std::to_string(bytes.size()) +
                                                 " bytes; known: up to 512 MiB");
    }
    facts.layout = FilterLayout::kRocksDBBlockBased;
  }
  if (name.has_seed && facts.layout != FilterLayout::kClassic) {
    facts.why = "its hashes have a seed, which the policy's name does not tell";
    return OpenConstant(std::move(facts), true);
  }
  return OpenByCode(std::move(facts), payload, name);
}

EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes) {
  const PolicyName policy(name);
  EngineFilter facts;
  facts.payload_bytes = bytes.size();
  if (!IsKnownName(Container::kLevelDB, name)) return UnknownPolicy(std::move(facts), name);
  // LevelDB does not query an empty filter, and takes one byte for a filter without keys, which
  // bloomline takes for damage unless the name is LevelDB's.
  const size_t least = policy.is_bloomline ? 1 : 2;
  if (bytes.size() < least) return OpenConstant(std::move(facts), FilterLayout::kNoKeys);
  return OpenPayload(policy, bytes);
}

// ---- Full filters and partitions in RocksDB: its own, and bloomline's, which the trailer shows.

EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes) {
  EngineFilter facts;
  facts.payload_bytes = bytes.size();
  if (!IsKnownName(Container::kRocksDB, name)) return UnknownPolicy(std::move(facts), name);
  std::string why;
  uint64_t payload_bytes = 0;
  const filter::Payload payload = filter::DecodeTableBytes(bytes, &why, &payload_bytes);
  facts = FactsOf(payload);
  facts.payload_bytes = payload_bytes;
  if (payload.is_unknown()) return NotUnderstood(std::move(facts), std::move(why));
  if (payload.always_matches()) return OpenConstant(std::move(facts), payload.layout);
  if (payload.num_blocks == 0) return OpenConstant(std::move(facts), FilterLayout::kNoKeys);
  if (FormatOf(facts.layout)) {
    facts.entry_bytes = bytes.size() - payload.payload_bytes() - filter::EndBytes(payload);
  }
  return filter::WithQuery(payload, kernels::ActiveKernel(), [&](const auto& query) {
    facts.query = [query](size_t n, const std::string_view* keys, bool* answers) {
      uint64_t hashes[kernels::kBatchKeys];
      for (size_t start = 0; start < n; start += kernels::kBatchKeys) {
        const size_t count = std::min(kernels::kBatchKeys, n - start);
        const auto key_at = [=](size_t i) { return keys[start + i]; };
        if (query.is_large()) {
          query.template HashMany<true>(count, key_at, hashes);
        } else {
          query.template HashMany<false>(count, key_at, hashes);
        }
        query.MayMatchMany(count, hashes, answers + start);
      }
    };
    return std::move(facts);
  });
}

}  // namespace

bool IsKnownName(Container container, std::string_view name) {
  if (name.empty() || name == kRocksDBName) return true;
  const PolicyName policy(name);
  return container == Container::kLevelDB &&
         (name == kLevelDBName || policy.is_old || policy.is_bloomline);
}

bool LayoutOrder::operator()(FilterLayout a, FilterLayout b) const {
  if (a == b) return false;
  for (const filter::LayoutRow* const row : filter::kLayouts) {
    if (row->layout == a || row->layout == b) return row->layout == a;
  }
  return a < b;
}

std::optional<Format> FormatOf(FilterLayout layout) {
  const filter::LayoutRow& row = filter::LayoutRowFor(layout);
  const bool has_own_hash = row.hash == filter::HashFunction::kXxh3;
  return has_own_hash ? row.format : std::nullopt;
}

std::set<FilterLayout> LayoutsFor(Container container, Format format) {
  std::set<FilterLayout> layouts;
  if (container == Container::kRocksDB) {
    for (const filter::LayoutRow* const row : filter::kLayouts) {
      if (row->format == format && row->sstable_shape != nullptr) layouts.insert(row->layout);
    }
    return layouts;
  }
  if (!filter::RowOf(format).in_leveldb) return layouts;
  constexpr double kAnyBits = 10;  // shapes need a number, but layouts hardly depend on it
  const filter::LevelDBShapes shapes(format, kAnyBits);
  for (uint64_t keys = 1; keys < (1 << 20); keys += keys / 8 + 1) {
    layouts.insert(shapes.For(keys).layout);
  }
  return layouts;
}

FilterFigures FiguresFor(Container container, Format format, uint64_t num_keys,
                         double bits_per_key) {
  // From here on, trailers and whole blocks cost less than 0.1 %.
  constexpr uint64_t kLarge = 100000;
  if (bits_per_key == 0) return {};
  if (num_keys >= kLarge) {
    if (format == Format::kCompact) format = Format::kBlocked;  // which LevelDB then gets
    return {filter::MemoryBits(format, bits_per_key) / 8, filter::EngineRate(format, bits_per_key)};
  }
  const bool is_rocksdb = container == Container::kRocksDB;
  const filter::FilterShape shape =
      is_rocksdb ? filter::SSTableShape(format, {num_keys, bits_per_key, filter::kTrailerBytes})
                 : filter::LevelDBShapes(format, bits_per_key).For(num_keys);
  constexpr uint64_t kCodeBytes = 1;  // LevelDB's code byte
  uint64_t bytes = shape.payload_bytes() + (is_rocksdb ? filter::kTrailerBytes : kCodeBytes);
  if (filter::IsStock(format)) bytes = filter::StockFileBytes(format, num_keys, bits_per_key);
  return {static_cast<double>(bytes) / static_cast<double>(num_keys),
          filter::ExactShapeRate(shape, num_keys)};
}

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  return container == Container::kLevelDB ? OpenLevelDB(name, bytes) : OpenRocksDB(name, bytes);
}

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  if (layout == FilterLayout::kUnknown || layout == FilterLayout::kAlwaysMatch ||
      layout == FilterLayout::kFormerCompact) {
    return 1;
  }
  if (layout == FilterLayout::kNoKeys || num_keys == 0) return 0;
  // Some layouts' formulas take up to milliseconds, and a database has few sizes of filters.
  using Arguments = std::tuple<FilterLayout, uint32_t, uint64_t, uint32_t, int, uint64_t>;
  constexpr size_t kMaxRates = 10000;
  thread_local std::map<Arguments, double> rates;
  if (rates.size() >= kMaxRates) rates.clear();
  const Arguments arguments(shape.layout, shape.block_bytes, shape.num_blocks, shape.row_blocks,
                            shape.num_probes, num_keys);
  if (const auto known = rates.find(arguments); known != rates.end()) return known->second;
  // Compute the rate before it is stored: the formula may throw std::bad_alloc.
  double rate = filter::ExactShapeRate(shape, num_keys);
  if (rate > 1) rate = 1;  // Sums of rounded numbers may exceed 1. NaN stays.
  rates.emplace(arguments, rate);
  return rate;
}

bool EngineFilter::MayMatch(std::string_view key) const {
  bool may_match;
  return MayMatch(1, &key, &may_match) == 1;
}

size_t EngineFilter::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  query(n, keys, may_match);
  return static_cast<size_t>(std::count(may_match, may_match + n, true));
}

}  // namespace bloomline::engine_filters
