// Each option of the RocksDB policy: its text, as in option strings and OPTIONS files, and its
// check.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_

#include <array>
#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/options_type.h"

namespace bloomline {

struct PolicySettings;

struct OptionRow {
  const char* name;
  ROCKSDB_NAMESPACE::OptionType type;
  // The values that `read` takes.
  std::string (*allowed)();
  // Reads all of `value`, or returns false. Does not check what depends on other options.
  bool (*read)(const std::string& value, RocksDBFilterOptions* options);
  // Returns what is wrong with the value beside the other options, or an empty string. What it
  // makes of the value goes to *settings. Null: another row checks it, or no value is wrong.
  std::string (*check)(const RocksDBFilterOptions& options, PolicySettings* settings);
  // The text that reads as the same value.
  std::string (*text)(const RocksDBFilterOptions& options);
};

const std::array<OptionRow, 13>& OptionTable();

// Null: there is no such option.
const OptionRow* FindOption(std::string_view name);

// Sets the option of this name. Returns an empty string, or what is wrong.
std::string SetOption(std::string_view name, const std::string& value,
                      RocksDBFilterOptions* options);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_
