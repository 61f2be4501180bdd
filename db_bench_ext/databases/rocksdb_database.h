// A RocksDB database of which a workload chooses the options.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "db_bench_ext/databases/file_sums.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/rocksdb_open.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

namespace bloomline::bench {

class RocksDBDatabase : public Database {
 public:
  // Not compressed, and written without a log.
  RocksDBDatabase(const rocksdb::Options& options, const rocksdb::BlockBasedTableOptions& table,
                  const std::string& parent);

  rocksdb::DB* db() const { return db_.get(); }
  const std::string& path() const { return directory_.path(); }
  // Closes the database before it opens it again.
  void Reopen();

  void Put(std::string_view key, std::string_view value) override;
  // Writes what Put has buffered, and flushes it.
  void Flush();
  void CompactAndReopen() override;
  bool Get(std::string_view key, std::string* value) override;
  void StartCounting() override;
  BlockCounts StopCounting() override;
  FilterSummary Filters() override;

  FileSums SumsOfFiles() const { return bench::SumsOfFiles(db()); }

 private:
  void Commit();
  void CheckOneSortedRun() const;

  const TemporaryDirectory directory_;
  rocksdb::Options options_;
  rocksdb::WriteOptions write_options_;
  rocksdb::WriteBatch batch_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_
