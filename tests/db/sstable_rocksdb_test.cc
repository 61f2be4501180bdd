// Tables that RocksDB wrote in all its forms, with filters of every policy and keys of every kind,
// read without it: every entry, every filter, and which filter a Get queries must be as RocksDB
// says.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/debug.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/db/tables/comparator.h"
#include "src/db/tables/table.h"
#include "tests/db/table_entries.h"
#include "tests/engines/recording_policy.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::sstable_rocksdb_test {
namespace {

using tables::FilterKind;
using tables::Table;
using TableOptions = rocksdb::BlockBasedTableOptions;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKeys = 400;
#else
constexpr int kKeys = 1500;
#endif

constexpr int kRocksDBVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kFirstFormatVersion = kRocksDBVersion >= 1001 ? 2 : 0;
constexpr uint32_t kLastFormatVersion = kRocksDBVersion >= 1004  ? 7
                                        : kRocksDBVersion >= 806 ? 6
                                                                 : 5;

// Options that only newer versions have. False: this one does not.
template <typename T>
auto DecoupleFilters(T* options, bool value, int)
    -> decltype(options->decouple_partitioned_filters) {
  return options->decouple_partitioned_filters = value;
}
template <typename T>
bool DecoupleFilters(T*, bool, long) {
  return false;
}

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
    table.format_version = kLastFormatVersion;
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
  void SetVersion(uint32_t version) {
    table.format_version = version;
    if (version == 0) table.checksum = rocksdb::kCRC32c;  // the only one it has
  }
  void Partition() {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    DecoupleFilters(&table, has_decoupled_filters, 0);
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
    rocksdb::Slice first = case_.options.prefix_extractor == nullptr ? "" : "user";
    rocksdb::Slice last("\xff\xff\xff\xff");
    if (case_.options.comparator->Compare(first, last) > 0) std::swap(first, last);
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
void ExpectSameEntries(const OneTable& written, const Table& table) {
  const std::vector<TableEntry> expected = written.Entries();
  const std::vector<TableEntry> entries = TableEntries(table);
  ASSERT_GT(expected.size(), size_t{kKeys});
  ASSERT_EQ(entries.size(), expected.size());
  for (size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i], expected[i]) << i;
}

// Expects that a Get of the entry queries the filter that FilterOf names.
void ExpectSameQuery(const OneTable& written, const Table::FilterReader& reader,
                     const std::vector<std::string>& filters, const TableEntry& entry,
                     const rocksdb::ReadOptions& options, std::string_view key) {
  const uint64_t index = reader.FilterOf(entry.key, entry.sequence, entry.block_offset);
  ASSERT_LT(index, filters.size());
  std::vector<std::string>& queried = written.policy().record().queried;
  queried.clear();
  std::string value;
  const rocksdb::Status status =
      written.db()->Get(options, rocksdb::Slice(key.data(), key.size()), &value);
  ASSERT_TRUE(status.ok() || (status.IsNotFound() && entry.type != 1)) << status.ToString();
  ASSERT_EQ(value, status.ok() ? entry.value : "");
  ASSERT_EQ(queried, std::vector<std::string>{filters[index]}) << key;
}

// The same of all entries, each at a snapshot that finds it.
void ExpectSameQueries(const OneTable& written, const Table& table) {
  const std::vector<TableEntry> entries = TableEntries(table);
  const std::vector<std::string> filters = TableFilters(table);
  std::string error;
  const auto filter_reader = table.NewFilterReader(&error);
  ASSERT_NE(filter_reader, nullptr) << error;
  size_t checked = 0, filters_of_one_key = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TableEntry& entry = entries[i];
    const uint64_t newer =
        i > 0 && entries[i - 1].key == entry.key ? entries[i - 1].sequence : ~uint64_t{0};
    const uint64_t index = filter_reader->FilterOf(entry.key, entry.sequence, entry.block_offset);
    filters_of_one_key +=
        index != filter_reader->FilterOf(entry.key, Table::FilterReader::kMaxSequence, 0);
    for (const rocksdb::Snapshot* snapshot : written.snapshots()) {
      const uint64_t sequence = snapshot->GetSequenceNumber();
      if (sequence < entry.sequence || sequence >= newer) continue;
      rocksdb::ReadOptions read_options;
      read_options.snapshot = snapshot;
      ExpectSameQuery(written, *filter_reader, filters, entry, read_options, entry.key);
      ++checked;
      break;  // one snapshot of each entry
    }
  }
  EXPECT_GT(checked, entries.size() / 2);
  if (table.filter_kind() == FilterKind::kPartitioned) {
    EXPECT_GE(filters.size(), 3u);
    // The sequence number counts where versions of one key are in several partitions: where
    // filters are cut where the index is. Where that is depends on the compressed size of blocks.
    EXPECT_TRUE(written.has_decoupled_filters() || written.is_compressed() ||
                filters_of_one_key > 0);
    // Behind the last separator RocksDB queries the last partition, before the first the first.
    const bool is_reversed = tables::OrderOf(table.properties()).is_reversed;
    const uint64_t latest = Table::FilterReader::kMaxSequence;
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "" : "\xff", latest, 0), filters.size() - 1);
    EXPECT_EQ(filter_reader->FilterOf(is_reversed ? "\xff" : "", latest, 0), 0u);
  }
}

// One form of a table. It is written with a whole filter and, with a binary index, in partitions.
struct Form {
  std::string name;
  std::function<bool(TableCase*)> change;  // false: this version of RocksDB has no such tables
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

// The form of compressed blocks changed with format_version 2, before which zlib and LZ4 are not
// read, and with 7.
void AddCompressed(std::vector<Form>* forms) {
  for (const auto codec : rocksdb::GetSupportedCompressions()) {
    if (codec == rocksdb::kNoCompression || codec == rocksdb::kXpressCompression ||
        codec == rocksdb::kBZip2Compression) {
      continue;
    }
    const bool is_old_read = codec == rocksdb::kSnappyCompression || codec == rocksdb::kZSTD;
    // Newer versions refuse a dictionary for what cannot use one.
    const bool takes_dictionary = kRocksDBVersion < 1000 || codec != rocksdb::kSnappyCompression;
    const std::set<uint32_t> versions = {is_old_read ? kFirstFormatVersion : 2, 5,
                                         kLastFormatVersion};
    for (const uint32_t version : versions) {
      for (const bool has_dictionary : {false, true}) {
        if (has_dictionary && (version < 5 || !takes_dictionary)) continue;
        const std::string name = "Codec" + std::to_string(codec) + "Version" +
                                 std::to_string(version) + (has_dictionary ? "Dictionary" : "");
        forms->push_back({name, [=](TableCase* c) {
                            c->SetVersion(version);
                            c->options.compression = codec;
                            c->table.block_size = 2000;
                            if (!has_dictionary) return true;
                            c->options.compression_opts.max_dict_bytes = 4096;
                            c->options.compression_opts.zstd_max_train_bytes = 32768;
                            return true;
                          }});
      }
    }
  }
}

std::vector<Form> Forms() {
  std::vector<Form> forms;
  const auto add = [&](const std::string& name, auto change) {
    forms.push_back({name, [change](TableCase* c) {
                       change(c);
                       return true;
                     }});
  };
  for (uint32_t version = kFirstFormatVersion; version <= kLastFormatVersion; ++version) {
    add("Version" + std::to_string(version), [=](TableCase* c) { c->SetVersion(version); });
  }
  for (const auto checksum :
       {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash, rocksdb::kxxHash64}) {
    add("Checksum" + std::to_string(checksum), [=](TableCase* c) {
      c->SetVersion(checksum % 2 == 0 ? kLastFormatVersion : 5);
      c->table.checksum = checksum;
    });
  }
  AddCompressed(&forms);
  add("HashIndex", [](TableCase* c) {
    c->table.index_type = TableOptions::kHashSearch;
    c->options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  });
  add("IndexWithFirstKeys",
      [](TableCase* c) { c->table.index_type = TableOptions::kBinarySearchWithFirstKey; });
  add("HashesInBlocks", [](TableCase* c) {
    c->table.data_block_index_type = TableOptions::kDataBlockBinaryAndHash;
    c->table.block_restart_interval = 3;
    c->table.index_block_restart_interval = 7;
  });
  for (const int interval : {1, 4}) {
    forms.push_back({"Separated" + std::to_string(interval), [=](TableCase* c) {
                       c->table.block_restart_interval = interval;
                       c->table.index_block_restart_interval = interval;
                       c->options.compression = rocksdb::kSnappyCompression;
                       c->table.block_size = 2000;
                       return SeparateKeysAndValues(&c->table, 0);
                     }});
  }
  forms.push_back({"DecoupledFilters", [](TableCase* c) {
                     c->has_decoupled_filters = true;
                     c->table.metadata_block_size = 100;
                     return DecoupleFilters(&c->table, true, 0);
                   }});
  add("Reversed",
      [](TableCase* c) { c->options.comparator = rocksdb::ReverseBytewiseComparator(); });
  add("Ribbon", [](TableCase* c) {
    c->SetPolicy(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10)));
  });
  add("Blocked", [](TableCase* c) { c->SetPolicy(NewRocksDBFilterPolicy(FilterOptions())); });
  return forms;
}

class SstableFormTest : public testing::TestWithParam<Form> {
 protected:
  static void Check(const TableCase& test_case, FilterKind kind) {
    OneTable written(test_case);
    written.Write();
    const auto table = OpenTable(written.TablePath());
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->engine(), tables::Engine::kRocksDB);
    EXPECT_EQ(table->format_version(), static_cast<int>(test_case.table.format_version));
    EXPECT_EQ(table->filter_kind(), kind);
    ASSERT_NO_FATAL_FAILURE(ExpectSameEntries(written, *table));
    EXPECT_EQ(TableFilters(*table), written.policy().record().written);
    ASSERT_NO_FATAL_FAILURE(ExpectSameQueries(written, *table));

    rocksdb::TablePropertiesCollection all;
    ASSERT_TRUE(written.db()->GetPropertiesOfAllTables(&all).ok());
    const rocksdb::TableProperties& theirs = *all.begin()->second;
    const tables::Properties& ours = table->properties();
    EXPECT_EQ(ours.num_entries, theirs.num_entries);
    EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
    EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
    EXPECT_EQ(ours.filter_policy, theirs.filter_policy_name);
    EXPECT_EQ(ours.comparator, theirs.comparator_name);
    // Without this, none of the blocks could have become smaller.
    if (written.is_compressed()) {
      EXPECT_LT(theirs.data_size, (theirs.raw_key_size + kKeys * 45) * 2 / 3);
    }
  }
};

TEST_P(SstableFormTest, IsReadAsRocksDBSays) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned ? "partitioned" : "whole");
    TableCase test_case;
    if (!GetParam().change(&test_case)) {
      GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " has no such tables";
    }
    if (partitioned && test_case.table.index_type != TableOptions::kBinarySearch) continue;
    if (partitioned) test_case.Partition();
    Check(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, SstableFormTest, testing::ValuesIn(Forms()),
                         [](const auto& info) { return info.param.name; });

// The first entry of a block or all of them, and then those of a block behind 0, 1 or 2 others.
TEST(SstableRocksDBTest, SkippedBlocks) {
  OneTable written{TableCase()};
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  std::vector<TableEntry> firsts;
  std::map<uint64_t, int> entries_of_block;
  for (const TableEntry& entry : TableEntries(*table)) {
    if (entries_of_block[entry.block_offset]++ == 0) firsts.push_back(entry);
  }
  ASSERT_GT(firsts.size(), 50u);
  std::string error;
  const auto reader = table->NewKeyReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  for (size_t block = 0; block < firsts.size(); block += 1 + block % 3) {
    ASSERT_TRUE(reader->Next()) << reader->error();
    EXPECT_EQ(reader->entry_in_block(), 0u);
    EXPECT_EQ(reader->block_offset(), firsts[block].block_offset);
    EXPECT_EQ(reader->user_key(), firsts[block].key);
    EXPECT_EQ(reader->value(), firsts[block].value);
    const int num_read = block % 2 == 0 ? 1 : entries_of_block[reader->block_offset()];
    for (int i = 1; i < num_read; ++i) ASSERT_TRUE(reader->Next());
    reader->SkipBlocks(block % 3);
  }
  EXPECT_FALSE(reader->Next());
  EXPECT_EQ(reader->error(), "");
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

// Range deletions are in a block of their own, and count as entries.
TEST(SstableRocksDBTest, RangeDeletionsAndMerges) {
  TableCase test_case;
  test_case.options.merge_operator = std::make_shared<Append>();
  OneTable written(test_case);
  rocksdb::DB* db = written.db();
  ASSERT_TRUE(db->Merge({}, "key1", "a").ok());
  ASSERT_TRUE(db->SingleDelete({}, "key2").ok());
  ASSERT_TRUE(db->DeleteRange({}, db->DefaultColumnFamily(), "key3", "key5").ok());
  ASSERT_TRUE(db->Put({}, "key4", std::string(200000, 'v')).ok());
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->properties().num_range_deletions, 1u);
  ExpectSameEntries(written, *table);
  const std::vector<TableEntry> entries = TableEntries(*table);
  ASSERT_GT(entries.size(), 3u);
  EXPECT_EQ(entries[0].type, 2);
  EXPECT_EQ(entries[1].type, 7);
  EXPECT_EQ(entries[2].value.size(), 200000u);
}

// RocksDB writes the sequence number into the file and leaves the checksum of the properties.
TEST(SstableRocksDBTest, IngestedFiles) {
  TableCase test_case;
  OneTable written(test_case);
  rocksdb::DB* db = written.db();
  TempDir dir;
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
    const auto table = OpenTable(newest->db_path + newest->name);
    ASSERT_NE(table, nullptr);
    const std::vector<TableEntry> entries = TableEntries(*table);
    ASSERT_EQ(entries.size(), 1000u);
    for (const TableEntry& entry : entries) {
      ASSERT_EQ(entry.sequence, is_written_to ? newest->largest_seqno : 0);
    }
  }
}

std::string Timestamp(uint64_t time) {
  std::string text(8, '\0');
  for (size_t b = 0; b < 8; ++b) text[b] = static_cast<char>(time >> (8 * b));
  return text;
}

// A database may keep the timestamps of its keys, or strip them when it writes a table.
void CheckTimestamps(bool is_partitioned, bool is_stripped) {
  TableCase test_case;
  test_case.options.comparator = TimestampComparator();
  if (is_stripped && !StripTimestamps(&test_case.options, 0)) return;  // older ones keep them
  if (is_partitioned) test_case.Partition();
  OneTable written(test_case);
  std::vector<std::string> expected;
  for (uint64_t i = 0; i < kKeys; ++i) {
    // Several versions of each key, where timestamps tell them apart.
    const uint64_t number = is_stripped ? i : i * 31 % (kKeys / 5);
    const std::string time = Timestamp(is_stripped ? 1 : i + 300);
    const std::string key = "key" + std::to_string(1000 + number);
    ASSERT_TRUE(written.db()->Put({}, key, time, std::to_string(i)).ok());
    expected.push_back(is_stripped ? key : key + time);
  }
  ASSERT_TRUE(written.db()->Flush({}).ok());
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  const tables::KeyOrder order = tables::OrderOf(table->properties());
  ASSERT_EQ(order.timestamp_bytes, is_stripped ? 0u : 8u);
  std::sort(expected.begin(), expected.end(), [&](const std::string& a, const std::string& b) {
    return tables::Compare(order, a, b) < 0;
  });
  const std::vector<std::string> filters = TableFilters(*table);
  EXPECT_EQ(filters, written.policy().record().written);
  std::string error;
  const auto reader = table->NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  std::vector<std::string> keys;
  for (const TableEntry& entry : TableEntries(*table)) {
    keys.push_back(entry.key);
    const std::string time =
        is_stripped ? Timestamp(~uint64_t{0}) : entry.key.substr(entry.key.size() - 8);
    const rocksdb::Slice at(time);
    rocksdb::ReadOptions read_options;
    read_options.timestamp = &at;
    ExpectSameQuery(written, *reader, filters, entry, read_options,
                    tables::WithoutTimestamp(order, entry.key));
  }
  ASSERT_EQ(keys, expected);
}

TEST(SstableRocksDBTest, Timestamps) {
  CheckTimestamps(/*is_partitioned=*/false, /*is_stripped=*/false);
  CheckTimestamps(/*is_partitioned=*/true, /*is_stripped=*/false);
  CheckTimestamps(/*is_partitioned=*/true, /*is_stripped=*/true);
}

}  // namespace
}  // namespace bloomline::tests::sstable_rocksdb_test
