// The memory of range filters in databases with an account of their files, in many states.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "tests/engines/accounted_database.h"
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
class Database : public AccountedDatabase {
 public:
  Database(const std::string& path, const Levels& levels,
           const std::shared_ptr<FilterAccount>& account)
      : AccountedDatabase(path, nullptr) {
    options().compaction_style = levels.style;
    options().max_bytes_for_level_multiplier = levels.ratio;
    options().level_compaction_dynamic_level_bytes = levels.is_dynamic;
    options().write_buffer_size = 192 << 10;
    options().max_bytes_for_level_base = 512 << 10;
    options().target_file_size_base = 192 << 10;
    options().max_background_jobs = 1;
    Reopen(account);
  }

  void Reopen(const std::shared_ptr<FilterAccount>& account) {
    Close();
    options().listeners.clear();
    if (account != nullptr) options().listeners.push_back(account);
    options().table_properties_collector_factories.clear();
    AddRangeFilter(&options());
    ASSERT_TRUE(Open().ok());
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
  void LetCompact(bool may_compact) {
    ASSERT_TRUE(
        db()->SetOptions({{"disable_auto_compactions", may_compact ? "false" : "true"}}).ok());
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
    for (const auto& [level, table] : TablesByLevel(db())) {
      levels[level].Add({double(table->user_collected_properties.at(kProperty).size()),
                         double(table->num_entries)});
    }
    return levels;
  }
  void Put(const std::string& key) { ASSERT_TRUE(db()->Put({}, key, "v").ok()); }

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
    const TempDir dir;
    Database database(dir.Path("db"), levels, NewFilterAccount());
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
    const TempDir dir;
    Database database(dir.Path("db"), levels, nullptr);
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
  const TempDir dir;
  Database database(dir.Path("db"), {10, true}, nullptr);
  for (int step = 1; step <= 4; ++step) {
    database.PutRandom(20000);
    database.Flush();
    database.Wait();
    database.ExpectPercent(20, 22);
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_memory_test
