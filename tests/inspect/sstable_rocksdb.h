// A RocksDB database of one table, whose filters are recorded, and checks that sstable::Table reads
// of the table what RocksDB says: every entry, every filter, and which filter a Get queries.
#ifndef BLOOMLINE_TESTS_INSPECT_SSTABLE_ROCKSDB_H_
#define BLOOMLINE_TESTS_INSPECT_SSTABLE_ROCKSDB_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/inspect/sstable/table.h"
#include "tests/engines/recording_policy.h"
#include "tests/inspect/table_entries.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKeys = 400;
#else
constexpr int kKeys = 1500;
#endif

constexpr int kRocksDBVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kFirstFormatVersion = kRocksDBVersion >= 1100 ? 2 : 0;
constexpr uint32_t kLastFormatVersion = kRocksDBVersion >= 1004  ? 7
                                        : kRocksDBVersion >= 806 ? 6
                                                                 : 5;

// An option that only newer versions have. False: this one does not.
template <typename T>
auto DecoupleFilters(T* options, bool value, int)
    -> decltype(options->decouple_partitioned_filters) {
  return options->decouple_partitioned_filters = value;
}
template <typename T>
bool DecoupleFilters(T*, bool, long) {
  return false;
}

// Options of one table, and the policy that sees what the engine does with its filters.
struct TableCase {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  std::shared_ptr<RecordingPolicy> policy;
  bool has_decoupled_filters = false;

  TableCase() {
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = rocksdb::kNoCompression;
    table.block_size = 512;
    table.metadata_block_size = 256;
    // With it, where partitions are cut depends on malloc. The default from RocksDB 9.0 on.
    table.optimize_filters_for_memory = false;
    SetPolicy(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)));
  }
  void SetPolicy(std::shared_ptr<const rocksdb::FilterPolicy> inner) {
    policy = std::make_shared<RecordingPolicy>(std::move(inner));
    table.filter_policy = policy;
  }
  void Partition() {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    DecoupleFilters(&table, false, 0);
  }
};

// A database whose one table has many versions of some keys, deletions and long values.
class OneTable {
 public:
  explicit OneTable(const TableCase& test_case);
  ~OneTable();

  void Write();

  std::string TablePath() const;
  std::vector<TableEntry> Entries() const;  // as RocksDB says

  rocksdb::DB* db() const { return db_.get(); }
  const std::vector<const rocksdb::Snapshot*>& snapshots() const { return snapshots_; }
  RecordingPolicy& policy() const { return *case_.policy; }
  bool has_decoupled_filters() const { return case_.has_decoupled_filters; }
  bool is_compressed() const { return case_.options.compression != rocksdb::kNoCompression; }

 private:
  static std::string Key(int i);
  static std::string Value(std::mt19937_64* random);
  void TakeSnapshot();
  void Put(const std::string& key, const std::string& value);
  void Delete(const std::string& key);

  TableCase case_;
  TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

// RocksDB gives the entries in its order, and so does the table.
void ExpectSameEntries(const OneTable& written, const sstable::Table& table);

// SkipTo leads to the first entry at or behind any key.
void ExpectSeeks(const sstable::Table& table);

// Of each entry, that a Get at each snapshot that finds it queries the filter that FilterOf names.
void ExpectSameQueries(const OneTable& written, const sstable::Table& table);

// Writes a table, makes these checks and compares filters and properties. Returns the properties.
sstable::Properties CheckTable(const TableCase& test_case, sstable::FilterKind kind);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INSPECT_SSTABLE_ROCKSDB_H_
