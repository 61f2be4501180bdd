// Each option of the RocksDB policy (filter/options/option_list.h): its text, as in option strings
// and OPTIONS files, and its check.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_ROWS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_ROWS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/level_sizing.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/options_type.h"
#include "src/filter/options/option_list.h"

namespace bloomline::engine {

struct OptionRow {
  const filter::PolicyOption& option;
  ROCKSDB_NAMESPACE::OptionType type;
  // The values that `read` takes; null if it takes any text.
  std::string (*allowed)();
  // Reads all of `value`, or returns false. Does not check it against other options.
  bool (*read)(const std::string& value, RocksDBFilterOptions* options);
  // Returns what is wrong with the value beside the other options, or an empty string. Null if
  // another row checks the value, or any value is right.
  std::string (*check)(const RocksDBFilterOptions& options);
  // The text that is read back as the same value.
  std::string (*text)(const RocksDBFilterOptions& options);
};

// One row for each of filter::kPolicyOptions, in their order.
using OptionRows = std::array<OptionRow, filter::kPolicyOptions.size()>;
const OptionRows& AllOptionRows();

// Sets the option of this name. Returns an empty string, or what is wrong.
std::string SetOption(std::string_view name, const std::string& value,
                      RocksDBFilterOptions* options);

// RocksDB's conventions below 1 bit per key (rocksdb/filter_policy.h): below 0.5 no filters are
// written, for which this returns 0, and 0.5 to 1 counts as 1.
inline double BitsAsInRocksDB(double bits_per_key) {
  if (bits_per_key >= 0 && bits_per_key < 0.5) return 0;
  return bits_per_key >= 0.5 && bits_per_key < kMinBitsPerKey ? kMinBitsPerKey : bits_per_key;
}

// The option for the bloom_before_level of a Ribbon policy of RocksDB, which has any number.
inline int AllowedBloomBeforeLevel(int level) { return std::clamp(level, -1, kMaxLevels); }

inline bool WritesFilters(const FilterOptions& options) {
  return BitsAsInRocksDB(options.bits_per_key) > 0;
}

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_ROWS_H_
