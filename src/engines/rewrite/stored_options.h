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

// Returns false with *error if the file is missing, or names code of the application: a comparator,
// merge operator, compaction filter or other object that RocksDB and bloomline lack. A compaction
// without it would lose or mix up data.
bool ReadStoredOptions(const std::string& path, StoredOptions* options, std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_STORED_OPTIONS_H_
