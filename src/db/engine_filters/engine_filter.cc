#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "bloomline/filter.h"
#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::engine_filters {
namespace {

static_assert(static_cast<int>(Kind::kRocksDBBloom) == static_cast<int>(stock::StockKind::kBloom) &&
                  static_cast<int>(Kind::kRocksDBLegacy) ==
                      static_cast<int>(stock::StockKind::kLegacyBloom) &&
                  static_cast<int>(Kind::kRocksDBRibbon) ==
                      static_cast<int>(stock::StockKind::kRibbon) &&
                  static_cast<int>(Kind::kNoKeys) == static_cast<int>(stock::StockKind::kNoKeys),
              "the kinds of stock_filter.h come first");

Kind KindOf(filter::Layout layout) {
  return static_cast<Kind>(static_cast<unsigned>(Kind::kFirstLayout) +
                           static_cast<uint8_t>(layout));
}
static_assert(static_cast<int>(Kind::kClassic) ==
              static_cast<int>(Kind::kFirstLayout) + static_cast<int>(filter::Layout::kClassic));

// ---- Rates.

// The false-positive rate of a stock filter with n keys.
double StockRate(const stock::StockFilter& stock, uint64_t num_keys) {
  const int num_probes = std::min(stock.num_probes, kMaxProbes);
  switch (stock.kind) {
    case stock::StockKind::kRibbon:
      return stock::ExpectedRibbonRateOf(stock.ribbon);
    case stock::StockKind::kBloom:
      return ExactBlockedFalsePositiveRate(num_keys, stock.num_blocks, num_probes);
    default:  // a legacy filter, whose blocks have the size of ExactBlocked's on most CPUs
      return filter::WithEqualHashes(
          ExactBlockedFalsePositiveRate(num_keys, std::max<uint64_t>(stock.payload_bytes / 64, 1),
                                        num_probes),
          num_keys);
  }
}

double PayloadRate(const filter::FilterShape& shape, uint64_t num_keys) {
  if (KindOf(shape.layout) != Kind::kClassic) return filter::ExactShapeRate(shape, num_keys);
  return filter::WithEqualHashes(
      ExactStandardFalsePositiveRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes),
      num_keys);
}

// ---- Filters, recognised by their bytes.

// Queries through a reader of src/filter/stock/readers.h.
template <typename Reader>
EngineFilter OpenReader(EngineFilter facts, const Reader& reader) {
  facts.query = [reader](size_t n, const std::string_view* keys, bool* answers) {
    constexpr size_t kBatchKeys = 32;
    uint64_t hashes[kBatchKeys];
    for (size_t start = 0; start < n; start += kBatchKeys) {
      const size_t count = std::min(kBatchKeys, n - start);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = reader.Hash(keys[start + i]);
        reader.Prefetch(hashes[i]);
      }
      reader.MayMatchMany(count, hashes, answers + start);
    }
  };
  return facts;
}

// Gives the same answer for every key.
EngineFilter OpenConstant(EngineFilter facts, bool answer) {
  facts.query = [answer](size_t n, const std::string_view*, bool* answers) {
    std::fill_n(answers, n, answer);
  };
  return facts;
}

EngineFilter OpenConstant(EngineFilter facts, Kind kind) {
  facts.kind = kind;
  facts.num_probes = 0;
  return OpenConstant(std::move(facts), kind != Kind::kNoKeys);
}

// Matches every key.
EngineFilter NotUnderstood(EngineFilter facts, std::string why) {
  facts.why = std::move(why);
  return OpenConstant(std::move(facts), Kind::kUnknown);
}

EngineFilter UnknownPolicy(EngineFilter facts, std::string_view name) {
  return NotUnderstood(std::move(facts),
                       "the filter policy " + std::string(name) + " is not known");
}

EngineFilter FactsOf(const filter::Payload& payload) {
  EngineFilter facts;
  if (!payload.always_matches()) facts.kind = KindOf(payload.layout);
  facts.num_probes = payload.num_probes;
  facts.payload_bytes = payload.payload_bytes();
  facts.num_blocks = payload.num_blocks;
  facts.formula = [shape = filter::FilterShape(payload)](uint64_t n) {
    return PayloadRate(shape, n);
  };
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

// LevelDB's own layout, and bloomline's without a seed.
struct PayloadReader {
  filter::Payload payload;
  const kernels::Kernel* kernel;

  uint64_t Hash(std::string_view key) const { return filter::LayoutHash(payload.layout, key, 0); }
  void Prefetch(uint64_t) const {}  // small
  bool MayMatch(uint64_t hash) const { return filter::HashMayMatch(payload, *kernel, hash); }
};

// Filters with LevelDB's name from before 1.18.
struct OldReader : PayloadReader {
  static uint64_t Hash(std::string_view key) {
    return filter::LevelDBHash32(key) | uint64_t{filter::RocksDBHash32(key)} << 32;
  }
  bool MayMatch(uint64_t hashes) const {
    return PayloadReader::MayMatch(static_cast<uint32_t>(hashes)) ||
           PayloadReader::MayMatch(hashes >> 32);
  }
};

struct BlockBasedReader : PayloadReader {
  static uint64_t Hash(std::string_view key) { return filter::RocksDBHash32(key); }
};

EngineFilter OpenPayload(const PolicyName& name, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeLevelDB(bytes);
  const int code = static_cast<unsigned char>(bytes.back());
  EngineFilter facts = FactsOf(payload);
  const bool has_only_probes = name.has_only_probes();
  if (payload.always_matches() || (has_only_probes && code > kMaxProbes)) {
    facts.payload_bytes = bytes.size();
    if (code == 0 || (!has_only_probes && bytes.back() == filter::kLevelDBAlwaysMatch.back())) {
      return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    }
    return NotUnderstood(
        std::move(facts),
        "a filter of " + std::to_string(bytes.size()) + " bytes with code " + std::to_string(code) +
            (has_only_probes ? ", which is reserved" : ", which bloomline does not write"));
  }
  const PayloadReader reader{payload, &kernels::ActiveKernel()};
  if (name.is_rocksdb) {
    constexpr uint64_t kMostBytes = UINT32_MAX / 8;  // RocksDB counts bits in 32 bits
    if (facts.payload_bytes > kMostBytes) {
      return NotUnderstood(std::move(facts), "a block-based filter of " +
                                                 std::to_string(bytes.size()) +
                                                 " bytes; known: up to 512 MiB");
    }
    facts.kind = Kind::kRocksDBBlockBased;
    return OpenReader(std::move(facts), stock::OneByOne(BlockBasedReader{reader}));
  }
  if (name.is_old) return OpenReader(std::move(facts), stock::OneByOne(OldReader{reader}));
  if (name.has_seed && facts.kind != Kind::kClassic) {
    facts.why = "its hashes have a seed, which the policy's name does not tell";
    return OpenConstant(std::move(facts), true);
  }
  return OpenReader(std::move(facts), stock::OneByOne(reader));
}

EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes) {
  const PolicyName policy(name);
  EngineFilter facts;
  facts.payload_bytes = bytes.size();
  if (!IsKnownName(Container::kLevelDB, name)) return UnknownPolicy(std::move(facts), name);
  // LevelDB does not query an empty filter, and takes one byte for a filter without keys, which
  // bloomline takes for damage unless the name is LevelDB's.
  const size_t least = policy.is_bloomline ? 1 : 2;
  if (bytes.size() < least) return OpenConstant(std::move(facts), Kind::kNoKeys);
  return OpenPayload(policy, bytes);
}

// ---- Full filters and partitions in RocksDB: its own, and bloomline's, which the trailer shows.

EngineFilter OpenBloomline(std::string_view bytes) {
  std::string why;
  const filter::Payload payload = filter::DecodeTrailer(bytes, &why);
  EngineFilter facts = FactsOf(payload);
  if (payload.always_matches()) {
    if (filter::SaysAlwaysMatch(bytes)) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    return NotUnderstood(std::move(facts), std::move(why));
  }
  if (payload.num_blocks == 0) return OpenConstant(std::move(facts), Kind::kNoKeys);
  facts.entry_bytes = bytes.size() - payload.payload_bytes() - filter::kTrailerBytes;
  facts.query = [view = FilterView::Open(bytes)](size_t n, const std::string_view* keys,
                                                 bool* may_match) {
    view.MayMatch(n, keys, may_match);
  };
  return facts;
}

EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes) {
  EngineFilter facts;
  facts.payload_bytes = bytes.size();
  if (!IsKnownName(Container::kRocksDB, name)) return UnknownPolicy(std::move(facts), name);
  if (filter::HasTrailer(bytes)) return OpenBloomline(bytes);
  std::string why;
  const stock::StockFilter stock = stock::DecodeStockFilter(bytes, &why);
  facts.kind = static_cast<Kind>(stock.kind);
  facts.payload_bytes = stock.payload_bytes;
  facts.num_blocks = stock.num_blocks;
  facts.num_probes = stock.num_probes;
  if (facts.kind == Kind::kUnknown) return NotUnderstood(std::move(facts), std::move(why));
  if (!stock.has_reader()) return OpenConstant(std::move(facts), facts.kind);
  facts.formula = [stock](uint64_t n) { return StockRate(stock, n); };
  return stock::WithReader(stock, kernels::ActiveKernel().stock, [&](const auto& reader) {
    return OpenReader(std::move(facts), reader);
  });
}

}  // namespace

const char* KindName(Kind kind) {
  if (kind == Kind::kRocksDBBlockBased) return "block-based";
  if (kind < Kind::kFirstLayout) return stock::StockKindName(static_cast<stock::StockKind>(kind));
  return filter::LayoutRowFor(static_cast<filter::Layout>(static_cast<uint8_t>(kind))).long_name;
}

std::optional<Format> FormatOf(Kind kind) {
  if (!IsBloomline(kind)) return std::nullopt;
  switch (static_cast<filter::Layout>(static_cast<uint8_t>(kind))) {
    case filter::Layout::kBlocked:
    case filter::Layout::kFlat:
      return Format::kBlocked;
    case filter::Layout::kCompact:
    case filter::Layout::kSmallSet:
      return Format::kCompact;
    default:
      return std::nullopt;
  }
}

bool IsKnownName(Container container, std::string_view name) {
  if (name.empty() || name == kRocksDBName) return true;
  const PolicyName policy(name);
  return container == Container::kLevelDB &&
         (name == kLevelDBName || policy.is_old || policy.is_bloomline);
}

std::set<Kind> KindsFor(Container container, Format format) {
  constexpr double kAnyBits = 10;  // shapes need a number, but kinds hardly depend on it
  const bool is_rocksdb = container == Container::kRocksDB;
  std::set<Kind> kinds;
  if (is_rocksdb && format == Format::kBloom) kinds = {Kind::kRocksDBBloom, Kind::kRocksDBLegacy};
  if (is_rocksdb && format == Format::kRibbon) kinds = {Kind::kRocksDBRibbon};
  if (filter::IsStock(format) || (is_rocksdb && format == Format::kClassic)) return kinds;
  const filter::LevelDBShapes shapes(format, kAnyBits);
  for (uint64_t keys = 1; keys < (1 << 20); keys += keys / 8 + 1) {
    kinds.insert(KindOf(is_rocksdb ? filter::TableShape(format, {keys, kAnyBits}).layout
                                   : shapes.For(keys).layout));
  }
  return kinds;
}

FilterFigures FiguresFor(Container container, Format format, uint64_t num_keys,
                         double bits_per_key) {
  // From here on, trailers and whole blocks cost less than 0.1 %.
  constexpr uint64_t kLarge = 100000;
  if (bits_per_key == 0) return {};
  if (num_keys >= kLarge) {
    return {filter::MemoryBits(format, bits_per_key) / 8, FalsePositiveRate(format, bits_per_key)};
  }
  if (filter::IsStock(format)) {
    const auto bytes = static_cast<double>(FilterBytes(format, num_keys, bits_per_key));
    return {bytes / static_cast<double>(num_keys),
            FalsePositiveRateWithKeys(format, bits_per_key, num_keys, num_keys)};
  }
  const bool is_rocksdb = container == Container::kRocksDB;
  const filter::FilterShape shape =
      is_rocksdb ? filter::TableShape(format, {num_keys, bits_per_key, filter::kTrailerBytes})
                 : filter::LevelDBShapes(format, bits_per_key).For(num_keys);
  constexpr uint64_t kCodeBytes = 1;  // LevelDB's code byte
  const uint64_t bytes = shape.payload_bytes() + (is_rocksdb ? filter::kTrailerBytes : kCodeBytes);
  return {static_cast<double>(bytes) / static_cast<double>(num_keys),
          filter::ExactShapeRate(shape, num_keys)};
}

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  return container == Container::kLevelDB ? OpenLevelDB(name, bytes) : OpenRocksDB(name, bytes);
}

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  if (kind == Kind::kUnknown || kind == Kind::kAlwaysMatch) return 1;
  if (kind == Kind::kNoKeys || num_keys == 0) return 0;
  // Some layouts' formulas take up to milliseconds, and a database has few sizes of filters.
  using Arguments = std::tuple<Kind, int, uint64_t, uint64_t, uint64_t>;
  constexpr size_t kMaxRates = 10000;
  thread_local std::map<Arguments, double> rates;
  if (rates.size() >= kMaxRates) rates.clear();
  const Arguments arguments(kind, num_probes, num_blocks, payload_bytes, num_keys);
  if (const auto known = rates.find(arguments); known != rates.end()) return known->second;
  // Compute the rate before it is stored: the formula may throw std::bad_alloc.
  double rate = formula(num_keys);
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
