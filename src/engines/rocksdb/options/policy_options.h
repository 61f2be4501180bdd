// The options of a policy while it runs: changed by SetOptions, printed for OPTIONS files.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_

#include <mutex>
#include <string>
#include <unordered_map>

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/options/option_table.h"

namespace bloomline::engine {

constexpr char kRocksDBPolicyName[] = "bloomline";

// What becomes of bloom_before_level if RocksDB sets it. From 8.7 on, RocksDB sets it from OPTIONS
// files in each Ribbon policy, so also in a policy of bloomline that replaces one.
enum class RibbonOptions {
  kOwn,       // no policy is replaced: the number is bloomline's own option
  kFollowed,  // by format ribbon without flush_format; other formats have no such number
  kIgnored,   // the number is checked, and changes nothing
};

// The settings of a policy. RocksDB's SetOptions may replace them while other threads make
// builders. Thread-safe.
class PolicyOptions {
 public:
  using Changes = std::unordered_map<std::string, std::string>;
  using Types = std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>;

  explicit PolicyOptions(SettingsPtr settings, RibbonOptions ribbon_options = RibbonOptions::kOwn)
      : settings_(std::move(settings)), ribbon_options_(ribbon_options) {}

  SettingsPtr Load() const;
  // The name of the policy in tables and OPTIONS files: with stock_id, RocksDB's own.
  const char* Name() const;
  std::string Id() const;

  // Replaces the settings by those with all of `changes`, or by none. If by none, it returns the
  // reason, which also goes to stderr, because RocksDB drops most errors of options: a bad value, a
  // forbidden combination, or an unknown name. Unknown names go to *unused instead if it is not
  // null, and are skipped under config.ignore_unknown_options, as RocksDB does.
  Status Change(const ConfigOptions& config, const Changes& changes, Changes* unused);

  // Returns the text for OPTIONS files. All of it is of one moment.
  std::string Serialize(const ConfigOptions& config, const std::string& prefix) const;

  // Returns how RocksDB writes and compares each option of a PolicyOptions. RocksDB cannot change
  // one alone.
  static const Types& OptionTypes();

 private:
  // Sets *settings to the settings with all of `changes`, or returns why not.
  std::string Apply(const ConfigOptions& config, const Changes& changes, Changes* unused,
                    SettingsPtr* settings) const;

  mutable std::mutex mutex_;  // guards the pointer
  SettingsPtr settings_;
  const RibbonOptions ribbon_options_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_
