// `bloomline db rewrite` of a RocksDB database with range filters: scans of the new folder find the
// same keys and skip the same tables.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb_range_filter.h"
#include "tests/cli/tool_run.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rewrite_ranges_tool_test {
namespace {

constexpr int kUsers = 1000;
constexpr int kPosts = 10;

// Each third user has posts.
std::string KeyOf(int user, int post) {
  char key[32];
  std::snprintf(key, sizeof(key), "user:%05d:%d", 3 * user, post);
  return key;
}

class RewriteRangesToolTest : public testing::Test {
 protected:
  std::unique_ptr<rocksdb::DB> Open(const std::string& path) {
    rocksdb::Options options =
        WithPolicy(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)));
    options.disable_auto_compactions = true;
    options.table_properties_collector_factories.push_back(ranges_);
    return MustOpenRocksDB(options, path);
  }

  void Write() {
    const auto db = Open(old_);
    for (int table = 0; table < kTables; ++table) {
      for (int user = 0; user < kUsers; ++user) {
        for (int post = table; post < kPosts; post += kTables) {
          ASSERT_TRUE(db->Put({}, KeyOf(user, post), "value").ok());
        }
      }
      ASSERT_TRUE(db->Flush({}).ok());
    }
  }

  struct Found {
    std::vector<std::string> keys;
    uint64_t skipped = 0;
  };
  // The posts of all users, of which two in three have none.
  Found Scan(const std::string& path) {
    const auto db = Open(path);
    const uint64_t skipped = ranges_->counts().tables_skipped;
    Found found;
    for (int user = 0; user < 3 * kUsers; ++user) {
      char lower[32];
      std::snprintf(lower, sizeof(lower), "user:%05d:", user);
      std::string upper = lower;
      ++upper.back();
      const RangeScan scan(ranges_, lower, upper);
      rocksdb::ReadOptions options;
      scan.Apply(&options);
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(options));
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
        found.keys.push_back(iterator->key().ToString());
      }
      EXPECT_TRUE(iterator->status().ok());
    }
    found.skipped = ranges_->counts().tables_skipped - skipped;
    return found;
  }

  static constexpr int kTables = 2;
  const TempDir dir_;
  const std::string old_ = dir_.Path("old");
  const std::string new_ = dir_.Path("new");
  const std::shared_ptr<RangeFilter> ranges_ = NewRangeFilter();
};

TEST_F(RewriteRangesToolTest, TablesAreStillSkipped) {
  Write();
  const ToolRun run =
      RunTool("db rewrite --untested-version --policy bloomfilter:14 '" + old_ + "'", new_);
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_NE(run.text.find("\nrange filters: kept\n"), std::string::npos) << run.text;
  const Found before = Scan(old_);
  const Found after = Scan(new_);
  EXPECT_EQ(before.keys.size(), size_t{kUsers * kPosts});
  EXPECT_EQ(after.keys, before.keys);
  EXPECT_EQ(after.skipped, before.skipped);
  EXPECT_GT(after.skipped, uint64_t{kTables * kUsers});  // of 2 * kTables * kUsers
}

}  // namespace
}  // namespace bloomline::tests::rewrite_ranges_tool_test
