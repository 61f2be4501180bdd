// Between the extractor's calls and the filter's answer RocksDB reads the filter block, and then
// code of users runs in the same thread: listeners, file systems, caches. Whatever that code does
// with the extractor, a scan finds its keys. Iterators that have no upper bound, or move backward,
// read no filters. And later files follow the ranges that scans ask for.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_range_handshake_test {
namespace {

using rocksdb::Slice;
using rocksdb::SliceTransform;

// Code of a user that runs after each read of a file.
class ReadListener final : public rocksdb::EventListener {
 public:
  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnFileReadFinish(const rocksdb::FileOperationInfo&) override {
    if (run_) run_();
  }
  void Run(std::function<void()> run) { run_ = std::move(run); }

 private:
  std::function<void()> run_;
};

// A database of one file, whose filter is read again for each query.
class RocksDBRangeHandshakeTest : public testing::Test {
 protected:
  void SetUp() override {
    RocksDBFilterOptions filter;
    filter.range_prefixes = "1:2:3";
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBFilterPolicy(filter);
    table.cache_index_and_filter_blocks = true;
    table.block_cache = rocksdb::NewLRUCache(0);
    options_ = WithTable(table);
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.listeners = {listener_};
    options_.prefix_extractor = extractor_;
    Open();
    for (const char* key : {"kaa", "kab", "kac", "kad"}) {
      ASSERT_TRUE(db_->Put({}, key, "value").ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
  }

  void Open() {
    db_.reset();
    db_ = MustOpenRocksDB(options_, folder_.Path("db"));
  }

  // The number of keys in [begin, end); `end` may be null.
  int Scan(rocksdb::ReadOptions read, const char* begin, const char* end) {
    const Slice bound(end == nullptr ? "" : end);
    if (end != nullptr) read.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    int num_keys = 0;
    for (iterator->Seek(begin); iterator->Valid(); iterator->Next()) ++num_keys;
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    return num_keys;
  }
  static rocksdb::ReadOptions AutoPrefixMode() {
    rocksdb::ReadOptions read;
    read.auto_prefix_mode = true;
    return read;
  }

  std::pair<uint64_t, uint64_t> Queries() const { return RangeQueries(*options_.statistics); }

  const TempDir folder_;
  const std::shared_ptr<ReadListener> listener_ = std::make_shared<ReadListener>();
  const std::shared_ptr<const SliceTransform> extractor_ = NewRangeExtractor();
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(RocksDBRangeHandshakeTest, OtherScansWhileTheFilterIsReadChangeNothing) {
  for (const int num_scans : {1, 2, 1 << 8, 1 << 15, 1 << 16}) {
    listener_->Run([&] {
      for (int i = 0; i < num_scans; ++i) {
        extractor_->Transform("x");
        extractor_->Transform("y");
      }
    });
    EXPECT_EQ(Scan(AutoPrefixMode(), "ka", "kb"), 4) << num_scans << " scans";
    EXPECT_EQ(Scan({}, "ka", "kb"), 4) << num_scans << " scans without auto_prefix_mode";
    EXPECT_EQ(Scan({}, "ka", nullptr), 4) << num_scans << " scans without a bound";
  }
}

// One call for a key is followed by one for another key: a range that nobody scans.
TEST_F(RocksDBRangeHandshakeTest, OneOtherCallWhileTheFilterIsReadIsNoBound) {
  listener_->Run([&] { extractor_->Transform("jb"); });
  for (const rocksdb::ReadOptions& read : {rocksdb::ReadOptions(), AutoPrefixMode()}) {
    EXPECT_EQ(Scan(read, "ja", nullptr), 4);
    EXPECT_EQ(Scan(read, "ja", "kb"), 4);
  }
}

TEST_F(RocksDBRangeHandshakeTest, IteratorsWithBoundsQueryFiltersInEachMode) {
  for (const rocksdb::ReadOptions& read : {rocksdb::ReadOptions(), AutoPrefixMode()}) {
    const auto [num_queries, num_no] = Queries();
    EXPECT_EQ(Scan(read, "kb", "kc"), 0);
    EXPECT_EQ(Queries().first, num_queries + 1);
    EXPECT_EQ(Queries().second, num_no + 1);
  }
}

TEST_F(RocksDBRangeHandshakeTest, IteratorsWithoutBoundsReadNoFilter) {
  int num_reads = 0;
  rocksdb::ReadOptions total_order;
  total_order.total_order_seek = true;
  listener_->Run([&] { ++num_reads; });
  for (const bool is_backward : {false, true}) {
    int reads[2] = {};
    for (const bool is_default : {false, true}) {
      num_reads = 0;
      const std::unique_ptr<rocksdb::Iterator> iterator(
          db_->NewIterator(is_default ? rocksdb::ReadOptions() : total_order));
      is_backward ? iterator->SeekForPrev("kab") : iterator->Seek("ka");
      ASSERT_TRUE(iterator->Valid());
      reads[is_default] = num_reads;
    }
    EXPECT_EQ(reads[1], reads[0]);
  }
  EXPECT_EQ(Queries().first, 0U);
}

// The extractor's text differs each time (range_extractor.h), and RocksDB compares and keeps it.
TEST_F(RocksDBRangeHandshakeTest, OptionsFilesAreReadAndCompared) {
  Open();
  EXPECT_EQ(Scan({}, "kb", "kc"), 0);
  EXPECT_EQ(Queries().second, 1U) << "a file of an earlier run";
  const std::string path = folder_.Path("db");
  rocksdb::Options loaded = LoadOptions(path);
  ASSERT_NE(loaded.prefix_extractor, nullptr);
  EXPECT_STREQ(loaded.prefix_extractor->Name(), "bloomline.ranges");
  loaded.prefix_extractor = extractor_;
  EXPECT_TRUE(rocksdb::CheckOptionsCompatibility({}, path, loaded, {{"default", loaded}}).ok());
  EXPECT_TRUE(db_->SetOptions({{"prefix_extractor", "bloomline.ranges"}}).ok());
  EXPECT_EQ(Scan({}, "kb", "kc"), 0);
  EXPECT_EQ(Queries().second, 2U);
  EXPECT_NE(extractor_->AsString(), extractor_->AsString());
}

// A child goes on with its parent's numbers, and may open the parent's tables.
TEST_F(RocksDBRangeHandshakeTest, AChildHasOtherTexts) {
  const auto texts = [&] {
    std::string all;
    for (int i = 0; i < 10; ++i) all += extractor_->AsString() + "\n";
    return all;
  };
  const std::string path = folder_.Path("texts");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::ofstream(path) << texts() << std::flush;
    _exit(0);
  }
  const std::string mine = texts();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const std::string theirs = ReadFile(path);
  ASSERT_GT(theirs.size(), 100u);
  for (size_t at = 0, end; (end = theirs.find('\n', at)) != theirs.npos; at = end + 1) {
    EXPECT_EQ(mine.find(theirs.substr(at, end - at)), mine.npos);
  }
}

// Keys of ten letters, of which scans ask for the first six: nothing in the keys says so.
TEST(RocksDBAskedRangesTest, LaterFilesHaveWhatScansAskFor) {
  const TempDir dir;
  RocksDBFilterOptions filter(FilterOptions{Format::kCompact});
  filter.range_prefixes = "auto";
  rocksdb::Options options = WithPolicy(NewRocksDBFilterPolicy(filter));
  options.prefix_extractor = NewRangeExtractor();
  options.statistics = rocksdb::CreateDBStatistics();
  const auto db = MustOpenRocksDB(options, dir.Path("db"));
  std::mt19937_64 random(1);
  const auto word = [&](size_t size) {
    std::string text(size, 'a');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
    return text;
  };
  const auto scan = [&](uint64_t num_scans) {
    const uint64_t before = RangeQueries(*options.statistics).second;
    for (uint64_t i = 0; i < num_scans; ++i) {
      const std::string begin = word(6);
      std::string end = begin;
      ++end.back();
      const Slice bound(end);
      rocksdb::ReadOptions read;
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
      iterator->Seek(begin);
      EXPECT_TRUE(iterator->status().ok());
    }
    return RangeQueries(*options.statistics).second - before;
  };
  constexpr int kKeys = 30000;
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, word(10), "value").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  scan(10000);  // of which one in 16 is sampled, if other tests were first
  ASSERT_TRUE(CompactAll(db.get()).ok());
  EXPECT_GT(scan(1000), 500U);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_handshake_test
