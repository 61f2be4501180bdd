// The filters inside SSTables: bloomline's, RocksDB's Bloom, Ribbon and legacy Bloom filters, and
// LevelDB's. Recognised and queried in the way of their engine, without the engine.
//
// RocksDB: table/block_based/filter_policy.cc, util/bloom_impl.h, util/ribbon_impl.h. LevelDB:
// util/bloom.cc. Any bytes are safe: unknown ones match every key, as in the engines.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/filter_options.h"
#include "src/db/sstable/bytes/decompressor.h"  // Engine
#include "src/filter/layouts/layout_row.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::engine_filters {

// The names of the engines' own filters, which bloomline's have, too.
constexpr std::string_view kLevelDBName = "leveldb.BuiltinBloomFilter2";
constexpr std::string_view kRocksDBName = "rocksdb.BuiltinBloomFilter";

// The origin of filter bytes, which determines how they are read: LevelDB's filter block, with one
// code byte at the end, or RocksDB's full filter or partition, with a trailer.
using Container = sstable::Engine;

enum class Kind : uint16_t {
  // RocksDB's own kinds, those of stock::Kind. The first three can be any engine's.
  kUnknown = static_cast<uint16_t>(stock::Kind::kUnknown),
  kAlwaysMatch = static_cast<uint16_t>(stock::Kind::kAlwaysMatch),
  kNoKeys = static_cast<uint16_t>(stock::Kind::kNoKeys),
  kRocksDBBloom = static_cast<uint16_t>(stock::Kind::kBloom),
  kRocksDBLegacy = static_cast<uint16_t>(stock::Kind::kLegacyBloom),
  kRocksDBRibbon = static_cast<uint16_t>(stock::Kind::kRibbon),
  // bloomline's layouts: KindOf. LevelDB itself writes the same filters as bloomline's kClassic.
  kFirstLayout = 0x100,
  kClassic = kFirstLayout + static_cast<uint8_t>(filter::Layout::kClassic),
};
constexpr Kind KindOf(filter::Layout layout) {
  return static_cast<Kind>(static_cast<unsigned>(Kind::kFirstLayout) +
                           static_cast<uint8_t>(layout));
}
// Null: none of bloomline's layouts.
inline const filter::LayoutRow* LayoutRowFor(Kind kind) {
  if (kind < Kind::kFirstLayout) return nullptr;
  return &filter::LayoutRowFor(static_cast<filter::Layout>(static_cast<uint8_t>(kind)));
}
const char* KindName(Kind kind);  // "RocksDB Ribbon"
inline bool IsBloomline(Kind kind) {
  return LayoutRowFor(kind) != nullptr && kind != Kind::kClassic;
}

// The kinds that engines write with this format: some layouts are for few keys.
std::set<Kind> KindsFor(Container container, Format format);

struct FilterFacts {
  Kind kind = Kind::kUnknown;
  std::string why;
  bool can_query = true;
  int num_probes = 0;
  // The payload is num_blocks blocks; those of layouts whose probes range over all bits are bytes.
  // Bytes behind them are not used.
  const char* data = nullptr;
  uint64_t payload_bytes = 0;
  uint64_t num_blocks = 0;
  uint64_t block_bytes = 1;
  uint64_t entry_bytes = 0;   // of the second payload
  filter::FilterShape shape;  // if LayoutRowFor(kind)
  std::optional<stock::RibbonShape> ribbon;
  std::optional<filter::RangeField> ranges;
};

// may_match[i] for keys[i].
using Query = std::function<void(size_t n, const std::string_view* keys, bool* may_match)>;
using RangeQuery = std::function<bool(std::string_view begin, std::string_view end)>;

// One filter. Borrows the bytes. Const functions are thread-safe.
class EngineFilter {
 public:
  // `name` is that of the filter block (Table::filter_name); empty: the engine's own. bloomline's
  // filters are recognised by their bytes in kRocksDB; in kLevelDB the name says whether codes are
  // bloomline's. A user's name without "bloomline" is unknown: a caller who knows better passes
  // "bloomline".
  static EngineFilter Open(Container container, std::string_view name, std::string_view bytes);

  EngineFilter() = default;  // to be assigned to, and no more
  EngineFilter(FilterFacts facts, Query query, RangeQuery range_query = nullptr)
      : facts_(std::move(facts)), query_(std::move(query)), range_query_(std::move(range_query)) {}

  Kind kind() const { return facts_.kind; }
  // Returns false if its keys cannot be queried here, so that MayMatch is always true: for
  // kUnknown, and for bloomline's filters with a seed in LevelDB.
  bool CanQuery() const { return kind() != Kind::kUnknown && facts_.can_query; }
  const std::string& why() const { return facts_.why; }  // if not CanQuery(): the reason
  int num_probes() const { return facts_.num_probes; }   // 0 without probes
  uint64_t payload_bytes() const { return facts_.payload_bytes; }
  // The memory of its entries for ranges, which lie behind the payload.
  uint64_t entry_bytes() const { return facts_.entry_bytes; }

  // The field for ranges of a bloomline filter; null if it is missing or not understood.
  const filter::RangeField* ranges() const { return facts_.ranges ? &*facts_.ranges : nullptr; }

  // The false-positive rate of this layout with n keys (or prefixes), from theory, with the bytes'
  // own size: exact for blocks, not an approximation for one big bit array. NaN: unknown. Probes of
  // LevelDB's filters and RocksDB's legacy ones count as independent, though they are not: with 10
  // bits per key, 36 keys in one of LevelDB's have 1.16 % instead of 0.87 %, and no memory brings a
  // legacy filter below 0.1 % (facebook/rocksdb#4120).
  double ExpectedRate(uint64_t num_keys) const;
  // The rate that its bits show: sum of fill^k over blocks; Ribbon: 2^-columns; NaN: unknown. That
  // of a filter of few keys may be half or twice the expected one.
  double RateFromBits() const;

  bool MayMatch(std::string_view key) const;
  // Sets may_match[i] for keys[i]; prefetches. Returns the number of matches.
  size_t MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  // Returns false if it has no key in [begin, end), in the order of bytes. Always true without
  // ranges().
  bool RangeMayMatch(std::string_view begin, std::string_view end) const {
    return range_query_ == nullptr || range_query_(begin, end);
  }

 private:
  FilterFacts facts_;
  Query query_;
  RangeQuery range_query_;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_
