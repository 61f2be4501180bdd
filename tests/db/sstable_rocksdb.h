// A RocksDB database of one table, whose filters are recorded, and checks that sstable::Table reads
// of the table what RocksDB says: every entry, every filter, and which filter a Get queries.
#ifndef BLOOMLINE_TESTS_DB_SSTABLE_ROCKSDB_H_
#define BLOOMLINE_TESTS_DB_SSTABLE_ROCKSDB_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/debug.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/db/sstable/comparator.h"
#include "src/db/sstable/table.h"
#include "tests/db/table_entries.h"
#include "tests/engines/recording_policy.h"
#include "tests/engines/rocksdb_open.h"
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
  explicit OneTable(const TableCase& test_case) : case_(test_case) {
    case_.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(case_.table));
    EXPECT_TRUE(OpenRocksDB(case_.options, dir_.Path("db"), &db_).ok());
  }
  ~OneTable() {
    for (const rocksdb::Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  }

  void Write() {
    std::mt19937_64 random(7);
    const int per_snapshot = kKeys / kSnapshots;
    for (int i = 0; i < kKeys; ++i) {
      if (i % per_snapshot == 0) TakeSnapshot();
      Put(Key(static_cast<int>(random() % (kKeys * 4))), Value(&random));
    }
    // One key with more versions than a block or a partition holds.
    for (int i = 0; i < 60; ++i) {
      TakeSnapshot();
      Put(Key(kKeys), "version " + std::to_string(i) + std::string(40, 'v'));
    }
    for (int i = 0; i < kKeys / 10; ++i) {
      Delete(Key(static_cast<int>(random() % (kKeys * 4))));
    }
    TakeSnapshot();
    EXPECT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok());
  }

  std::string TablePath() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? "" : files[0].db_path + files[0].name;
  }

  // As RocksDB says.
  std::vector<TableEntry> Entries() const {
    std::vector<rocksdb::KeyVersion> versions;
    // Where there are prefixes, RocksDB may look for those of the first key only.
    const rocksdb::Slice first = case_.options.prefix_extractor == nullptr ? "" : "user";
    const rocksdb::Slice last("\xff\xff\xff\xff");
    EXPECT_TRUE(rocksdb::GetAllKeyVersions(db_.get(), first, last, 1 << 20, &versions).ok());
    std::vector<TableEntry> entries;
    for (const rocksdb::KeyVersion& version : versions) {
      entries.push_back(
          {version.user_key, version.sequence, static_cast<int>(version.type), version.value, 0});
    }
    return entries;
  }

  rocksdb::DB* db() const { return db_.get(); }
  const std::vector<const rocksdb::Snapshot*>& snapshots() const { return snapshots_; }
  RecordingPolicy& policy() const { return *case_.policy; }
  bool has_decoupled_filters() const { return case_.has_decoupled_filters; }
  bool is_compressed() const { return case_.options.compression != rocksdb::kNoCompression; }

 private:
  static constexpr int kSnapshots = 12;

  static std::string Key(int i) {
    const std::string number = std::to_string(i);
    return "user" + std::string(8 - number.size(), '0') + number + (i % 7 == 0 ? "/long/tail" : "");
  }
  static std::string Value(std::mt19937_64* random) {
    const uint64_t kind = (*random)() % 100;
    const size_t size = kind == 0 ? 3000 : kind < 10 ? 0 : kind;
    return std::string(size, static_cast<char>('a' + kind % 26));
  }
  void TakeSnapshot() { snapshots_.push_back(db_->GetSnapshot()); }
  void Put(const std::string& key, const std::string& value) {
    EXPECT_TRUE(db_->Put(rocksdb::WriteOptions(), key, value).ok());
  }
  void Delete(const std::string& key) {
    EXPECT_TRUE(db_->Delete(rocksdb::WriteOptions(), key).ok());
  }

  TableCase case_;
  TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

// RocksDB gives the entries in its order, and so does the table.
inline void ExpectSameEntries(const OneTable& written, const sstable::Table& table) {
  const std::vector<TableEntry> expected = written.Entries();
  const std::vector<TableEntry> entries = TableEntries(table);
  ASSERT_GT(expected.size(), size_t{kKeys});
  ASSERT_EQ(entries.size(), expected.size());
  for (size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i], expected[i]) << i;
}

// Expects that a Get of each entry, at each snapshot that finds it, queries the filter that
// FilterOf names.
inline void ExpectSameQueries(const OneTable& written, const sstable::Table& table) {
  const std::vector<TableEntry> entries = TableEntries(table);
  const std::vector<std::string> filters = TableFilters(table);
  std::string error;
  const auto filter_reader = table.NewFilterReader(&error);
  ASSERT_NE(filter_reader, nullptr) << error;
  std::vector<std::string>& queried = written.policy().record().queried;
  size_t checked = 0, filters_of_one_key = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TableEntry& entry = entries[i];
    const uint64_t newer =
        i > 0 && entries[i - 1].key == entry.key ? entries[i - 1].sequence : ~uint64_t{0};
    const uint64_t index = filter_reader->FilterOf(entry.key, entry.sequence, entry.block_offset);
    ASSERT_LT(index, filters.size());
    filters_of_one_key +=
        index != filter_reader->FilterOf(entry.key, sstable::Table::FilterReader::kMaxSequence, 0);
    for (const rocksdb::Snapshot* snapshot : written.snapshots()) {
      const uint64_t sequence = snapshot->GetSequenceNumber();
      if (sequence < entry.sequence || sequence >= newer) continue;
      rocksdb::ReadOptions read_options;
      read_options.snapshot = snapshot;
      queried.clear();
      std::string value;
      const rocksdb::Status status = written.db()->Get(read_options, entry.key, &value);
      ASSERT_TRUE(status.ok() || (status.IsNotFound() && entry.type != 1)) << status.ToString();
      ASSERT_EQ(value, status.ok() ? entry.value : "");
      ASSERT_EQ(queried.size(), 1u) << entry.key;
      ASSERT_EQ(queried[0], filters[index]) << entry.key << " filter " << index;
      ++checked;
      break;  // one snapshot of each entry
    }
  }
  EXPECT_GT(checked, entries.size() / 2);
  if (table.filter_kind() == sstable::FilterKind::kPartitioned) {
    EXPECT_GE(filters.size(), 3u);
    // The sequence number counts where versions of one key are in several partitions: where
    // filters are cut where the index is. Where that is depends on the compressed size of blocks.
    EXPECT_TRUE(written.has_decoupled_filters() || written.is_compressed() ||
                filters_of_one_key > 0);
    // Behind the last separator RocksDB queries the last partition, before the first the first.
    const bool is_reversed = sstable::OrderOf(table.properties()).is_reversed;
    const uint64_t latest = sstable::Table::FilterReader::kMaxSequence;
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "" : "\xff", latest, 0), filters.size() - 1);
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "\xff" : "", latest, 0), 0u);
  }
}

inline void CheckTableInto(const TableCase& test_case, sstable::FilterKind kind,
                           rocksdb::TableProperties* properties) {
  OneTable written(test_case);
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->engine(), sstable::Engine::kRocksDB);
  EXPECT_EQ(table->format_version(), static_cast<int>(test_case.table.format_version));
  EXPECT_EQ(table->filter_kind(), kind);
  ASSERT_NO_FATAL_FAILURE(ExpectSameEntries(written, *table));
  EXPECT_EQ(TableFilters(*table), written.policy().record().written);
  ASSERT_NO_FATAL_FAILURE(ExpectSameQueries(written, *table));

  rocksdb::TablePropertiesCollection all;
  ASSERT_TRUE(written.db()->GetPropertiesOfAllTables(&all).ok());
  const rocksdb::TableProperties& theirs = *all.begin()->second;
  const sstable::Properties& ours = table->properties();
  EXPECT_EQ(ours.num_entries, theirs.num_entries);
  EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
  EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
  EXPECT_EQ(ours.filter_policy, theirs.filter_policy_name);
  EXPECT_EQ(ours.comparator, theirs.comparator_name);
  *properties = theirs;
}

// Writes a table, makes these checks and compares filters and properties. Returns RocksDB's
// properties.
inline rocksdb::TableProperties CheckTable(const TableCase& test_case, sstable::FilterKind kind) {
  rocksdb::TableProperties properties;
  CheckTableInto(test_case, kind, &properties);
  return properties;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_SSTABLE_ROCKSDB_H_
