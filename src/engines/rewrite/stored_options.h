// The options with which a database was opened last, from its OPTIONS file.
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

// Returns false with *error if there is no such file, or if it names code of the application: a
// comparator, merge operator, compaction filter or other object that RocksDB and bloomline do not
// have. A compaction without it would lose or mix up data.
bool ReadStoredOptions(const std::string& path, StoredOptions* options, std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
