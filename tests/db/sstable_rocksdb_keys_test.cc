// Keys of tables that RocksDB wrote, read without it: of every type, with timestamps, in every
// order.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "src/db/sstable/comparator.h"
#include "tests/db/sstable_rocksdb.h"

namespace bloomline {
namespace {

using sstable::Table;
using tests::ExpectSameEntries;
using tests::ExpectSameQueries;
using tests::kKeys;
using tests::kRocksDBVersion;
using tests::OneTable;
using tests::OpenTable;
using tests::TableCase;
using tests::TableEntries;
using tests::TableEntry;
using tests::TableFilters;
using tests::TempDir;

// An option that only newer versions have. False: this one does not.
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

TableCase CaseWithTimestamps() {
  TableCase test_case;
  EXPECT_TRUE(rocksdb::Comparator::CreateFromString(rocksdb::ConfigOptions(),
                                                    "leveldb.BytewiseComparator.u64ts",
                                                    &test_case.options.comparator)
                  .ok());
  return test_case;
}

// A Get at a time of each entry, which `time_of` gives, finds it and queries the filter that
// FilterOf names.
template <typename TimeOf>
void ExpectSameQueriesAt(const OneTable& written, const Table& table, TimeOf time_of) {
  const sstable::KeyOrder order = sstable::OrderOf(table.properties());
  const std::vector<std::string> filters = TableFilters(table);
  EXPECT_EQ(filters, written.policy().record().written);
  std::string error;
  const auto reader = table.NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  std::vector<std::string>& queried = written.policy().record().queried;
  for (const TableEntry& entry : TableEntries(table)) {
    const std::string time = time_of(entry);
    const rocksdb::Slice at(time);
    rocksdb::ReadOptions read_options;
    read_options.timestamp = &at;
    queried.clear();
    std::string value;
    const std::string key(sstable::WithoutTimestamp(order, entry.key));
    ASSERT_TRUE(written.db()->Get(read_options, key, &value).ok());
    ASSERT_EQ(value, entry.value);
    const uint64_t index = reader->FilterOf(entry.key, entry.sequence, entry.block_offset);
    ASSERT_LT(index, filters.size());
    ASSERT_EQ(queried, std::vector<std::string>{filters[index]});
  }
}

TEST(SstableRocksDBTest, Timestamps) {
  for (bool partitioned : {false, true}) {
    TableCase test_case = CaseWithTimestamps();
    if (partitioned) test_case.Partition();
    OneTable written(test_case);
    std::vector<TableEntry> expected;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const std::string key = "key" + std::to_string(1000 + i * 31 % (kKeys / 5));
      ASSERT_TRUE(written.db()->Put({}, key, Timestamp(i + 300), std::to_string(i)).ok());
      expected.push_back({key + Timestamp(i + 300), i + 1, 1, std::to_string(i), 0});
    }
    ASSERT_TRUE(written.db()->Flush({}).ok());
    const auto table = OpenTable(written.TablePath());
    ASSERT_NE(table, nullptr);
    const sstable::KeyOrder order = sstable::OrderOf(table->properties());
    ASSERT_EQ(order.timestamp_bytes, 8u);
    std::sort(expected.begin(), expected.end(), [&](const TableEntry& a, const TableEntry& b) {
      return sstable::Compare(order, a.key, b.key) < 0;
    });
    ASSERT_EQ(TableEntries(*table), expected);
    ExpectSameQueriesAt(written, *table, [](const TableEntry& entry) {
      return entry.key.substr(entry.key.size() - 8);
    });
  }
}

TEST(SstableRocksDBTest, StrippedTimestamps) {
  TableCase test_case = CaseWithTimestamps();
  if (!StripTimestamps(&test_case.options, 0)) {
    GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " always keeps them";
  }
  test_case.Partition();
  OneTable written(test_case);
  for (int i = 1000; i < 2000; ++i) {
    ASSERT_TRUE(written.db()->Put({}, std::to_string(i), Timestamp(1), "value").ok());
  }
  ASSERT_TRUE(written.db()->Flush({}).ok());
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_FALSE(table->properties().keys_have_timestamps);
  EXPECT_EQ(sstable::OrderOf(table->properties()).timestamp_bytes, 0u);
  const std::vector<TableEntry> entries = TableEntries(*table);
  ASSERT_EQ(entries.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(entries[i].key, std::to_string(1000 + i));
  ExpectSameQueriesAt(written, *table, [](const TableEntry&) { return Timestamp(~uint64_t{0}); });
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
  TableCase test_case;
  test_case.options.comparator = &comparator;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_FALSE(sstable::OrderOf(table->properties()).is_known);
  EXPECT_EQ(TableFilters(*table), written.policy().record().written);
  ExpectSameEntries(written, *table);
  std::string error;
  const auto reader = table->NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(reader->FilterOf("key", 1, 0), Table::FilterReader::kUnknownFilter);
}

TEST(SstableRocksDBTest, ReverseOrder) {
  TableCase test_case;
  test_case.options.comparator = rocksdb::ReverseBytewiseComparator();
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(sstable::OrderOf(table->properties()).is_reversed);
  EXPECT_EQ(TableFilters(*table), written.policy().record().written);
  ExpectSameQueries(written, *table);
}

}  // namespace
}  // namespace bloomline
