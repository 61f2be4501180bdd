// The filters of the files that a database has.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_COUNT_FILES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_COUNT_FILES_H_

#include <string>

#include "rocksdb/db.h"
#include "rocksdb/table_properties.h"
#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

FilterSums FilterOf(const ROCKSDB_NAMESPACE::TableProperties& properties);

// Adds the live files of all column families that the account does not know. is_first: what it
// knows of others is of an earlier time. Reads the properties of each such file, because RocksDB
// gives them by column family, and an event of a listener has no handle of a column family. Returns
// false if some cannot be read; the database's log, and *error if it is not null, then have the
// reason. May throw bad_alloc.
bool CountLiveFiles(ROCKSDB_NAMESPACE::DB* db, bool is_first, FileAccount* account,
                    std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_COUNT_FILES_H_
