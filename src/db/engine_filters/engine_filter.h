// The filters inside SSTables, and all that `bloomline db` asks the core about them: kind, expected
// rate, queries, and the size of filters to come. They are bloomline's, RocksDB's Bloom, Ribbon and
// legacy Bloom filters, and LevelDB's, recognised and queried in the way of their engine, without
// the engine.
//
// RocksDB: table/block_based/filter_policy.cc, util/bloom_impl.h, util/ribbon_impl.h. LevelDB:
// util/bloom.cc. Any bytes are safe: unknown ones match every key, as in the engines.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/db/sstable/bytes/decompressor.h"  // Engine
#include "src/filter/container/policy_names.h"

namespace bloomline::filter {
struct RangeField;  // src/filter/ranges/range_field.h
}

namespace bloomline::engine_filters {

// The names of the engines' own filters, which bloomline's have, too.
using filter::kLevelDBName;
using filter::kRocksDBName;
// The prefix extractor of filters with entries for ranges. All its prefixes are empty.
constexpr std::string_view kRangeExtractor = "bloomline.ranges";

// The origin of filter bytes, which determines how they are read: LevelDB's filter block, with one
// code byte at the end, or RocksDB's full filter or partition, with a trailer.
using Container = sstable::Engine;

enum class Kind : uint16_t {
  // RocksDB's own kinds. The first three can be any engine's.
  kUnknown,
  kAlwaysMatch,
  kNoKeys,
  kRocksDBBloom,
  kRocksDBLegacy,
  kRocksDBRibbon,
  // bloomline's layouts, by their numbers in the trailer. LevelDB itself writes the same filters as
  // bloomline's kClassic.
  kFirstLayout = 0x100,
  kClassic = kFirstLayout + 0xFE,
};
const char* KindName(Kind kind);  // "RocksDB Ribbon"
// The format that writes this layout of bloomline's; nothing for other kinds.
std::optional<Format> FormatOf(Kind kind);
constexpr bool IsBloomline(Kind kind) {
  return kind >= Kind::kFirstLayout && kind != Kind::kClassic;
}

// The kinds that engines write with this format: some layouts are for few keys.
std::set<Kind> KindsFor(Container container, Format format);

// The size and the rate of one filter to come.
struct FilterFigures {
  double bytes_per_key = 0;  // whole blocks and the trailer or code included
  double rate = 1;
};
// The figures of a filter of num_keys keys, at least 1. bits_per_key is 0, no filter, or allowed in
// `format`, which is kBlocked or kCompact, or in RocksDB kBloom or kRibbon. Takes up to 1 ms.
FilterFigures FiguresFor(Container container, Format format, uint64_t num_keys,
                         double bits_per_key);

// One filter. Borrows the bytes. Const functions are thread-safe.
struct EngineFilter {
  // `name` is that of the filter block (Table::filter_name); empty: the engine's own. bloomline's
  // filters are recognised by their bytes in kRocksDB; in kLevelDB the name says whether codes are
  // bloomline's. A user's name without "bloomline" is unknown: a caller who knows better passes
  // "bloomline".
  static EngineFilter Open(Container container, std::string_view name, std::string_view bytes);

  // Returns false if its keys cannot be queried here, so that MayMatch is always true: for
  // kUnknown, and for bloomline's filters with a seed in LevelDB.
  bool CanQuery() const { return why.empty(); }

  // The false-positive rate of this layout with n keys (or prefixes), from theory, with the bytes'
  // own size: exact for blocks, not an approximation for one big bit array. NaN: unknown. Probes of
  // LevelDB's filters and RocksDB's legacy ones count as independent, though they are not: with 10
  // bits per key, 36 keys in one of LevelDB's have 1.16 % instead of 0.87 %, and no memory brings a
  // legacy filter below 0.1 % (facebook/rocksdb#4120).
  double ExpectedRate(uint64_t num_keys) const;

  bool MayMatch(std::string_view key) const;
  // Sets may_match[i] for keys[i]; prefetches. Returns the number of matches.
  size_t MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  // Returns false if it has no key in [begin, end), in the order of bytes. Always true without
  // `ranges`.
  bool RangeMayMatch(std::string_view begin, std::string_view end) const {
    return range_query == nullptr || range_query(begin, end);
  }
  // Queries the range of this key alone, and those of all keys that begin like it: a query of the
  // first looks up only some of its prefixes. Needs `ranges`. False: one of them does not match.
  bool RangesAroundMayMatch(std::string_view key) const;

  Kind kind = Kind::kUnknown;
  std::string why;     // if not CanQuery(): the reason
  int num_probes = 0;  // 0 without probes
  uint64_t payload_bytes = 0;
  uint64_t num_blocks = 0;
  uint64_t entry_bytes = 0;  // the memory of its entries for ranges, which lie behind the payload
  // The field for ranges of a bloomline filter; null if it is missing or not understood.
  std::shared_ptr<const filter::RangeField> ranges;

  // What Open sets for the functions above; the formula of the rate only for what has keys.
  std::function<double(uint64_t num_keys)> formula;
  std::function<void(size_t n, const std::string_view* keys, bool* may_match)> query;
  std::function<bool(std::string_view begin, std::string_view end)> range_query;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_
