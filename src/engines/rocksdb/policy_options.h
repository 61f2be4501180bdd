#ifndef BLOOMLINE_ENGINES_ROCKSDB_POLICY_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_POLICY_OPTIONS_H_

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/named_canonicalizer.h"
#include "src/engines/rocksdb/ranges/range_options.h"

namespace bloomline {

struct OptionText;

// The options of a policy. RocksDB's SetOptions may change them while other threads make builders.
// The options are valid together at any time: they change together or not at all. Thread-safe;
// throws nothing unless it says so.
class PolicyOptions {
 public:
  using Changes = std::unordered_map<std::string, std::string>;
  using Types = std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>;

  // What a builder needs. A copy cannot fail.
  struct Snapshot {
    FilterOptions filter;
    LevelRules levels;
    CanonicalizerPtr canonicalizer;  // null: none
    RangeSettings ranges;
  };

  // `options` must be valid. is_new: the first Change, before any Load, belongs to the making of
  // the policy.
  explicit PolicyOptions(const RocksDBFilterOptions& options, bool is_new = false);

  // The options of one moment. LoadOptions may throw bad_alloc.
  RocksDBFilterOptions LoadOptions() const;
  Snapshot LoadSnapshot() const;
  // The same as in the plan, for each filter that is read.
  CanonicalizerPtr LoadCanonicalizer() const;
  // The name of the policy in OPTIONS files.
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
  // While a policy is made of a string, a canonicalizer is the exception: RocksDB drops the error
  // and uses the policy, whose new filters would lose keys without it. So a new policy takes the
  // canonicalizer whatever becomes of the other changes. If no canonicalizer of that name is
  // registered, that is an error, too, but all changes are applied: the policy then uses and writes
  // no filters, and the OPTIONS file stays as it was.
  ROCKSDB_NAMESPACE::Status Change(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                   const Changes& changes, Changes* unused);

  // Returns the text for OPTIONS files, from one moment. Out of memory it is the policy's name
  // alone, which RocksDB reads as the default options, and stderr gets a line.
  std::string Serialize(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                        const std::string& prefix) const;

  // Returns how RocksDB parses, writes and compares each option of a PolicyOptions. Parsing does
  // not check that the options are valid together: Change does.
  static const Types& OptionTypes();

 private:
  static ROCKSDB_NAMESPACE::OptionTypeInfo TypeInfo(const OptionText& option);

  ROCKSDB_NAMESPACE::Status CanonicalizerStatus(const Changes& changes) const;
  // For a new policy. The caller has the lock.
  std::string TakeCanonicalizer(const std::string& name);

  // As Change; returns the reason, or an empty string.
  std::string TryChange(const ROCKSDB_NAMESPACE::ConfigOptions& config, const Changes& changes,
                        Changes* unused);

  mutable std::mutex mutex_;
  mutable bool is_new_;
  RocksDBFilterOptions options_;
  Snapshot snapshot_;                           // of options_
  std::atomic<bool> has_canonicalizer_{false};  // without the lock
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_POLICY_OPTIONS_H_
