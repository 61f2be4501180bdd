#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_

#include "bloomline/rocksdb.h"
#include "src/filter/container/ranges.h"
#include "src/filter/ranges/range_entries.h"
#include "src/support/error_text.h"

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

// Read the two options. If one is wrong, *error says so.
void ReadRangePrefixes(const RocksDBFilterOptions& options, RangeSettings* settings,
                       support::ErrorText* error);
void ReadRangeEntriesPerKey(const RocksDBFilterOptions& options, RangeSettings* settings,
                            support::ErrorText* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
