#include "src/engines/rocksdb/options/policy_settings.h"

#include "bloomline/seed.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/options/option_table.h"

namespace bloomline {
namespace {

// Checks the options, and fills *settings as far as the checks read them.
std::string Check(const RocksDBFilterOptions& options, PolicySettings* settings) {
  std::string error;
  for (const OptionRow& row : OptionTable()) {
    if (row.check != nullptr && error.empty()) error = row.check(options, settings);
  }
  return error;
}

}  // namespace

std::string RocksDBFilterOptions::Validate() const {
  PolicySettings unused;
  return Check(*this, &unused);
}

SettingsPtr MakeSettings(const RocksDBFilterOptions& options, std::string* error) {
  const auto settings = std::make_shared<PolicySettings>();
  *error = Check(options, settings.get());
  uint64_t unused_seed;
  if (!error->empty() || (options.random_seed && !DrawSeed(&unused_seed, error))) return nullptr;
  settings->options = options;
  settings->levels = MakeLevelRules(options);
  settings->counts = CountsOf(options);
  return settings;
}

}  // namespace bloomline
