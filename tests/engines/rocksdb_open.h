// Opens a database of any version of RocksDB.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_

#include <rocksdb/db.h>

#include <memory>
#include <string>

namespace bloomline::tests {

// DB::Open takes the address of a plain pointer until RocksDB 10, that of a unique_ptr from 11 on;
// the last versions of 10 take both.
template <typename Database>
auto OpenRocksDB(const rocksdb::Options& options, const std::string& path,
                 std::unique_ptr<Database>* db, int)
    -> decltype(Database::Open(options, path, db)) {
  return Database::Open(options, path, db);
}
template <typename Database>
rocksdb::Status OpenRocksDB(const rocksdb::Options& options, const std::string& path,
                            std::unique_ptr<Database>* db, long) {
  Database* opened = nullptr;
  const rocksdb::Status status = Database::Open(options, path, &opened);
  db->reset(opened);
  return status;
}

inline rocksdb::Status OpenRocksDB(const rocksdb::Options& options, const std::string& path,
                                   std::unique_ptr<rocksdb::DB>* db) {
  return OpenRocksDB(options, path, db, 0);  // an int prefers the first
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
