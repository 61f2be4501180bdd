// Tables that LevelDB wrote, read without it: every entry, every filter, and which filter a Get
// queries must be as LevelDB says.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "tests/db/table_entries.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::sstable_leveldb_test {
namespace {

using tables::FilterKind;
using tables::Table;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKeys = 1000;
#else
constexpr int kKeys = 5000;
#endif

// Passes everything on, and notes the filters that were written and the one of the last query.
class RecordingPolicy : public leveldb::FilterPolicy {
 public:
  explicit RecordingPolicy(const leveldb::FilterPolicy* inner) : inner_(inner) {}
  const char* Name() const override { return inner_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    const size_t before = dst->size();
    inner_->CreateFilter(keys, n, dst);
    written.push_back(dst->substr(before));
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    queried.push_back(filter.ToString());
    return inner_->KeyMayMatch(key, filter);
  }

  mutable std::vector<std::string> written, queried;

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> inner_;
};

struct TestCase {
  const leveldb::FilterPolicy* policy = nullptr;  // taken over
  leveldb::CompressionType compression = leveldb::kNoCompression;
  size_t block_size = 4096;
  int restart_interval = 16;
  size_t max_value = 200;
};

std::vector<std::string> TablePaths(const std::string& database) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    if (entry.path().extension() == ".ldb") paths.push_back(entry.path().string());
  }
  return paths;
}

void Check(const TestCase& test_case) {
  TempDir dir;
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 20;
  options.compression = test_case.compression;
  options.block_size = test_case.block_size;
  options.block_restart_interval = test_case.restart_interval;
  std::unique_ptr<RecordingPolicy> policy;
  if (test_case.policy != nullptr) policy = std::make_unique<RecordingPolicy>(test_case.policy);
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
  std::unique_ptr<leveldb::DB> db(opened);

  // Sequence numbers count from 1.
  std::vector<TableEntry> expected;
  std::vector<const leveldb::Snapshot*> snapshots;
  std::mt19937_64 random(3);
  for (int i = 0; i < kKeys; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%08d", static_cast<int>(random() % (kKeys * 2)));
    const std::string value(random() % test_case.max_value, static_cast<char>('a' + i % 26));
    const bool is_deletion = i % 11 == 0;
    ASSERT_TRUE((is_deletion ? db->Delete({}, key) : db->Put({}, key, value)).ok());
    expected.push_back(
        {key, static_cast<uint64_t>(i + 1), is_deletion ? 0 : 1, is_deletion ? "" : value, 0});
    snapshots.push_back(db->GetSnapshot());  // so that nothing is dropped
  }
  std::sort(expected.begin(), expected.end(), [](const TableEntry& a, const TableEntry& b) {
    return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
  });
  db->CompactRange(nullptr, nullptr);
  const std::vector<std::string> paths = TablePaths(dir.Path("db"));
  ASSERT_EQ(paths.size(), 1u);
  const auto table = OpenTable(paths[0]);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->engine(), tables::Engine::kLevelDB);
  EXPECT_EQ(table->format_version(), 0);
  EXPECT_EQ(table->properties().num_entries, tables::kUnknownCount);
  const std::vector<TableEntry> entries = TableEntries(*table);
  ASSERT_EQ(entries.size(), expected.size());
  for (size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i], expected[i]) << i;

  if (policy == nullptr) {
    EXPECT_EQ(table->filter_kind(), FilterKind::kNone);
    for (const leveldb::Snapshot* snapshot : snapshots) db->ReleaseSnapshot(snapshot);
    return;
  }
  EXPECT_EQ(table->filter_kind(), FilterKind::kByOffset);
  EXPECT_EQ(table->filter_name(), policy->Name());
  const std::vector<std::string> filters = TableFilters(*table);
  std::vector<std::string> with_keys;
  for (const std::string& filter : filters) {
    if (!filter.empty()) with_keys.push_back(filter);
  }
  // The same table was written once from the log's memory table and once by the compaction.
  ASSERT_GE(policy->written.size(), with_keys.size());
  EXPECT_TRUE(std::equal(with_keys.rbegin(), with_keys.rend(), policy->written.rbegin()));
  std::string error;
  const auto reader = table->NewFilterReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TableEntry& entry = entries[i];
    const uint64_t index = reader->FilterOf(entry.key, entry.sequence, entry.block_offset);
    ASSERT_LT(index, filters.size());
    leveldb::ReadOptions read_options;
    read_options.snapshot = snapshots[entry.sequence - 1];
    std::string value;
    policy->queried.clear();
    db->Get(read_options, entry.key, &value);
    ASSERT_EQ(value, entry.value);
    ASSERT_EQ(policy->queried.size(), 1u);
    ASSERT_EQ(policy->queried[0], filters[index]) << entry.key;
  }
  for (const leveldb::Snapshot* snapshot : snapshots) db->ReleaseSnapshot(snapshot);
}

TEST(SstableLevelDBTest, EveryEntryAndFilterIsAsLevelDBSays) {
  const auto stock = [] { return leveldb::NewBloomFilterPolicy(10); };
  Check({});
  Check({NewLevelDBFilterPolicy(FilterOptions())});
  Check({stock(), leveldb::kSnappyCompression});
  Check({stock(), leveldb::kNoCompression, 100});
  Check({stock(), leveldb::kNoCompression, 1000, /*restart_interval=*/1});
  Check({stock(), leveldb::kNoCompression, 5000, 16, /*max_value=*/10000});
  Check({stock(), leveldb::kNoCompression, 100000});
}

}  // namespace
}  // namespace bloomline::tests::sstable_leveldb_test
