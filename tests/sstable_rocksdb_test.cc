// Tables that RocksDB wrote, read without it: every entry, every filter, and which filter a Get
// queries must be as RocksDB says.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/debug.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/sstable/comparator.h"
#include "tests/recording_policy.h"
#include "tests/rocksdb_open.h"
#include "tests/table_entries.h"
#include "tests/temp_dir.h"

namespace bloomline {
namespace {

using sstable::FilterKind;
using sstable::Table;
using tests::RecordingPolicy;
using tests::TableEntry;
using TableOptions = rocksdb::BlockBasedTableOptions;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKeys = 400;
#else
constexpr int kKeys = 1500;
#endif
constexpr int kSnapshots = 12;

// Options of one table, and the policy that sees what the engine does with its filters.
struct Case {
  rocksdb::Options options;
  TableOptions table;
  std::shared_ptr<RecordingPolicy> policy;

  Case() {
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = rocksdb::kNoCompression;
    table.block_size = 512;
    table.metadata_block_size = 256;
    SetPolicy(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)));
  }
  void SetPolicy(std::shared_ptr<const rocksdb::FilterPolicy> inner) {
    policy = std::make_shared<RecordingPolicy>(std::move(inner));
    table.filter_policy = policy;
  }
  void Partition() {
    table.index_type = TableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
};

// A database whose one table has many versions of some keys, deletions and long values.
class OneTable {
 public:
  explicit OneTable(const Case& test_case) : case_(test_case) {
    case_.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(case_.table));
    EXPECT_TRUE(tests::OpenRocksDB(case_.options, dir_.Path("db"), &db_).ok());
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

  std::vector<TableEntry> Entries() const {
    std::vector<rocksdb::KeyVersion> versions;
    const rocksdb::Slice first, last("\xff\xff\xff\xff");
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

 private:
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

  Case case_;
  tests::TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

// RocksDB gives the entries in its order, and so does the table.
void ExpectSameEntries(const OneTable& written, const Table& table) {
  const std::vector<TableEntry> expected = written.Entries();
  const std::vector<TableEntry> entries = tests::TableEntries(table);
  ASSERT_GT(expected.size(), size_t{kKeys});
  ASSERT_EQ(entries.size(), expected.size());
  for (size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i], expected[i]) << i;
}

// Of each entry, that a Get at each snapshot that finds it queries the filter that FilterOf names.
void ExpectSameQueries(const OneTable& written, const Table& table) {
  const std::vector<TableEntry> entries = tests::TableEntries(table);
  const std::vector<std::string> filters = tests::TableFilters(table);
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
        index != filter_reader->FilterOf(entry.key, Table::FilterReader::kMaxSequence, 0);
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
  // Versions of one key do not fit in one partition: the sequence number counts.
  if (table.filter_kind() == FilterKind::kPartitioned) {
    EXPECT_GT(filters.size(), 3u);
    EXPECT_GT(filters_of_one_key, 0u);
  }
}

void Check(const Case& test_case, FilterKind kind) {
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->engine(), sstable::Engine::kRocksDB);
  EXPECT_EQ(table->format_version(), static_cast<int>(test_case.table.format_version));
  EXPECT_EQ(table->filter_kind(), kind);
  ASSERT_NO_FATAL_FAILURE(ExpectSameEntries(written, *table));
  EXPECT_EQ(tests::TableFilters(*table), written.policy().record().written);
  ASSERT_NO_FATAL_FAILURE(ExpectSameQueries(written, *table));

  rocksdb::TablePropertiesCollection all;
  ASSERT_TRUE(written.db()->GetPropertiesOfAllTables(&all).ok());
  const rocksdb::TableProperties& theirs = *all.begin()->second;
  const sstable::Properties& ours = table->properties();
  EXPECT_EQ(ours.num_entries, theirs.num_entries);
  EXPECT_EQ(ours.num_deletions, theirs.num_deletions);
  EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
  EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
  EXPECT_EQ(ours.raw_key_bytes, theirs.raw_key_size);
  EXPECT_EQ(ours.data_bytes, theirs.data_size);
  EXPECT_EQ(ours.filter_bytes, theirs.filter_size);
  EXPECT_EQ(ours.filter_policy, theirs.filter_policy_name);
  EXPECT_EQ(ours.comparator, theirs.comparator_name);
  EXPECT_EQ(ours.column_family, theirs.column_family_name);
}

TEST(SstableRocksDBTest, FormatVersions) {
  for (uint32_t version : {2, 3, 4, 5}) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE("format_version " + std::to_string(version) +
                   (partitioned ? ", partitioned" : ""));
      Case test_case;
      test_case.table.format_version = version;
      if (partitioned) test_case.Partition();
      Check(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, ChecksumTypes) {
  for (rocksdb::ChecksumType type : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
                                     rocksdb::kxxHash64, rocksdb::kXXH3}) {
    SCOPED_TRACE("checksum type " + std::to_string(type));
    Case test_case;
    test_case.table.checksum = type;
    Check(test_case, FilterKind::kFull);
  }
}

TEST(SstableRocksDBTest, Compressions) {
  for (rocksdb::CompressionType type :
       {rocksdb::kSnappyCompression, rocksdb::kZlibCompression, rocksdb::kBZip2Compression,
        rocksdb::kLZ4Compression, rocksdb::kLZ4HCCompression, rocksdb::kZSTD}) {
    for (bool has_dictionary : {false, true}) {
      SCOPED_TRACE("compression " + std::to_string(type) + (has_dictionary ? ", dictionary" : ""));
      Case test_case;
      test_case.options.compression = type;
      test_case.table.block_size = 2000;
      if (has_dictionary) {
        test_case.options.compression_opts.max_dict_bytes = 4096;
        test_case.options.compression_opts.zstd_max_train_bytes = 32768;
      }
      if (type == rocksdb::kZSTD) test_case.Partition();
      Check(test_case, type == rocksdb::kZSTD ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, IndexAndBlockForms) {
  for (auto index : {TableOptions::kBinarySearch, TableOptions::kHashSearch,
                     TableOptions::kTwoLevelIndexSearch, TableOptions::kBinarySearchWithFirstKey}) {
    for (auto block :
         {TableOptions::kDataBlockBinarySearch, TableOptions::kDataBlockBinaryAndHash}) {
      SCOPED_TRACE("index type " + std::to_string(index) + ", block type " + std::to_string(block));
      Case test_case;
      test_case.table.index_type = index;
      test_case.table.data_block_index_type = block;
      test_case.table.index_block_restart_interval = block == 0 ? 1 : 7;
      test_case.table.block_restart_interval = block == 0 ? 16 : 3;
      if (index == TableOptions::kHashSearch) {
        test_case.table.index_block_restart_interval = 1;
        test_case.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
      }
      if (index == TableOptions::kTwoLevelIndexSearch)
        test_case.table.enable_index_compression = false;
      Check(test_case, FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, Policies) {
  FilterOptions compact = {Format::kCompact};
  for (const auto& policy :
       {std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10)),
        NewRocksDBFilterPolicy(FilterOptions()), NewRocksDBFilterPolicy(compact)}) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE(std::string(policy->Name()) + (partitioned ? ", partitioned" : ""));
      Case test_case;
      test_case.SetPolicy(policy);
      if (partitioned) test_case.Partition();
      Check(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, ReverseOrder) {
  Case test_case;
  test_case.options.comparator = rocksdb::ReverseBytewiseComparator();
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(sstable::OrderOf(table->properties().comparator).is_reversed);
  EXPECT_EQ(tests::TableFilters(*table), written.policy().record().written);
  ExpectSameQueries(written, *table);
}

}  // namespace
}  // namespace bloomline
