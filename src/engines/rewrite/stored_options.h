// The options with which a database was opened last, from its newest OPTIONS file.
#ifndef BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
#define BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_

#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace bloomline::rewrite {

struct StoredOptions {
  ROCKSDB_NAMESPACE::DBOptions database;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
};

// Only reads. Returns false with *error if there is no such file, or if there is anything in it
// that this program cannot follow: an unknown option; code of the application, such as a comparator
// or a merge operator, without which a compaction would lose or mix up data; a folder other than
// `path` and those below it (IsSelfContained).
bool ReadStoredOptions(const std::string& path, StoredOptions* options, std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
