// A LevelDB database with many readers while it is written and compacted. tests/threads/tsan runs
// it under ThreadSanitizer.
#include <gtest/gtest.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "bloomline/leveldb.h"
#include "tests/support/reader_threads.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::leveldb_threads_test {
namespace {

class LevelDBThreadsTest : public testing::TestWithParam<Format> {};

TEST_P(LevelDBThreadsTest, ReadersLoseNoKeyDuringWritesAndCompaction) {
  const TempDir dir;
  const std::unique_ptr<const leveldb::FilterPolicy> policy(NewLevelDBFilterPolicy({GetParam()}));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  options.block_cache = cache.get();
  options.write_buffer_size = 64 << 10;
  options.max_open_files = 80;  // tables, and their filters, are dropped and read again
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
  std::unique_ptr<leveldb::DB> db(opened);

  GrowingKeys keys;
  ReadCounts counts;
  std::atomic<uint64_t> compactions{0};
  {
    Busy busy;
    busy.Start(1, [&](std::mt19937_64&) { PutNextKey(db.get(), &keys, &counts); });
    while (keys.acknowledged() == 0) std::this_thread::yield();
    busy.Start(kReaders, [&](std::mt19937_64& random) {
      const uint64_t acknowledged = keys.acknowledged();
      GetKey(db.get(), random() % acknowledged, true, &counts);
      GetKey(db.get(), random() % acknowledged, false, &counts);
    });
    busy.Start(1, [&](std::mt19937_64&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      db->CompactRange(nullptr, nullptr);
      ++compactions;
    });
    LetThemWork([&] { return compactions > 0; });
  }
  EXPECT_EQ(counts.lost, 0u) << "acknowledged keys";
  EXPECT_EQ(counts.invented, 0u);
  EXPECT_EQ(counts.errors, 0u);
  EXPECT_GT(compactions, 0u);
  db.reset();
  ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
  db.reset(opened);
  for (uint64_t i = 0; i < keys.acknowledged(); ++i) GetKey(db.get(), i, true, &counts);
  EXPECT_EQ(counts.lost, 0u) << "after reopening";
  EXPECT_EQ(counts.errors, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, LevelDBThreadsTest,
                         testing::Values(Format::kClassic, Format::kBlocked, Format::kCompact),
                         [](const auto& info) { return std::string(FormatName(info.param)); });

}  // namespace
}  // namespace bloomline::tests::leveldb_threads_test
