// The options range_prefixes and range_memory_percent, as text and for builders.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_

#include "bloomline/rocksdb.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline {

// The range entries that new filters get.
struct RangeSettings {
  filter::EntryKinds kinds;
  bool is_auto = false;
  double memory = 0;  // for entries, as a part of that for keys

  bool has_entries() const { return is_auto || !kinds.empty(); }
};

// Read one option each. Return what is wrong with it, or nothing.
std::string ReadRangePrefixes(const RocksDBFilterOptions& options, RangeSettings* settings);
std::string ReadRangeMemory(const RocksDBFilterOptions& options, RangeSettings* settings);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_SETTINGS_H_
