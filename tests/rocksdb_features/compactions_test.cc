// Compactions of every style, and files that move to another level.
#include <rocksdb/universal_compaction.h>

#include <algorithm>
#include <map>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBCompactionsTest : public FeatureTest {
 protected:
  // Name of each file and its level.
  static std::map<std::string, int> Levels(rocksdb::DB* db) {
    std::map<std::string, int> levels;
    for (const auto& file : Files(db)) levels[file.name] = file.level;
    return levels;
  }

  // Waits for compactions to bring what `done` asks for; at most ten seconds.
  template <typename Done>
  static void WaitUntil(rocksdb::DB* db, Done done) {
    uint64_t running = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(db->GetIntProperty("rocksdb.num-running-compactions", &running));
      if (running == 0 && done()) return;
      rocksdb::Env::Default()->SleepForMicroseconds(2000);
    }
    ADD_FAILURE() << "no such compaction in ten seconds";
  }
};

TEST_P(RocksDBCompactionsTest, Leveled) {
  rocksdb::Options options = MakeOptions();
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 2;
  options.max_bytes_for_level_base = 16 << 10;
  options.target_file_size_base = 8 << 10;
  options.max_bytes_for_level_multiplier = 2;
  const auto db = Open(options);
  PutRuns(db.get(), 8);
  WaitUntil(db.get(), [&] {
    int deepest = 0;
    for (const auto& [name, level] : Levels(db.get())) deepest = std::max(deepest, level);
    return deepest >= 2;
  });
  ExpectAllRight(From(db.get()), 0, kNumKeys, std::max(max_rate(), kMaxSmallRate));
}

TEST_P(RocksDBCompactionsTest, Universal) {
  rocksdb::Options options = MakeOptions();
  options.disable_auto_compactions = false;
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = 3;
  options.num_levels = 4;
  const auto db = Open(options);
  for (uint64_t run = 0; run < 9; ++run) {
    Put(db.get(), 0, kNumKeys, 9, run);
    Flush(db.get());
  }
  WaitUntil(db.get(), [&] { return Files(db.get()).size() < 9; });
  ExpectAllRight(db.get());
  Compact(db.get());
  EXPECT_EQ(Files(db.get()).size(), 1u);
  ExpectAllRight(db.get());
}

// The oldest files are dropped; all others keep their keys and filters.
TEST_P(RocksDBCompactionsTest, Fifo) {
  rocksdb::Options options = MakeOptions();
  options.disable_auto_compactions = false;
  options.compaction_style = rocksdb::kCompactionStyleFIFO;
  options.num_levels = 1;
  options.max_open_files = -1;
  options.compaction_options_fifo.max_table_files_size = 100 << 10;
  options.compaction_options_fifo.allow_compaction = false;
  const auto db = Open(options);
  constexpr uint64_t kKeysOfFile = 1000;
  constexpr uint64_t kFiles = 6;
  for (uint64_t file = 0; file < kFiles; ++file) {
    Put(db.get(), file * kKeysOfFile, (file + 1) * kKeysOfFile);
    Flush(db.get());
  }
  WaitUntil(db.get(), [&] {
    uint64_t bytes = 0;
    for (const auto& file : Files(db.get())) bytes += file.size;
    return bytes <= options.compaction_options_fifo.max_table_files_size;
  });
  const auto files = Files(db.get());
  EXPECT_LT(files.size(), kFiles) << "nothing was dropped";
  EXPECT_GE(files.size(), 2u);
  const uint64_t first = (kFiles - files.size()) * kKeysOfFile;
  ExpectAllRight(From(db.get()), first, kFiles * kKeysOfFile, max_rate());
  std::string value;
  for (uint64_t i = 0; i < first; ++i) ASSERT_TRUE(db->Get({}, Stored(i), &value).IsNotFound());
}

// A file that moves without being rewritten keeps its filter, which is used on the new level.
TEST_P(RocksDBCompactionsTest, AMovedFileKeepsItsFilter) {
  const auto db = Open(MakeOptions());
  Put(db.get(), 0, kNumKeys / 2);
  Flush(db.get());
  Put(db.get(), kNumKeys / 2, kNumKeys);
  Flush(db.get());
  const std::map<std::string, int> flushed = Levels(db.get());
  const uint64_t filter_bytes = FilterBytes(db.get());
  for (const int target : {1, 3, 6, 2}) {
    SCOPED_TRACE(target);
    rocksdb::CompactRangeOptions move;
    move.change_level = true;
    move.target_level = target;
    move.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
    ASSERT_TRUE(db->CompactRange(move, nullptr, nullptr).ok());
    const std::map<std::string, int> moved = Levels(db.get());
    ASSERT_EQ(moved.size(), flushed.size());
    for (const auto& [name, level] : moved) {
      EXPECT_EQ(flushed.count(name), 1u) << name << " was rewritten";
      EXPECT_EQ(level, target) << name;
    }
    EXPECT_EQ(FilterBytes(db.get()), filter_bytes);
    ExpectAllRight(db.get());
  }
}

// Written level by level, each key in one of the levels. Each level's filter is queried.
TEST_P(RocksDBCompactionsTest, EachLevelHasItsFilter) {
  rocksdb::Options options = MakeOptions();
  options.num_levels = 5;
  const auto db = Open(options);
  for (int level = 4; level >= 0; --level) {
    Put(db.get(), 0, kNumKeys, 5, static_cast<uint64_t>(level));
    Flush(db.get());
    for (const auto& [name, at] : Levels(db.get())) {
      if (at == 0 && level > 0) {
        ASSERT_TRUE(db->CompactFiles({}, {name}, level).ok());
      }
    }
  }
  EXPECT_EQ(Files(db.get()).size(), 5u);
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_GE(answers.rejected + answers.passed, 5 * answers.missing - 40) << answers;
  ExpectAllRight(db.get());
}

// The last level has no filters, so only keys that exist are worth asking for. All others keep
// theirs.
TEST_P(RocksDBCompactionsTest, OptimizeFiltersForHits) {
  rocksdb::Options options = MakeOptions();
  options.optimize_filters_for_hits = true;
  const auto db = Open(options);
  Put(db.get(), 0, kNumKeys, 2, 0);
  Flush(db.get());
  EXPECT_GT(FilterBytes(db.get()), 0u);
  Compact(db.get());
  EXPECT_EQ(FilterBytes(db.get()), 0u);
  Put(db.get(), 0, kNumKeys, 2, 1);
  Flush(db.get());
  EXPECT_GT(FilterBytes(db.get()), 0u);
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_EQ(answers.true_positives, kNumKeys / 2) << "the upper file's keys";
  EXPECT_GE(static_cast<double>(answers.rejected),
            (1 - max_rate()) * static_cast<double>(answers.missing - 2))
      << answers;
  EXPECT_GE(answers.rejected + answers.passed, answers.missing - 2) << answers;
  EXPECT_LE(answers.rejected + answers.passed, answers.missing) << answers;
}

BLOOMLINE_FEATURE_TESTS(RocksDBCompactionsTest);

}  // namespace
}  // namespace bloomline
