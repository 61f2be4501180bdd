// Opens a database of any version of RocksDB, and turns RocksDB's errors into exceptions.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_OPEN_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_OPEN_H_

#include <memory>
#include <stdexcept>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"

namespace bloomline::bench {

// Throws std::runtime_error.
inline void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

// The same.
inline std::unique_ptr<rocksdb::DB> OpenRocksDB(const rocksdb::Options& options,
                                                const std::string& directory) {
  std::unique_ptr<rocksdb::DB> opened;
#if ROCKSDB_MAJOR >= 11
  Check(rocksdb::DB::Open(options, directory, &opened));
#else
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, directory, &db));
  opened.reset(db);
#endif
  return opened;
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_OPEN_H_
