// The memory of range filters in databases with an account of their files, in many states.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/range_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_range_memory_test {
namespace {

constexpr char kProperty[] = "bloomline.range_filter";

struct Levels {
  double ratio;
  bool is_dynamic;
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
};

std::string Text(const Levels& levels) {
  return "ratio " + std::to_string(levels.ratio) + (levels.is_dynamic ? ", dynamic" : ", static") +
         ", style " + std::to_string(levels.style);
}

// memory_percent is 20.
class Database {
 public:
  Database(const Levels& levels, std::shared_ptr<rocksdb::EventListener> account) {
    options_ = WithPolicy(NewRocksDBFilterPolicy(RocksDBFilterOptions()));
    options_.compression = rocksdb::kNoCompression;
    options_.compaction_style = levels.style;
    options_.max_bytes_for_level_multiplier = levels.ratio;
    options_.level_compaction_dynamic_level_bytes = levels.is_dynamic;
    options_.write_buffer_size = 192 << 10;
    options_.max_bytes_for_level_base = 512 << 10;
    options_.target_file_size_base = 192 << 10;
    options_.max_background_jobs = 1;
    Reopen(std::move(account));
  }

  void Reopen(std::shared_ptr<rocksdb::EventListener> account) {
    db_.reset();
    options_.listeners.clear();
    if (account != nullptr) options_.listeners.push_back(std::move(account));
    options_.table_properties_collector_factories.clear();
    AddRangeFilter(&options_);
    db_ = MustOpenRocksDB(options_, dir_.Path("db"));
  }

  // Keys of three fields, so that there are enough kinds of entries for all memory.
  void PutRandom(int num_keys) {
    for (int i = 0; i < num_keys; ++i) {
      Put(BigEndian(random_() % 100000, 3) + BigEndian(random_() % 1000, 3) +
          BigEndian(random_(), 4));
    }
  }
  void PutAscending(int num_keys) {
    for (int i = 0; i < num_keys; ++i) Put(BigEndian(next_ += 1 + random_() % 5000, 10));
  }
  void Flush() { ASSERT_TRUE(db_->Flush({}).ok()); }
  void LetCompact(bool may_compact) {
    ASSERT_TRUE(
        db_->SetOptions({{"disable_auto_compactions", may_compact ? "false" : "true"}}).ok());
  }
  // Until nothing runs, and nothing waits to. RocksDB may say for long that a compaction is
  // pending.
  void Wait() {
    for (int idle = 0, pending = 0; idle < 3 && pending < 20;) {
      const bool is_running = Number("rocksdb.num-running-compactions") != 0 ||
                              Number("rocksdb.num-running-flushes") != 0;
      const bool is_pending = Number("rocksdb.compaction-pending") != 0;
      idle = is_running || is_pending ? 0 : idle + 1;
      pending = is_running || !is_pending ? 0 : pending + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  // The memory of range filters, in percent of that of filters with 10 bits per key.
  void ExpectPercent(double least, double most) {
    Memory all;
    for (const auto& [level, memory] : MemoryOfLevels()) all.Add(memory);
    EXPECT_GE(all.Percent(), least);
    EXPECT_LE(all.Percent(), most);
  }
  void ExpectMoreInUpperLevels() {
    const auto levels = MemoryOfLevels();
    ASSERT_GE(levels.size(), 2U);
    const auto last = levels.rbegin();
    EXPECT_LT(last->second.Percent(), 19);
    EXPECT_GT(levels.upper_bound(0)->second.Percent(), 1.5 * last->second.Percent());
  }

 private:
  struct Memory {
    double bytes = 0;
    double num_keys = 0;

    void Add(const Memory& other) {
      bytes += other.bytes;
      num_keys += other.num_keys;
    }
    double Percent() const { return 100 * 8 * bytes / num_keys / 10; }
  };
  std::map<int, Memory> MemoryOfLevels() {
    std::map<int, Memory> levels;
    for (const auto& [level, table] : TablesByLevel(db_.get())) {
      levels[level].Add({double(table->user_collected_properties.at(kProperty).size()),
                         double(table->num_entries)});
    }
    return levels;
  }
  uint64_t Number(const char* property) {
    uint64_t number = 0;
    EXPECT_TRUE(db_->GetIntProperty(property, &number));
    return number;
  }
  void Put(const std::string& key) { ASSERT_TRUE(db_->Put({}, key, "v").ok()); }

  TempDir dir_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::mt19937_64 random_{1};
  uint64_t next_ = 0;
};

constexpr Levels kAllLevels[] = {
    {4, true}, {10, true}, {4, false}, {10, true, rocksdb::kCompactionStyleUniversal}};

// Filters of some thousand keys take a percent more than larger ones, and 4 percent more while a
// level is new, because the files of the level below were written as if it was not there.
TEST(RocksDBRangeMemoryTest, MemoryPercentHoldsWhileLevelsGrow) {
  for (const Levels& levels : kAllLevels) {
    SCOPED_TRACE(Text(levels));
    Database database(levels, NewFilterAccount());
    for (int step = 1; step <= 10; ++step) {
      SCOPED_TRACE(step);
      database.PutRandom(20000);
      database.Flush();
      database.Wait();
      database.ExpectPercent(18, 23.5);
      if (step % 4 != 0) continue;
      database.LetCompact(false);
      for (int i = 0; i < 12; ++i) {
        database.PutRandom(2500);
        database.Flush();
      }
      database.ExpectPercent(18, 23.5);
      database.LetCompact(true);
      database.Wait();
      database.ExpectPercent(18, 22);
    }
    database.ExpectPercent(18, 22);
    if (levels.style == rocksdb::kCompactionStyleLevel) database.ExpectMoreInUpperLevels();
  }
}

// Flushed files are moved down as they are, and the account begins anew each time.
TEST(RocksDBRangeMemoryTest, MemoryPercentHoldsForAscendingKeys) {
  for (const Levels& levels : kAllLevels) {
    SCOPED_TRACE(Text(levels));
    Database database(levels, nullptr);
    for (int session = 0; session < 12; ++session) {
      SCOPED_TRACE(session);
      database.Reopen(NewFilterAccount());
      for (int i = 0; i < 4; ++i) {
        database.PutAscending(2500);
        database.Flush();
        database.Wait();
      }
      database.ExpectPercent(0, 22);
    }
  }
}

TEST(RocksDBRangeMemoryTest, EachFileHasMemoryPercentWithoutAnAccount) {
  Database database({10, true}, nullptr);
  for (int step = 1; step <= 4; ++step) {
    database.PutRandom(20000);
    database.Flush();
    database.Wait();
    database.ExpectPercent(20, 22);
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_memory_test
