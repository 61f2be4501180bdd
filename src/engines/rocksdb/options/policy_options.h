// The options of a policy while it runs: changed by SetOptions, printed for OPTIONS files.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "rocksdb/convenience.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/options/policy_settings.h"

namespace bloomline {

constexpr char kRocksDBPolicyName[] = "bloomline";
// The id of a policy with a canonicalizer in OPTIONS files. RocksDB drops errors, and then makes a
// policy of the id alone, with the default options. One without a canonicalizer would write filters
// that lose keys; one of this id writes none until its canonicalizer is known.
constexpr char kCanonicalPolicyName[] = "bloomline.canon";
static_assert(sizeof(kCanonicalPolicyName) <= 16);  // a std::string of it takes no memory

// The settings of a policy. RocksDB's SetOptions may replace them while other threads make
// builders. Thread-safe; throws nothing unless it says so.
class PolicyOptions {
 public:
  using Changes = std::unordered_map<std::string, std::string>;
  using Types = std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>;

  // is_new: the first Change before any Use belongs to the making of the policy. May throw
  // bad_alloc.
  explicit PolicyOptions(SettingsPtr settings, bool is_new = false);

  // Returns the settings for a builder or a reader.
  SettingsPtr Use() const {
    is_used_.store(true, std::memory_order_relaxed);
    return Load();
  }
  SettingsPtr Load() const;
  // The name of the policy in tables, and in OPTIONS files: RocksDB's own with stock_id.
  const char* Name() const;
  std::string Id() const;
  // Whether `id` has bits per key, as "bloomline:12" does, and there is a canonicalizer, which the
  // policy of that id must take over: without it, new filters would lose keys. RocksDB passes on
  // all options or none, so the bits per key of the id do not count then. stderr says so.
  bool KeepsCanonicalizerAs(const std::string& id) const;

  // Applies all of `changes`, or none. Then it returns the reason, which also goes to stderr,
  // because RocksDB drops most errors of options: a bad value, a combination that is not allowed,
  // an unknown name, or MemoryLimit (out of memory, here or in RocksDB's code below). As in
  // RocksDB, unknown names go to *unused instead if it is not null, and are skipped under
  // config.ignore_unknown_options.
  //
  // The first Change of a new policy is two changes: first the canonicalizer alone, then all.
  // RocksDB drops the error and uses the policy, whose filters would lose keys without it. If it
  // cannot be found, even for lack of memory, the policy uses and writes no filters. If no
  // canonicalizer of that name is registered, that is an error, too, but all changes are applied,
  // so that the OPTIONS file stays as it was.
  ROCKSDB_NAMESPACE::Status Change(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                   const Changes& changes, Changes* unused);

  // Returns the text for OPTIONS files, from one moment. Out of memory it is the policy's name
  // alone, which RocksDB reads as the default options, and stderr gets a line.
  std::string Serialize(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                        const std::string& prefix) const;

  // Returns how RocksDB changes, writes and compares each option of a PolicyOptions.
  static const Types& OptionTypes();

 private:
  void Store(SettingsPtr settings);
  // The first Change of a new policy. Returns what is wrong.
  std::string ChangeNew(const ROCKSDB_NAMESPACE::ConfigOptions& config, const Changes& changes,
                        Changes* unused, SettingsPtr if_unknown);
  // Stores settings with all of `changes`, or returns why not.
  std::string Apply(const ROCKSDB_NAMESPACE::ConfigOptions& config, const Changes& changes,
                    Changes* unused, bool is_new);

  std::mutex changing_;  // one Change at a time
  // The settings of a new policy with a canonicalizer that is not known. Null: it is not new.
  SettingsPtr if_unknown_;
  mutable std::atomic<bool> is_used_{false};
  mutable std::mutex mutex_;  // guards the pointer
  SettingsPtr settings_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_OPTIONS_H_
