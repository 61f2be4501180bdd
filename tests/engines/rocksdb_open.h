// Opens a database of any version of RocksDB.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <vector>

namespace bloomline::tests {

// RocksDB opens into a plain pointer until version 10, into a unique_ptr from 11 on; the last
// versions of 10 take both. open(db) is called with the address of one of them.
template <typename Open>
auto OpenAny(Open open, std::unique_ptr<rocksdb::DB>* db, int) -> decltype(open(db)) {
  return open(db);
}
template <typename Open>
rocksdb::Status OpenAny(Open open, std::unique_ptr<rocksdb::DB>* db, long) {
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = open(&opened);
  db->reset(opened);
  return status;
}

inline rocksdb::Status OpenRocksDB(const rocksdb::Options& options, const std::string& path,
                                   std::unique_ptr<rocksdb::DB>* db) {
  const auto open = [&](auto* opened) -> decltype(rocksdb::DB::Open(options, path, opened)) {
    return rocksdb::DB::Open(options, path, opened);
  };
  return OpenAny(open, db, 0);  // an int prefers the first
}

// As loaded from an OPTIONS file: the families with their options.
inline rocksdb::Status OpenRocksDB(const rocksdb::DBOptions& options, const std::string& path,
                                   const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                   std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::Open(options, path, families, handles, opened)) {
    return rocksdb::DB::Open(options, path, families, handles, opened);
  };
  return OpenAny(open, db, 0);
}

inline rocksdb::Status OpenRocksDBReadOnly(const rocksdb::Options& options, const std::string& path,
                                           std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::OpenForReadOnly(options, path, opened)) {
    return rocksdb::DB::OpenForReadOnly(options, path, opened);
  };
  return OpenAny(open, db, 0);
}

inline rocksdb::Status OpenRocksDBSecondary(const rocksdb::Options& options,
                                            const std::string& path, const std::string& log_path,
                                            std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::OpenAsSecondary(options, path, log_path, opened)) {
    return rocksdb::DB::OpenAsSecondary(options, path, log_path, opened);
  };
  return OpenAny(open, db, 0);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
