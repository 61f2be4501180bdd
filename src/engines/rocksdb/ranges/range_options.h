#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_

#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/filter/container/ranges.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline {

// The entries for ranges that new filters get.
struct RangeSettings {
  filter::RangePrefixes prefixes;
  bool is_auto = false;
  double max_entries_per_key = 0;

  bool has_entries() const { return is_auto || !prefixes.empty(); }

  filter::RangeEntries Entries(int num_levels_below) const {
    return is_auto ? filter::RangeEntries(max_entries_per_key, num_levels_below)
                   : filter::RangeEntries(prefixes);
  }
};

// Reads RocksDBFilterOptions::range_prefixes and range_entries_per_key. Returns one sentence if
// they are wrong, else an empty string.
std::string ReadRangeSettings(const RocksDBFilterOptions& options, RangeSettings* settings);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
