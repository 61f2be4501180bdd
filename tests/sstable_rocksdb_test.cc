// Tables that RocksDB wrote, read without it: every entry, every filter, and which filter a Get
// queries must be as RocksDB says.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/debug.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
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

constexpr int kRocksDBVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kFirstFormatVersion = kRocksDBVersion >= 1100 ? 2 : 0;
constexpr uint32_t kLastFormatVersion = kRocksDBVersion >= 1004  ? 7
                                        : kRocksDBVersion >= 806 ? 6
                                                                 : 5;

// Options that only newer versions have. False: this one does not.
template <typename T>
auto SeparateKeysAndValues(T* options, int) -> decltype(options->separate_key_value_in_data_block) {
  options->uniform_cv_threshold = 100;
  return options->separate_key_value_in_data_block = true;
}
template <typename T>
bool SeparateKeysAndValues(T*, long) {
  return false;
}
template <typename T>
auto StripTimestamps(T* options, int) -> decltype(options->persist_user_defined_timestamps) {
  options->allow_concurrent_memtable_write = false;
  options->persist_user_defined_timestamps = false;
  return true;
}
template <typename T>
bool StripTimestamps(T*, long) {
  return false;
}
template <typename T>
auto DecoupleFilters(T* options, bool value, int)
    -> decltype(options->decouple_partitioned_filters) {
  return options->decouple_partitioned_filters = value;
}
template <typename T>
bool DecoupleFilters(T*, bool, long) {
  return false;
}

class Append : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Append"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* old, const rocksdb::Slice& operand,
             std::string* result, rocksdb::Logger*) const override {
    *result = (old == nullptr ? "" : old->ToString()) + operand.ToString();
    return true;
  }
};

// Options of one table, and the policy that sees what the engine does with its filters.
struct Case {
  rocksdb::Options options;
  TableOptions table;
  std::shared_ptr<RecordingPolicy> policy;
  bool has_decoupled_filters = false;

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
    DecoupleFilters(&table, false, 0);
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
  if (table.filter_kind() == FilterKind::kPartitioned) {
    EXPECT_GE(filters.size(), 3u);
    // The sequence number counts where versions of one key are in several partitions: where
    // filters are cut where the index is.
    EXPECT_TRUE(written.has_decoupled_filters() || filters_of_one_key > 0);
    // Behind the last separator RocksDB queries the last partition, before the first the first.
    const bool is_reversed = sstable::OrderOf(table.properties()).is_reversed;
    const uint64_t latest = Table::FilterReader::kMaxSequence;
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "" : "\xff", latest, 0), filters.size() - 1);
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "\xff" : "", latest, 0), 0u);
  }
}

void CheckTable(const Case& test_case, FilterKind kind, sstable::Properties* properties) {
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
  *properties = ours;
}

sstable::Properties Check(const Case& test_case, FilterKind kind) {
  sstable::Properties properties;
  CheckTable(test_case, kind, &properties);
  return properties;
}

TEST(SstableRocksDBTest, FormatVersions) {
  for (uint32_t version = kFirstFormatVersion; version <= kLastFormatVersion; ++version) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE("format_version " + std::to_string(version) +
                   (partitioned ? ", partitioned" : ""));
      Case test_case;
      test_case.table.format_version = version;
      if (version == 0) test_case.table.checksum = rocksdb::kCRC32c;  // the only one it has
      if (partitioned) test_case.Partition();
      Check(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, ChecksumTypes) {
  for (rocksdb::ChecksumType type : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
                                     rocksdb::kxxHash64, rocksdb::kXXH3}) {
    for (uint32_t version : std::set<uint32_t>{5, kLastFormatVersion}) {
      SCOPED_TRACE("checksum type " + std::to_string(type));
      Case test_case;
      test_case.table.checksum = type;
      test_case.table.format_version = version;
      Check(test_case, FilterKind::kFull);
    }
  }
}

void CheckCompression(rocksdb::CompressionType type, uint32_t format_version, bool has_dictionary) {
  SCOPED_TRACE("compression " + std::to_string(type) + ", format_version " +
               std::to_string(format_version) + (has_dictionary ? ", dictionary" : ""));
  Case test_case;
  test_case.options.compression = type;
  test_case.table.format_version = format_version;
  if (format_version == 0) test_case.table.checksum = rocksdb::kCRC32c;
  test_case.table.block_size = 2000;
  if (has_dictionary) {
    test_case.options.compression_opts.max_dict_bytes = 4096;
    test_case.options.compression_opts.zstd_max_train_bytes = 32768;
  }
  const bool is_partitioned = type == rocksdb::kZSTD;  // these indexes are compressed, too
  if (is_partitioned) test_case.Partition();
  const sstable::Properties properties =
      Check(test_case, is_partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
  // Without this, none of the blocks could have become smaller.
  EXPECT_LT(properties.data_bytes, (properties.raw_key_bytes + kKeys * 45) * 2 / 3);
}

TEST(SstableRocksDBTest, Compressions) {
  int checked = 0;
  for (rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    if (type == rocksdb::kNoCompression || type == rocksdb::kXpressCompression) continue;
    // The form of compressed blocks changed with 2 and with 7.
    CheckCompression(type, kFirstFormatVersion, false);
    CheckCompression(type, kLastFormatVersion, false);
    // Newer versions refuse a dictionary for what cannot use one.
    if (kRocksDBVersion < 1000 || type != rocksdb::kSnappyCompression) {
      CheckCompression(type, 5, true);
      if (kLastFormatVersion > 5) CheckCompression(type, kLastFormatVersion, true);
    }
    ++checked;
  }
  std::printf("%d compressions\n", checked);
  EXPECT_GE(checked, 1);
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
        test_case.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
      }
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

TEST(SstableRocksDBTest, SeparatedKeysAndValues) {
  for (bool partitioned : {false, true}) {
    for (int restart_interval : {1, 4}) {
      SCOPED_TRACE("restarts after " + std::to_string(restart_interval));
      Case test_case;
      if (!SeparateKeysAndValues(&test_case.table, 0)) {
        GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " has no such blocks";
      }
      test_case.table.block_restart_interval = restart_interval;
      test_case.table.index_block_restart_interval = restart_interval;
      test_case.options.compression = rocksdb::kSnappyCompression;
      if (partitioned) test_case.Partition();
      Check(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, DecoupledFilterPartitions) {
  Case test_case;
  test_case.Partition();
  if (!DecoupleFilters(&test_case.table, true, 0)) {
    GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " always couples them";
  }
  test_case.has_decoupled_filters = true;
  test_case.table.metadata_block_size = 100;
  Check(test_case, FilterKind::kPartitioned);
}

TEST(SstableRocksDBTest, WithoutFilters) {
  Case test_case;
  test_case.table.filter_policy = nullptr;
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->filter_kind(), FilterKind::kNone);
  EXPECT_EQ(table->filter_name(), "");
  EXPECT_TRUE(tests::TableFilters(*table).empty());
  ExpectSameEntries(written, *table);
}

TEST(SstableRocksDBTest, PrefixFilters) {
  Case test_case;
  test_case.table.whole_key_filtering = false;
  test_case.options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(9));
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_FALSE(table->properties().whole_key_filtering);
  EXPECT_TRUE(table->properties().prefix_filtering);
  EXPECT_EQ(table->properties().prefix_extractor, "rocksdb.CappedPrefix.9");
  EXPECT_EQ(tests::TableFilters(*table), written.policy().record().written);
  ExpectSameQueries(written, *table);
}

// Range deletions are in a block of their own, and count as entries.
TEST(SstableRocksDBTest, RangeDeletionsAndMerges) {
  Case test_case;
  test_case.options.merge_operator = std::make_shared<Append>();
  OneTable written(test_case);
  rocksdb::DB* db = written.db();
  ASSERT_TRUE(db->Merge({}, "key1", "a").ok());
  ASSERT_TRUE(db->SingleDelete({}, "key2").ok());
  ASSERT_TRUE(db->DeleteRange({}, db->DefaultColumnFamily(), "key3", "key5").ok());
  ASSERT_TRUE(db->Put({}, "key4", std::string(200000, 'v')).ok());
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->properties().num_range_deletions, 1u);
  ExpectSameEntries(written, *table);
  const std::vector<TableEntry> entries = tests::TableEntries(*table);
  ASSERT_GT(entries.size(), 3u);
  EXPECT_EQ(entries[0].type, 2);
  EXPECT_EQ(entries[1].type, 7);
  EXPECT_EQ(entries[2].value.size(), 200000u);
}

// RocksDB writes the sequence number into the file and leaves the checksum of the properties.
TEST(SstableRocksDBTest, IngestedFiles) {
  Case test_case;
  OneTable written(test_case);
  rocksdb::DB* db = written.db();
  tests::TempDir dir;
  for (bool is_written_to : {true, false}) {
    SCOPED_TRACE(is_written_to ? "with the number" : "without");
    test_case.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(test_case.table));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), test_case.options);
    ASSERT_TRUE(writer.Open(dir.Path("file")).ok());
    for (int i = 1000; i < 2000; ++i) ASSERT_TRUE(writer.Put(std::to_string(i), "value").ok());
    ASSERT_TRUE(writer.Finish().ok());
    // Something below it, so that its keys need a number.
    ASSERT_TRUE(db->Put({}, "1500", "older").ok());
    ASSERT_TRUE(db->Flush({}).ok());
    rocksdb::IngestExternalFileOptions ingestion;
    ingestion.write_global_seqno = is_written_to;
    ASSERT_TRUE(db->IngestExternalFile({dir.Path("file")}, ingestion).ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    const auto newest = std::max_element(
        files.begin(), files.end(),
        [](const auto& a, const auto& b) { return a.file_number < b.file_number; });
    ASSERT_EQ(newest->smallest_seqno, newest->largest_seqno);
    ASSERT_GT(newest->largest_seqno, 0u);
    const auto table = tests::OpenTable(newest->db_path + newest->name);
    ASSERT_NE(table, nullptr);
    const std::vector<TableEntry> entries = tests::TableEntries(*table);
    ASSERT_EQ(entries.size(), 1000u);
    for (const TableEntry& entry : entries) {
      ASSERT_EQ(entry.sequence, is_written_to ? newest->largest_seqno : 0);
    }
  }
}

TEST(SstableRocksDBTest, Timestamps) {
  for (bool partitioned : {false, true}) {
    Case test_case;
    ASSERT_TRUE(rocksdb::Comparator::CreateFromString(rocksdb::ConfigOptions(),
                                                      "leveldb.BytewiseComparator.u64ts",
                                                      &test_case.options.comparator)
                    .ok());
    if (partitioned) test_case.Partition();
    OneTable written(test_case);
    std::vector<TableEntry> expected;
    const auto timestamp = [](uint64_t i) {
      std::string text(8, '\0');
      for (size_t b = 0; b < 8; ++b) text[b] = static_cast<char>(i >> (8 * b));
      return text;
    };
    for (uint64_t i = 0; i < kKeys; ++i) {
      const std::string key = "key" + std::to_string(1000 + i * 31 % (kKeys / 5));
      ASSERT_TRUE(written.db()->Put({}, key, timestamp(i + 300), std::to_string(i)).ok());
      expected.push_back({key + timestamp(i + 300), i + 1, 1, std::to_string(i), 0});
    }
    ASSERT_TRUE(written.db()->Flush({}).ok());
    const auto table = tests::OpenTable(written.TablePath());
    ASSERT_NE(table, nullptr);
    const sstable::KeyOrder order = sstable::OrderOf(table->properties());
    ASSERT_EQ(order.timestamp_bytes, 8u);
    std::sort(expected.begin(), expected.end(), [&](const TableEntry& a, const TableEntry& b) {
      return sstable::Compare(order, a.key, b.key) < 0;
    });
    const std::vector<TableEntry> entries = tests::TableEntries(*table);
    ASSERT_EQ(entries, expected);
    const std::vector<std::string> filters = tests::TableFilters(*table);
    EXPECT_EQ(filters, written.policy().record().written);
    std::string error;
    const auto reader = table->NewFilterReader(&error);
    ASSERT_NE(reader, nullptr) << error;
    for (const TableEntry& entry : entries) {
      const std::string at = entry.key.substr(entry.key.size() - 8);
      const rocksdb::Slice at_slice(at);
      rocksdb::ReadOptions read_options;
      read_options.timestamp = &at_slice;
      std::vector<std::string>& queried = written.policy().record().queried;
      queried.clear();
      std::string value;
      const std::string_view key = sstable::WithoutTimestamp(order, entry.key);
      ASSERT_TRUE(written.db()->Get(read_options, std::string(key), &value).ok());
      ASSERT_EQ(value, entry.value);
      const uint64_t index = reader->FilterOf(entry.key, entry.sequence, entry.block_offset);
      ASSERT_LT(index, filters.size());
      ASSERT_EQ(queried.size(), 1u);
      ASSERT_EQ(queried[0], filters[index]);
    }
  }
}

TEST(SstableRocksDBTest, StrippedTimestamps) {
  Case test_case;
  if (!StripTimestamps(&test_case.options, 0)) {
    GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " always keeps them";
  }
  ASSERT_TRUE(rocksdb::Comparator::CreateFromString(rocksdb::ConfigOptions(),
                                                    "leveldb.BytewiseComparator.u64ts",
                                                    &test_case.options.comparator)
                  .ok());
  test_case.Partition();
  OneTable written(test_case);
  const std::string time("\1\0\0\0\0\0\0\0", 8);
  for (int i = 1000; i < 2000; ++i) {
    ASSERT_TRUE(written.db()->Put({}, std::to_string(i), time, "value").ok());
  }
  ASSERT_TRUE(written.db()->Flush({}).ok());
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_FALSE(table->properties().keys_have_timestamps);
  EXPECT_EQ(sstable::OrderOf(table->properties()).timestamp_bytes, 0u);
  const std::vector<TableEntry> entries = tests::TableEntries(*table);
  ASSERT_EQ(entries.size(), 1000u);
  const std::vector<std::string> filters = tests::TableFilters(*table);
  std::string error;
  const auto reader = table->NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(entries[i].key, std::to_string(1000 + i));
    const std::string latest(8, '\xff');
    const rocksdb::Slice now(latest);
    rocksdb::ReadOptions read_options;
    read_options.timestamp = &now;
    std::vector<std::string>& queried = written.policy().record().queried;
    queried.clear();
    std::string value;
    ASSERT_TRUE(written.db()->Get(read_options, entries[i].key, &value).ok());
    ASSERT_EQ(queried.size(), 1u);
    ASSERT_EQ(queried[0], filters[reader->FilterOf(entries[i].key, entries[i].sequence, 0)]);
  }
}

// An order that is not known here.
class Unknown : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.Unknown"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST(SstableRocksDBTest, UnknownOrder) {
  const Unknown comparator;
  Case test_case;
  test_case.options.comparator = &comparator;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_FALSE(sstable::OrderOf(table->properties()).is_known);
  EXPECT_EQ(tests::TableFilters(*table), written.policy().record().written);
  ExpectSameEntries(written, *table);
  std::string error;
  const auto reader = table->NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(reader->FilterOf("key", 1, 0), Table::FilterReader::kUnknownFilter);
}

TEST(SstableRocksDBTest, SkippedBlocks) {
  Case test_case;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  // The entries of blocks 0, 3, 6...
  std::vector<TableEntry> expected;
  uint64_t block = 0, offset = 0;
  for (const TableEntry& entry : tests::TableEntries(*table)) {
    if (entry.block_offset != offset) ++block;
    offset = entry.block_offset;
    if (block % 3 == 0) expected.push_back(entry);
  }
  ASSERT_GT(block, 50u);
  std::string error;
  const auto reader = table->NewKeyReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  std::vector<TableEntry> entries;
  offset = 0;
  bool has_entry = reader->Next();
  while (has_entry) {
    EXPECT_EQ(reader->entry_in_block(), 0u);
    offset = reader->block_offset();
    for (; has_entry && reader->block_offset() == offset; has_entry = reader->Next()) {
      entries.push_back({std::string(reader->user_key()), reader->sequence(), reader->type(),
                         std::string(reader->value()), 0});
    }
    if (!has_entry) break;
    reader->SkipBlocks(1);  // the one that has begun, and one more
    has_entry = reader->Next();
  }
  EXPECT_EQ(reader->error(), "");
  EXPECT_EQ(entries, expected);
}

TEST(SstableRocksDBTest, ReverseOrder) {
  Case test_case;
  test_case.options.comparator = rocksdb::ReverseBytewiseComparator();
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = tests::OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(sstable::OrderOf(table->properties()).is_reversed);
  EXPECT_EQ(tests::TableFilters(*table), written.policy().record().written);
  ExpectSameQueries(written, *table);
}

}  // namespace
}  // namespace bloomline
