// The files that a database has without an event: those that were there before the first one.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"
#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

FilterSums FilterSumsIn(const ROCKSDB_NAMESPACE::TableProperties& properties);

// The number in a path such as DIR/000123.sst; 0 if it lacks one ("(nil)").
uint64_t FileNumber(const std::string& path);
// The path of a file in one of RocksDB's lists of files.
std::string FilePath(const ROCKSDB_NAMESPACE::SstFileMetaData& file);

// Adds the live files that the account does not know. Reads the properties of each from the file:
// RocksDB gives them by column family, of which an event has no handle. Ends early once `ends` is
// true. Returns an empty string, or the reason why a file cannot be read, which the database's log
// has, too.
std::string CountLiveFiles(ROCKSDB_NAMESPACE::DB* db, FileAccount* account,
                           const std::atomic<bool>& ends);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_
