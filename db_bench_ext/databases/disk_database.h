// A RocksDB database of five full levels, read with direct I/O through a block cache that also
// holds the filters and indexes.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_DATABASE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "db_bench_ext/databases/disk_keys.h"
#include "db_bench_ext/databases/rocksdb_database.h"
#include "rocksdb/cache.h"

namespace bloomline::bench::disk {

// The keys and values of each level as one table file without a filter. Every database is made from
// these files, so they are written once.
class LevelFiles {
 public:
  LevelFiles(const StoredKeys& stored, const std::string& directory);
  const std::string& OfLevel(int level) const { return paths_[static_cast<size_t>(level - 1)]; }

 private:
  std::array<std::string, kNumLevels> paths_;
};

class DiskDatabase : public RocksDBDatabase {
 public:
  // Writes each level with a compaction whose output is that level, so that the policy is told the
  // level that the file is for. No other compaction ever runs. is_partitioned: filters and indexes
  // lie in blocks with a top level, instead of one filter and one index per file. !reads_directly:
  // through the page cache, which changes no count.
  DiskDatabase(const Policy& policy, bool is_partitioned, const StoredKeys& stored,
               const LevelFiles& files, const std::string& parent, bool reads_directly);

  // Drops what the cache holds.
  void SetCacheBytes(uint64_t bytes);
  // What fits of all data blocks, filters and indexes is then in the cache.
  void ReadAll();
  // Throws if levels have changed since they were written.
  void CheckLevels() const;

 private:
  DiskDatabase(const Policy& policy, bool is_partitioned, const StoredKeys& stored,
               const LevelFiles& files, const std::string& parent, bool reads_directly,
               const std::shared_ptr<rocksdb::Cache>& cache);
  void WriteLevels(const LevelFiles& files);

  const StoredKeys& stored_;
  const std::shared_ptr<rocksdb::Cache> cache_;
};

// Throws NotHere, unless databases of `bytes` can be read from the disk of this folder with direct
// I/O.
void CheckIsOnDisk(const std::string& directory, uint64_t bytes);

}  // namespace bloomline::bench::disk

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_DATABASE_H_
