// All options of a policy together, as the settings that builders and readers need, and the filter
// that they mean for each new file.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// The options of a policy at one moment, valid together, and what builders and readers derive from
// them. Immutable.
struct PolicySettings {
  // Returns the filter of a new file. Bits by level, and a limit of memory, follow from the other
  // files of the database, which the account of `creation` knows. `seen` is for
  // files without an account.
  FilterChoice ChooseFor(const NewFile& file, const FileCreation& creation,
                         const SeenLevels& seen) const;

  RocksDBFilterOptions options;
  LevelRules levels;
  // For files whose column family and level are unknown.
  filter::FilterCounts* counts = nullptr;

 private:
  void ChooseByAccount(FileAccount* account, const NewFile& file, const FileCreation& creation,
                       FilterChoice* choice) const;
};
using SettingsPtr = std::shared_ptr<const PolicySettings>;

// Returns null if the options are invalid, or if they need random seeds and the system's generator
// fails, because builders cannot fail. *error then has the reason.
SettingsPtr MakeSettings(const RocksDBFilterOptions& options, std::string* error);
// Those with this text for bits_per_key, and with the defaults of all other options.
SettingsPtr ParseSettings(std::optional<std::string_view> bits_per_key, std::string* error);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_SETTINGS_H_
