// The properties of tables that a database had before its listener heard of them.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_OLD_FILTERS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_OLD_FILTERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/table_properties.h"

namespace bloomline::engine {

// Reads the properties of each file in `paths`, which has them by number, from the file itself:
// RocksDB gives them by column family, and an event has no handle of one. Ends early once `ends` is
// true. Files that are deleted in the meantime are left out. Returns an empty string, or the reason
// why a file cannot be read, which the database's log has, too.
std::string ReadTables(
    ROCKSDB_NAMESPACE::DB* db, const std::map<uint64_t, std::string>& paths,
    const std::atomic<bool>& ends,
    const std::function<void(uint64_t, const ROCKSDB_NAMESPACE::TableProperties&)>& use);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_OLD_FILTERS_H_
