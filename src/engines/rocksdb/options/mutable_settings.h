// The settings of a policy while it runs: set by option strings, changed by SetOptions, printed for
// OPTIONS files.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MUTABLE_SETTINGS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MUTABLE_SETTINGS_H_

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/options/refusal.h"

namespace bloomline::engine {

constexpr char kRocksDBPolicyName[] = "bloomline";

// What becomes of bloom_before_level if RocksDB sets it. From 8.7 on, RocksDB sets it from OPTIONS
// files in each Ribbon policy, so also in a policy of bloomline that replaces one.
enum class RibbonOptions {
  kOwn,       // no policy is replaced: the number is bloomline's own option
  kFollowed,  // by format ribbon without flush_format; other formats have no such number
  kIgnored,   // the number is checked, and changes nothing
};

// The settings of OptionsOfRefusal().
SettingsPtr SettingsOfRefusal();

// What a policy is at one moment. Immutable.
struct PolicyState {
  SettingsPtr settings;
  // Null if nothing was refused. Otherwise the settings are those of OptionsOfRefusal().
  std::shared_ptr<const Refusal> refusal;
  std::string skipped;  // the unknown options that were left out: "bits, fromat"
  std::string compact;  // the meaning of format compact (former_compact.h)
  std::string former;   // options of earlier releases that had an effect: "range_prefixes=auto"
};
using PolicyStatePtr = std::shared_ptr<const PolicyState>;

// The settings of a policy. RocksDB's SetOptions may replace them while other threads make
// builders. Thread-safe.
class MutableSettings {
 public:
  using Types = std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>;

  // Of a policy that a program makes with valid options.
  explicit MutableSettings(SettingsPtr settings,
                           RibbonOptions ribbon_options = RibbonOptions::kOwn);

  // Of a policy that RocksDB makes by the name `id`, and then configures: the first Change has the
  // options of the same text, and may refuse them. `settings` are those of the id. If wrong_id is
  // not empty, the id is refused for this reason.
  MutableSettings(SettingsPtr settings, const std::string& id, std::string wrong_id);

  PolicyStatePtr LoadState() const;
  SettingsPtr Load() const { return LoadState()->settings; }

  // The name of the policy in tables and OPTIONS files: with stock_id, RocksDB's own.
  const char* Name() const;
  std::string Id() const;

  // Replaces the settings by those with all of `changes`, or by none. If by none, it returns the
  // reason, which also goes to stderr, because RocksDB drops most errors of options: a bad value, a
  // forbidden combination, or an unknown name. A new policy then keeps them as a Refusal, until
  // another Change fixes them; a policy in use keeps the options that it has. Unknown names go to
  // *unused instead if it is not null, and are skipped under config.ignore_unknown_options, as
  // RocksDB does.
  Status Change(const ConfigOptions& config, const OptionMap& changes, OptionMap* unused);

  // Returns the text for OPTIONS files. All of it is of one moment.
  std::string Serialize(const ConfigOptions& config, const std::string& prefix) const;

  // Returns how RocksDB writes and compares each option of a MutableSettings. RocksDB cannot change
  // one alone.
  static const Types& OptionTypes();

 private:
  // Sets the settings of *state to those with all of `changes`, or returns why not.
  std::string Apply(const ConfigOptions& config, const OptionMap& changes, OptionMap* unused,
                    PolicyState* state) const;

  const SettingsPtr start_;
  const RibbonOptions ribbon_options_;
  const std::string id_;        // empty: the policy was not made by its name
  const std::string wrong_id_;  // why the id is refused

  mutable std::mutex mutex_;  // guards what follows
  PolicyStatePtr state_;
  bool awaits_text_;  // the first Change has not come yet
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MUTABLE_SETTINGS_H_
