// Reads the options with which a database was opened last, from its newest OPTIONS file.
#ifndef BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
#define BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"

namespace bloomline::rewrite {

struct StoredOptions {
  ROCKSDB_NAMESPACE::DBOptions database;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
};

// Unknown names and objects are errors.
ROCKSDB_NAMESPACE::ConfigOptions StrictConfig();

// Returns why rewriting with the policy of this option string would remove filters by mistake, or
// an empty string: RocksDB takes a number of bits below 0.5 for 0, and the bare name of its filters
// for a policy that only reads.
std::string WhyNoFilters(const std::string& text);

// Only reads. Returns false with *error if there is no such file, or if it has anything that this
// program cannot follow: an unknown option; code of the application, such as a comparator or a
// merge operator, without which a compaction would lose or mix up data; a folder other than `path`
// and those below it (IsSelfContained). Filter policies are checked only with `needs_policies`;
// then there must be at least one.
bool ReadStoredOptions(const std::string& path, bool needs_policies, StoredOptions* options,
                       std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
