// The filters inside SSTables: bloomline's, RocksDB's Bloom, Ribbon, legacy Bloom and block-based
// filters, and LevelDB's. `bloomline db` gets from here their layout and expected rate, queries,
// and the size of filters yet to be written. Filters are recognised and queried as their engine
// does it, without the engine.
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

#include "bloomline/filter_options.h"
#include "src/db/tables/bytes/decompressor.h"  // Engine
#include "src/filter/container/policy_names.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::engine_filters {

// The names of the engines' own filters, which bloomline's filters share.
using filter::kLevelDBName;
using filter::kOldLevelDBName;
using filter::kRocksDBName;
// The name of the prefix extractor of releases before 0.3. All its prefixes are empty.
constexpr std::string_view kRangeExtractor = "bloomline.ranges";

// The origin of filter bytes, which determines how they are read: LevelDB's filter block, with one
// code byte at the end, or RocksDB's full filter or partition, with a trailer. RocksDB's
// block-based filters are in LevelDB's container, under RocksDB's name.
using Container = tables::Engine;

// How the bytes of a filter are read.
using FilterLayout = filter::Layout;
inline const char* LayoutName(FilterLayout layout) {
  return filter::LayoutRowFor(layout).long_name;
}
// In reports: that of the table of layouts.
struct LayoutOrder {
  bool operator()(FilterLayout a, FilterLayout b) const;
};
// The format of bloomline that writes this layout; nothing for layouts that engines write
// themselves.
std::optional<Format> FormatOf(FilterLayout layout);

// Whether it is known what reads filters of this name. If so, their bytes may still be unknown.
bool IsKnownName(Container container, std::string_view name);

// The layouts that engines write with this format: some are for few keys.
std::set<FilterLayout> LayoutsFor(Container container, Format format);

// The size and the rate of a filter yet to be written.
struct FilterFigures {
  double bytes_per_key = 0;  // whole blocks and the trailer or code included
  double rate = 1;
};
// Computes the figures of a filter with num_keys keys, at least 1. bits_per_key is 0 (no filter) or
// allowed in `format`: kBlocked or, in LevelDB, kCompact or, in RocksDB, kBloom or kRibbon. Takes
// up to 1 ms.
FilterFigures FiguresFor(Container container, Format format, uint64_t num_keys,
                         double bits_per_key);

// One filter. Borrows the bytes. Const functions are thread-safe.
struct EngineFilter {
  // `name` is the filter block's name (Table::filter_name); empty: the engine's own. In kRocksDB,
  // the bytes show whether a filter is bloomline's; in kLevelDB, the name shows whether the codes
  // are. A user's own name without "bloomline" is unknown: callers who know that it is bloomline's
  // pass "bloomline".
  static EngineFilter Open(Container container, std::string_view name, std::string_view bytes);

  // Returns false if the filter cannot be queried here, so that MayMatch is always true: for
  // kUnknown, and for bloomline's filters with a seed in LevelDB.
  bool CanQuery() const { return why.empty(); }

  // The theoretical false-positive rate of this layout and size with n keys (or prefixes): exact
  // for blocks, not the approximation by one big bit array. NaN: unknown. Probes of LevelDB's and
  // of RocksDB's legacy filters count as independent, though they are not: with 10 bits per key, a
  // LevelDB filter of 36 keys has a rate of 1.16 % instead of 0.87 %, and no memory brings a legacy
  // filter below 0.1 % (facebook/rocksdb#4120).
  double ExpectedRate(uint64_t num_keys) const;

  bool MayMatch(std::string_view key) const;
  // Sets may_match[i] for keys[i]; prefetches. Returns the number of matches.
  size_t MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  FilterLayout layout = FilterLayout::kUnknown;
  std::string why;     // the reason if CanQuery() is false
  int num_probes = 0;  // 0: the layout has no probes
  uint64_t payload_bytes = 0;
  // What releases before 0.3 wrote for ranges, behind the payload. Nothing queries it.
  uint64_t entry_bytes = 0;

  // Open sets these for the functions above.
  filter::FilterShape shape;
  std::function<void(size_t n, const std::string_view* keys, bool* may_match)> query;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_ENGINE_FILTER_H_
