// A RocksDB database of five full levels, read with direct I/O through a block cache that also
// holds the filters.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_DATABASE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/disk/keys.h"
#include "db_bench_ext/support/policies.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace bloomline::bench {

// How a file's filters and indexes are stored.
struct Layout {
  const char* name;
  bool is_partitioned = false;  // in blocks with a top level, instead of one filter and one index
  bool is_pinned = false;       // never evicted from the cache
};
constexpr Layout kFull = {"full"};
constexpr Layout kPinned = {"pinned", false, true};
constexpr Layout kPartitioned = {"partitioned", true};
inline bool operator==(const Layout& a, const Layout& b) {
  return std::string_view(a.name) == b.name;
}

struct LevelSummary {
  uint64_t num_files = 0;
  uint64_t num_keys = 0;
  uint64_t filter_bytes = 0;

  double BitsPerKey() const {
    return 8.0 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

struct DatabaseSummary {
  std::array<LevelSummary, kNumLevels> levels;  // from level 1 on
  uint64_t num_keys = 0;
  uint64_t data_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t filter_bytes = 0;
};

// The keys and values of each level as one table file without a filter. Every database is made from
// these files, so they are written once.
class LevelFiles {
 public:
  LevelFiles(const StoredKeys& stored, const std::string& directory);
  const std::string& OfLevel(int level) const { return paths_[static_cast<size_t>(level - 1)]; }

 private:
  std::array<std::string, kNumLevels> paths_;
};

// Methods throw std::runtime_error when RocksDB reports an error. Gets are thread-safe.
class DiskDatabase {
 public:
  // Writes each level with a compaction whose output is that level, so that the policy is told the
  // level that the file is for. No other compaction ever runs.
  DiskDatabase(const Policy& policy, const Layout& layout, const StoredKeys& stored,
               const LevelFiles& files, const std::string& directory);

  const DatabaseSummary& summary() const { return summary_; }

  // Drops what the cache holds.
  void SetCacheBytes(uint64_t bytes);

  // False: not found.
  bool Get(const Key& key, rocksdb::PinnableSlice* value) const;
  // statuses[i] is OK or NotFound.
  void MultiGet(size_t count, const rocksdb::Slice* keys, rocksdb::PinnableSlice* values,
                rocksdb::Status* statuses) const;

  // Throws if levels have changed since they were written.
  void CheckLevels() const;

 private:
  void WriteLevels(const LevelFiles& files);
  DatabaseSummary Summarize() const;

  const std::string directory_;
  std::array<uint64_t, kNumLevels> keys_of_level_;
  std::shared_ptr<rocksdb::Cache> cache_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  DatabaseSummary summary_;
};

// Empty if databases of `bytes` can be read from the disk of this folder with direct I/O; else one
// sentence that says why not.
std::string WhyNotOnDisk(const std::string& directory, uint64_t bytes);

// The median of reads of 4 KiB at random places of the file. Throws std::runtime_error if it cannot
// be read.
double MedianDirectReadUs(const std::string& path);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_DATABASE_H_
