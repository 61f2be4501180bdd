// A RocksDB database of which a workload chooses the options.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/rocksdb_open.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

namespace bloomline::bench {

struct FileSums {
  uint64_t num_files = 0;
  uint64_t num_keys = 0;
  uint64_t data_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t filter_bytes = 0;
  uint64_t num_filters = 0;

  void Add(const FileSums& other);
  double FilterBitsPerKey() const {
    return 8.0 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

class RocksDBDatabase : public Database {
 public:
  // Not compressed, and written without a log.
  RocksDBDatabase(const rocksdb::Options& options, const rocksdb::BlockBasedTableOptions& table,
                  const std::string& parent);

  rocksdb::DB* db() const { return db_.get(); }
  const std::string& path() const { return directory_.path(); }
  // Closes the database before it opens it again.
  void Reopen();
  void Reopen(const rocksdb::BlockBasedTableOptions& table);

  void Put(std::string_view key, std::string_view value) override;
  void Delete(std::string_view key);
  // Writes what the methods above have buffered.
  void Commit();
  // The same, and flushes it.
  void Flush();
  void CompactAndReopen() override;
  bool Get(std::string_view key, std::string* value) override;
  void StartCounting() override;
  BlockCounts StopCounting() override;
  FilterSummary Filters() override;

  // The files of each level, from level 0 on, and of all.
  std::vector<FileSums> SumsOfLevels() const;
  FileSums SumsOfFiles() const;

 private:
  void CommitIfFull();
  void CheckOneSortedRun() const;

  const TemporaryDirectory directory_;
  rocksdb::Options options_;
  rocksdb::WriteOptions write_options_;
  rocksdb::WriteBatch batch_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_ROCKSDB_DATABASE_H_
