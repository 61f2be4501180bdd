// What the LOG of a database should say each time that the database is opened with a policy.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPENING_REMARKS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPENING_REMARKS_H_

#include <mutex>
#include <string>
#include <vector>

#include "rocksdb/options.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/levels/level_choice.h"

namespace bloomline::engine {

// RocksDB validates a policy while it opens a database, mostly before it has a LOG. So remarks wait
// for the first file that the policy is asked about. If databases share a policy, this file may be
// another one's. Thread-safe.
class OpeningRemarks {
 public:
  // Adds the remark to those that wait, unless it is empty or there. `log` may be null; otherwise
  // it gets them.
  void Add(const std::string& remark, Logger* log) const;

  // Writes the remarks that wait, each once. `log` may be null.
  void WriteTo(Logger* log) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> waiting_;
};

// Returns a warning of a comparator that may treat keys with different bytes as equal: filters
// compare bytes, and would lose such keys. It is not an error, because RocksDB assumes this of any
// user's comparator. Otherwise returns an empty string. stderr gets a line for each comparator's
// name, once in the process.
std::string ComparatorWarning(const ROCKSDB_NAMESPACE::Comparator* comparator);

// Returns a remark about unknown options that were skipped, or an empty string if there are none.
std::string SkippedRemark(const std::string& names);

// Returns a remark about options of earlier releases ("level_size_ratio=8"), or an empty string if
// there are none.
std::string FormerRemark(const std::string& options);

// Returns a remark about bits by level that the compaction style, or a database without a
// FilterAccount, leaves without effect or with less, or an empty string. It then has the line of
// code, and of options, that adds an account.
std::string LevelsRemark(const LevelRules& rules, ROCKSDB_NAMESPACE::CompactionStyle style,
                         bool has_account);

// Returns the remark for an SstFileWriter with this log, in which the limit of memory has no
// effect. If `log` is null, as it is by default there, stderr gets the remark, once in the process.
std::string NoDatabaseRemark(const Logger* log);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPENING_REMARKS_H_
