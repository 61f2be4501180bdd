// The limits of memory and of one filter's bytes, in databases.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/metric_value.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_limited_memory_test {
namespace {

// Sums over files that were written while the account existed, when the database had `growth` times
// fewer keys.
engine::FileSums Grown(uint64_t keys, double growth) {
  engine::FileSums sums;
  sums.keys = sums.dated_keys = keys;
  sums.dated_shares = static_cast<uint64_t>(growth * engine::FileSums::kAllKeys);
  return sums;
}

TEST(RocksDBBitsWithinTest, EachKeyGetsItsPartOfTheMemory) {
  EXPECT_EQ(engine::BitsWithin(1000, 20, {}), 20);
  EXPECT_EQ(engine::BitsWithin(1000, 20, Grown(100, 1)), 20);
  EXPECT_NEAR(engine::BitsWithin(1000, 20, Grown(1000, 1)), 8, 1e-9);
  // What is written anew, old files, and those that may get a filter.
  EXPECT_NEAR(engine::BitsWithin(1000, 20, {0, 100, 500, 400}), 8, 1e-9);
  // Filters that take too much change nothing: the rule sees them by level.
  EXPECT_NEAR(engine::BitsWithin(1000, 20, {5000, 1000}), 8, 1e-9);
  EXPECT_EQ(engine::BitsWithin(1000, 20, Grown(100000, 1)), 3);
  EXPECT_EQ(engine::BitsWithin(1000, 2, Grown(100000, 1)), 2);
}

TEST(RocksDBBitsWithinTest, BitsAreFewerByTheGrowthSinceFilesWereWritten) {
  const auto bits = [](double growth) { return engine::BitsWithin(1000, 20, Grown(1000, growth)); };
  EXPECT_NEAR(bits(1.1), 8 / 1.1, 1e-6);
  EXPECT_NEAR(bits(0.9), 8 / 0.9, 1e-6);
  EXPECT_NEAR(bits(2), 8 / engine::kMaxGrowth, 1e-6);
  EXPECT_NEAR(bits(0.5), 8 * engine::kMaxGrowth, 1e-6);
  // Half of the keys are of files that were there before.
  engine::FileSums sums = Grown(500, 0.6);
  sums.keys = 1000;
  EXPECT_NEAR(engine::BitsWithin(1000, 20, sums), 8 / 1.1, 1e-6);
}

class RocksDBLimitedMemoryTest : public testing::Test {
 protected:
  TempDir dir_;
  const std::shared_ptr<FilterAccount> account_ = NewFilterAccount();
};

TEST_F(RocksDBLimitedMemoryTest, LimitedMemoryNeedsAnAccount) {
  AccountedDatabase database(dir_.Path("db"), nullptr, Limited(100000));
  const rocksdb::Status status = database.Open();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("memory is 100000, but no listener of the database counts "
                                   "filters; allowed: 0, or a FilterAccount"),
            std::string::npos)
      << status.ToString();
  database.options().listeners = {account_};
  EXPECT_TRUE(database.Open().ok());
}

// Each would miss files of which the other one is told.
TEST_F(RocksDBLimitedMemoryTest, TwoAccountsOfOneDatabaseAreRefused) {
  class OfAnotherVersion : public rocksdb::EventListener {
   public:
    const char* Name() const override { return FilterAccount::kClassName(); }
  };
  RocksDBFilterOptions by_level;
  by_level.auto_bits_by_level = true;
  for (const RocksDBFilterOptions& filter : {Limited(100000), by_level}) {
    AccountedDatabase database(dir_.Path("db"), account_, filter);
    database.options().listeners.push_back(NewFilterAccount());
    const rocksdb::Status status = database.Open();
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_NE(status.ToString().find("the listeners of the database have 2 FilterAccounts; "
                                     "allowed: one"),
              std::string::npos)
        << status.ToString();
    database.options().listeners[1] = std::make_shared<OfAnotherVersion>();
    EXPECT_TRUE(database.Open().ok());
  }
}

// The next file of the thread may belong to another database.
TEST_F(RocksDBLimitedMemoryTest, PoliciesWithoutALimitTakeTheAccountToo) {
  const auto account = std::make_shared<engine::FileAccount>();
  const rocksdb::BlockBasedTableOptions table;
  for (const uint64_t limit : {uint64_t{0}, uint64_t{100000}}) {
    const auto policy = NewRocksDBFilterPolicy(Limited(limit));
    ASSERT_NE(policy, nullptr);
    engine::BeginFileCreation({account, {}, {}});
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
    EXPECT_EQ(engine::TakeFileCreation(0).account.lock(), nullptr) << limit;
  }
}

TEST_F(RocksDBLimitedMemoryTest, TheLimitHoldsForAllFamiliesTogether) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  RocksDBFilterOptions filter;
  filter.bits_per_key = 14;
  filter.memory_bytes = 60000;
  AccountedDatabase database(dir_.Path("db"), account_, filter);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 10000);
  const uint64_t free = account_->filter_bytes();
  EXPECT_LT(free, 30000u);
  EXPECT_GT(8.0 * static_cast<double>(free) / 10000, 13);
  database.Create("second");
  for (uint64_t i = 1; i < 13; ++i) database.Fill(i * 3000, 3000);
  database.Compact();
  ExpectExact(*account_, {&database}, "compactions");
  EXPECT_NEAR(static_cast<double>(account_->filter_bytes()), 60000, 0.12 * 60000);
  database.Drop(1);
  ExpectExact(*account_, {&database}, "a dropped family");
  EXPECT_NEAR(static_cast<double>(account_->num_keys()), 39000, 2000);
  database.Compact();
  ExpectExact(*account_, {&database}, "the last compaction");
  const double bits =
      8 * static_cast<double>(account_->filter_bytes()) / static_cast<double>(account_->num_keys());
  EXPECT_GT(bits, 11) << "bits rise again";
}

TEST_F(RocksDBLimitedMemoryTest, KeysThatGetNoFilterNeedNoMemoryAfterARestart) {
  RocksDBFilterOptions filter = Limited(8000);  // 10 bits for each of 6400 keys
  filter.filters_at_bottom = false;
  AccountedDatabase database(dir_.Path("db"), account_, filter);
  database.options().disable_auto_compactions = true;
  ASSERT_TRUE(database.Open().ok());
  const auto write = [&](uint64_t first, uint64_t n) {
    database.Put(database.handles()[0], first, n);
    database.Flush();
  };
  write(0, 30000);
  database.Compact();
  ASSERT_EQ(database.filter_bytes(), 0u);
  write(100000, 1000);
  database.Close();
  ASSERT_TRUE(database.Open().ok());
  ASSERT_TRUE(account_->CountFiles(database.db()));
  EXPECT_EQ(account_->num_keys(), 31000u);
  const uint64_t before = database.filter_bytes();
  write(200000, 1000);
  EXPECT_GT(8 * (database.filter_bytes() - before), 9000u) << "bits for 1000 keys";
}

TEST_F(RocksDBLimitedMemoryTest, ARunningDatabaseTakesAnotherLimit) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(100000));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 20000);
  const auto compact = [&] {
    database.Compact();
    ExpectExact(*account_, {&database}, "a compaction");
    return account_->filter_bytes();
  };
  const auto set_memory = [&](const std::string& memory) {
    return database.db()->SetOptions(
        {{"block_based_table_factory", "{filter_policy={id=bloomline;memory=" + memory + "};}"}});
  };
  EXPECT_GT(compact(), 23000u);  // 10 bits per key
  ASSERT_TRUE(set_memory("12KiB").ok());
  // Filters of 500 keys are rounded up to whole blocks.
  EXPECT_NEAR(static_cast<double>(compact()), 12 << 10, 0.12 * (12 << 10));
  EXPECT_EQ(MetricValue("bloomline_filter_memory_limit_bytes", "policy=\"blocked:10\""), 12 << 10);
  ASSERT_TRUE(set_memory("0").ok());
  EXPECT_GT(compact(), 23000u);
  database.ExpectNoKeyLost(20000);
}

TEST_F(RocksDBLimitedMemoryTest, OneFilterHasLimitedBytes) {
  RocksDBFilterOptions filter;
  filter.max_filter_bytes = 2000;
  AccountedDatabase database(dir_.Path("db"), account_, filter);
  database.options().target_file_size_base = 64 << 20;
  database.options().write_buffer_size = 64 << 20;
  ASSERT_TRUE(database.Open().ok());
  for (const uint64_t n : {1000, 2000, 5000}) {
    database.Put(database.handles()[0], 0, n);
    database.Compact();
    const uint64_t bytes = database.filter_bytes();
    EXPECT_LE(bytes, 2000u) << n;
    EXPECT_GT(bytes, n == 1000 ? 1150u : 1800u) << n;
  }
  // However few the bytes, a filter has 3 bits per key.
  database.Put(database.handles()[0], 0, 20000);
  database.Compact();
  EXPECT_NEAR(8 * static_cast<double>(database.filter_bytes()) / 20000, 3, 0.2);
  database.ExpectNoKeyLost(20000);
}

TEST_F(RocksDBLimitedMemoryTest, ACompactionOfAllFilesFollowsTheLimit) {
  {
    AccountedDatabase before(dir_.Path("db"), nullptr);
    ASSERT_TRUE(before.Open().ok());
    before.Fill(0, 20000);
    before.Compact();
  }
  RocksDBFilterOptions filter;
  filter.memory_bytes = 20000 * 6 / 8;
  AccountedDatabase database(dir_.Path("db"), account_, filter);
  ASSERT_TRUE(database.Open().ok());
  // Keeps the files that are replaced.
  const std::unique_ptr<rocksdb::Iterator> iterator(database.db()->NewIterator({}));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(GiveNewFilters(database.db()).ok());
  ExpectExact(*account_, {&database}, "compactions of all files");
  EXPECT_NEAR(static_cast<double>(account_->filter_bytes()),
              static_cast<double>(filter.memory_bytes),
              0.15 * static_cast<double>(filter.memory_bytes));
  EXPECT_EQ(ReadFile(dir_.Path("db") + "/LOG").find("without the limit of memory"),
            std::string::npos);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_limited_memory_test
