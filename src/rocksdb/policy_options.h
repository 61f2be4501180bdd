#ifndef BLOOMLINE_ROCKSDB_POLICY_OPTIONS_H_
#define BLOOMLINE_ROCKSDB_POLICY_OPTIONS_H_

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bloomline/filter_options.h"
#include "rocksdb/convenience.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace bloomline {

// RocksDB's conventions below 1 bit per key (rocksdb/filter_policy.h).
bool WritesFilters(const FilterOptions& options);
// The options to validate and to build filters with.
FilterOptions Normalized(FilterOptions options);

// One line on stderr: RocksDB drops most of what option parsers return.
void Complain(std::string_view message);

// Reads the whole of `value`. Returns what is wrong with it, or nothing. Not whether it is in
// range, which depends on the format.
std::string ParseBitsPerKey(const std::string& value, FilterOptions* options);

// The options of a policy, which RocksDB's SetOptions may change while other threads make builders.
// They are always valid together, and change together or not at all. Nothing here throws.
// Thread-safe.
class PolicyOptions {
 public:
  using Changes = std::unordered_map<std::string, std::string>;
  using Types = std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>;

  // `options` must be valid when normalized.
  explicit PolicyOptions(const FilterOptions& options) : options_(options) {}

  FilterOptions Load() const;

  // Applies all of `changes`, or none and returns the reason, which also goes to stderr: a bad
  // value, a combination that is not allowed, an unknown name, or want of memory, here or in
  // RocksDB's code below (MemoryLimit). As in RocksDB, unknown names go to *unused instead if it is
  // not null, and are skipped under config.ignore_unknown_options.
  ROCKSDB_NAMESPACE::Status Change(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                   const Changes& changes, Changes* unused);

  // What OPTIONS files say, of one moment. Out of memory the policy's name alone, which RocksDB
  // reads back as the default options, and a line on stderr.
  std::string Serialize(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                        const std::string& prefix) const;

  // How RocksDB parses, writes and compares each option of a PolicyOptions. Parsing does not check
  // that the options go together: that is for Change.
  static const Types& OptionTypes();

 private:
  class Draft;

  // As Change; returns the reason.
  std::string TryChange(const ROCKSDB_NAMESPACE::ConfigOptions& config, const Changes& changes,
                        Changes* unused);

  mutable std::mutex mutex_;
  FilterOptions options_;
  bool is_draft_ = false;  // serialised below Serialize alone, which catches what is thrown
};

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_POLICY_OPTIONS_H_
