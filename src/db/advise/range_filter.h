// The filter with range entries that range_prefixes=auto would give a table (docs/ranges.md).
#ifndef BLOOMLINE_DB_ADVISE_RANGE_FILTER_H_
#define BLOOMLINE_DB_ADVISE_RANGE_FILTER_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"
#include "src/db/inspect/inspection.h"
#include "src/db/sstable/table.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline::db {

// Whether RocksDB could have such a filter there: other orders and canonicalizers have none.
bool CanHaveRanges(const FileFacts& facts);

// compact, with the bits per key of the present filters. Without filters, the default.
FilterOptions OptionsForRanges(const Group& group);

struct RangeFilter {
  uint64_t num_keys = 0;  // that were read
  filter::EntryKinds kinds;
  uint64_t entry_bytes = 0;
  std::string bytes;  // as they are in the table; empty unless they were asked for
};

struct RangeFilterRequest {
  uint64_t max_keys = UINT64_MAX;  // the table's first keys
  bool with_bytes = false;
  int num_levels_below = 0;
  filter::RangeCounts::Sample sample;  // of ranges that scans ask for
};

// Memory: as RocksDB takes while it builds the filter. False with *error: damaged.
bool MakeRangeFilter(const sstable::Table& table, const FilterOptions& options,
                     const RangeFilterRequest& request, RangeFilter* made, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_RANGE_FILTER_H_
