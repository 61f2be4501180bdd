// The settings of a policy in the form that builders and readers need: made once for each change,
// and immutable.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_

#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/ranges/range_settings.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// The options of a policy at one moment, valid together, and what builders and readers derive from
// them.
struct PolicySettings {
  RocksDBFilterOptions options;
  FilterOptions filter;  // Normalized
  LevelRules levels;
  RangeSettings ranges;
  MemoryLimit memory;
  // For files whose column family and level are unknown.
  filter::FilterCounts* counts = nullptr;
};
using SettingsPtr = std::shared_ptr<const PolicySettings>;

// Returns null if the options are invalid, or if they need random seeds and the system's generator
// fails, because builders cannot fail. *error then has the reason.
SettingsPtr MakeSettings(const RocksDBFilterOptions& options, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_
