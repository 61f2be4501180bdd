// Each option of the RocksDB policy: its text, as in option strings and OPTIONS files, and its
// check.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_

#include <array>
#include <string>

#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/options_type.h"
#include "src/support/error_text.h"

namespace bloomline {

struct PolicySettings;

struct OptionRow {
  const char* name;
  ROCKSDB_NAMESPACE::OptionType type;
  // Parses all of `value`. Returns an empty string, or what is wrong. Does not check what depends
  // on other options. May throw bad_alloc.
  std::string (*parse)(const std::string& value, RocksDBFilterOptions* options);
  // Says what is wrong with the value beside the other options. What it reads of a text goes to
  // *settings. Null: another row checks it, or no value is wrong.
  void (*check)(const RocksDBFilterOptions& options, PolicySettings* settings,
                support::ErrorText* error);
  // The text that parses as the same value. Empty: no canonicalizer, which is not written. May
  // throw bad_alloc.
  std::string (*text)(const RocksDBFilterOptions& options);
};

const std::array<OptionRow, 14>& OptionTable();

constexpr char kCanonicalizerOption[] = "canonicalizer";

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_TABLE_H_
