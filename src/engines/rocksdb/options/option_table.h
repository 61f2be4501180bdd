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
  // Reads all of `value`, or returns false. Does not check it against other options.
  bool (*read)(const std::string& value, RocksDBFilterOptions* options);
  // Returns what is wrong with the value beside the other options, or an empty string. Stores its
  // result in *settings. Null if another row checks the value, or any value is right.
  std::string (*check)(const RocksDBFilterOptions& options, PolicySettings* settings);
  // The text that is read back as the same value.
  std::string (*text)(const RocksDBFilterOptions& options);
};

const std::array<OptionRow, 13>& OptionTable();

// Returns null for an unknown name.
const OptionRow* FindOption(std::string_view name);

// Sets the option of this name. Returns an empty string, or what is wrong.
std::string SetOption(std::string_view name, const std::string& value,
                      RocksDBFilterOptions* options);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_
