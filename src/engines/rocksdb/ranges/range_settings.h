// The options range_prefixes and range_entries_per_key, as text and for builders.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_

#include "bloomline/rocksdb.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_field.h"
#include "src/support/error_text.h"

namespace bloomline {

// The range entries that new filters get.
struct RangeSettings {
  filter::EntryKinds kinds;
  bool is_auto = false;
  double max_entries_per_key = 0;

  bool has_entries() const { return is_auto || !kinds.empty(); }

  filter::RangeEntries Entries(int num_levels_below) const {
    return is_auto ? filter::RangeEntries(max_entries_per_key, num_levels_below)
                   : filter::RangeEntries(kinds);
  }
};

// Read the two options. If one is wrong, *error says so.
void ReadRangePrefixes(const RocksDBFilterOptions& options, RangeSettings* settings,
                       support::ErrorText* error);
void ReadRangeEntriesPerKey(const RocksDBFilterOptions& options, RangeSettings* settings,
                            support::ErrorText* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
