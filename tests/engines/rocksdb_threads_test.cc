// A RocksDB database with many readers while it is written, flushed, compacted and reconfigured.
// tests/threads/tsan runs it under ThreadSanitizer.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/reader_threads.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_threads_test {
namespace {

// The options that SetOptions sets in turn; the last two are refused.
constexpr const char* kChanges[] = {
    "format=ribbon;bits_per_key=7.5;seed=0;", "format=blocked;seed=77;bits_by_level=auto;",
    "format=blocked;bits_per_key=30;",        "format=ribbon;bits_per_key=10;seed=0;",
    "format=blocked;bits_per_key=0.1;",       "format=blocked;bits_per_key=10;",
    "format=ribbon;bits_per_key=130;",        "format=ribon;"};
constexpr size_t kNumAllowed = 6;

struct Mode {
  const char* name;
  bool partitioned;
  bool filters_in_cache;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

rocksdb::Options MakeOptions(const Mode& mode) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(FilterOptions());
  table.cache_index_and_filter_blocks = mode.filters_in_cache;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  if (mode.partitioned) PartitionFilters(1024, &table);
  rocksdb::Options options = WithTable(table);
  options.statistics = rocksdb::CreateDBStatistics();
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 64 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 4;
  return options;
}

class RocksDBThreadsTest : public testing::TestWithParam<Mode> {
 protected:
  void Get(uint64_t i, bool present) { GetKey(db_.get(), i, present, &counts_); }

  void MultiGet(uint64_t acknowledged, std::mt19937_64& random) {
    constexpr size_t kBatch = 32;
    std::vector<uint64_t> numbers(kBatch);
    std::vector<std::string> keys(kBatch);
    for (size_t i = 0; i < kBatch; ++i) {
      numbers[i] = random() % acknowledged;
      keys[i] = i % 2 == 0 ? GrowingKeys::Present(numbers[i]) : GrowingKeys::Absent(numbers[i]);
    }
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(kBatch);
    std::vector<rocksdb::Status> statuses(kBatch);
    db_->MultiGet({}, db_->DefaultColumnFamily(), kBatch, slices.data(), values.data(),
                  statuses.data());
    for (size_t i = 0; i < kBatch; ++i) {
      counts_.Add(numbers[i], i % 2 == 0, statuses[i], values[i].ToString());
    }
  }

  const TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
  GrowingKeys keys_;
  ReadCounts counts_;
};

TEST_P(RocksDBThreadsTest, ReadersLoseNoKeyDuringFlushCompactionAndSetOptions) {
  const rocksdb::Options options = MakeOptions(GetParam());
  db_ = MustOpenRocksDB(options, dir_.Path("db"));
  std::atomic<uint64_t> changes{0};
  std::atomic<uint64_t> compactions{0};
  {
    Busy busy;
    busy.Start(1, [&](std::mt19937_64& random) {
      PutNextKey(db_.get(), &keys_, &counts_);
      if (random() % 2000 == 0 && !db_->Flush({}).ok()) ++counts_.errors;
    });
    while (keys_.acknowledged() == 0) std::this_thread::yield();
    busy.Start(kReaders, [&](std::mt19937_64& random) {
      const uint64_t acknowledged = keys_.acknowledged();
      Get(random() % acknowledged, true);
      Get(random() % acknowledged, false);
      if (random() % 8 == 0) MultiGet(acknowledged, random);
    });
    busy.Start(1, [&](std::mt19937_64& random) {
      // Each refusal prints a line to stderr.
      const bool refused = random() % 10 == 0;
      const size_t change = refused ? kNumAllowed + random() % 2 : random() % kNumAllowed;
      const std::string filter = std::string("{filter_policy={") + kChanges[change] + "};}";
      const bool ok = db_->SetOptions({{"block_based_table_factory", filter}}).ok();
      if (ok != (!refused || kSetOptionsMakesANewPolicy)) ++counts_.errors;
      changes += ok ? 1 : 0;
    });
    busy.Start(1, [&](std::mt19937_64&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (!GiveNewFilters(db_.get()).ok()) ++counts_.errors;
      ++compactions;
    });
    LetThemWork([&] {
      return changes > 0 && compactions > 0 &&
             options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) > 0;
    });
  }
  EXPECT_EQ(counts_.lost, 0u) << "acknowledged keys";
  EXPECT_EQ(counts_.invented, 0u);
  EXPECT_EQ(counts_.errors, 0u);
  EXPECT_GT(changes, 0u);
  EXPECT_GT(compactions, 0u);
  EXPECT_GT(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), 0u);
  db_.reset();
  db_ = MustOpenRocksDB(options, dir_.Path("db"));
  for (uint64_t i = 0; i < keys_.acknowledged(); ++i) Get(i, true);
  EXPECT_EQ(counts_.lost, 0u) << "after reopening";
  EXPECT_EQ(counts_.errors, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, RocksDBThreadsTest,
                         testing::Values(Mode{"Full", false, false},
                                         Mode{"FullInCache", false, true},
                                         Mode{"PartitionedInCache", true, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bloomline::tests::rocksdb_threads_test
