#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_

#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/filter/format/ranges.h"
#include "src/filter/writer/range_entries.h"

namespace bloomline {

// The entries for ranges that new filters get.
struct RangeSettings {
  filter::RangePrefixes prefixes;
  bool is_auto = false;
  double max_entries_per_key = 0;

  bool has_entries() const { return is_auto || !prefixes.empty(); }

  // A level has about a tenth of the keys of the one below it. So its files have fewer keys of each
  // user, device or directory, and need more entries for each key: for the database, ten times as
  // many are as much again, and twice as many of a level yet smaller are hardly more.
  filter::RangeEntries Entries(int num_levels_below) const {
    if (!is_auto) return filter::RangeEntries(prefixes);
    const int times = num_levels_below == 0 ? 1 : num_levels_below == 1 ? 10 : 20;
    return filter::RangeEntries(max_entries_per_key, times);
  }
};

// Reads RocksDBFilterOptions::range_prefixes and range_entries_per_key. Returns one sentence if
// they are wrong, else an empty string.
std::string ReadRangeSettings(const RocksDBFilterOptions& options, RangeSettings* settings);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
