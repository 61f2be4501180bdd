// The account of filters without a database, and the bits that it leaves for new files.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/limited_memory.h"

namespace bloomline::tests::rocksdb_file_account_test {
namespace {

using engine::BitsWithin;
using engine::FileAccount;
using engine::FileSums;
using engine::kBrake;
using engine::kMargin;

const std::string kDatabase = "db";

class RocksDBFileAccountTest : public testing::Test {
 protected:
  RocksDBFileAccountTest() {
    account_.BeginDatabase(kDatabase);
    account_.Await(kDatabase, {});
  }
  // A file of n keys in n filter bytes.
  void Create(uint64_t number, uint64_t n, int job = 1) {
    account_.Create(kDatabase, number, job, {n, n});
  }
  void Expect(uint64_t bytes, uint64_t live_keys) {
    EXPECT_EQ(account_.sums().bytes, bytes);
    EXPECT_EQ(account_.sums().live_keys(), live_keys);
  }

  FileAccount account_;
};

TEST_F(RocksDBFileAccountTest, InputsOfARunningCompactionAreLeftOut) {
  Create(1, 10);
  Create(2, 20);
  Create(3, 30);
  account_.BeginCompaction(kDatabase, 7, {1, 2});
  Expect(30, 60);
  Create(4, 25, 7);
  Expect(55, 60);
  account_.EndCompaction(kDatabase, 7, true, {1, 2}, {4});
  Expect(55, 55);
  account_.Remove(kDatabase, 1);
  account_.Remove(kDatabase, 4);
  Expect(30, 30);
}

TEST_F(RocksDBFileAccountTest, AFailedCompactionLeavesItsInputs) {
  Create(1, 10);
  account_.BeginCompaction(kDatabase, 7, {1});
  Create(2, 9, 7);
  account_.EndCompaction(kDatabase, 7, false, {1}, {2});
  account_.Remove(kDatabase, 2);
  Expect(10, 10);
  EXPECT_EQ(account_.sums().pending_keys, 0u);
}

// RocksDB may report the next compaction of a file before the end of a failed one.
TEST_F(RocksDBFileAccountTest, TheEndOfOneCompactionReleasesNoInputOfAnother) {
  Create(1, 10);
  account_.BeginCompaction(kDatabase, 7, {1});
  account_.BeginCompaction(kDatabase, 8, {1});
  account_.EndCompaction(kDatabase, 7, false, {1}, {});
  Expect(0, 10);
  account_.EndCompaction(kDatabase, 8, true, {1}, {});
  Expect(0, 0);
}

TEST_F(RocksDBFileAccountTest, FilesThatWereThereBeforeAreAwaited) {
  account_.BeginDatabase("two");
  EXPECT_FALSE(account_.is_complete()) << "its files are not listed";
  EXPECT_EQ(account_.Await("two", {1, 2, 3, 4}), (FileAccount::FileNumbers{1, 2, 3, 4}));
  EXPECT_EQ(account_.Await("two", {1, 2, 3, 4}), FileAccount::FileNumbers());
  account_.Read("two", 1, {10, 10});
  account_.Read("two", 1, {11, 11});
  account_.Remove("two", 2);
  account_.Read("two", 2, {20, 20});  // it was deleted while it was read
  account_.Read("two", 3, {0, 30});
  EXPECT_EQ(account_.sums().unfiltered_keys, 30u);
  Expect(10, 40);
  account_.BeginCompaction("two", 7, {4});
  EXPECT_FALSE(account_.is_complete());
  account_.Read("two", 4, {40, 40});
  EXPECT_TRUE(account_.is_complete());
  Expect(10, 80);
  account_.EndDatabase("two");
  Expect(0, 0);
  account_.Create("two", 5, 1, {1, 1});
  account_.BeginDatabase("two");
  account_.EndDatabase("two");
  EXPECT_TRUE(account_.is_complete());
  Expect(0, 0);
}

TEST(RocksDBBudgetBitsTest, BitsFollowTheMemoryThatIsLeft) {
  const auto bits = [](uint64_t bytes, uint64_t keys, uint64_t pending_keys) {
    const auto shares = static_cast<uint64_t>(FileSums::kAllKeys);  // no growth
    return BitsWithin(1000, 20, {bytes, keys, pending_keys, 0, keys, shares});
  };
  EXPECT_EQ(bits(0, 0, 0), 20);
  EXPECT_EQ(bits(200, 100, 0), 20);
  EXPECT_NEAR(bits(1000, 1000, 0), 8, 1e-9);
  // A little too much or too little is left to the forecast.
  EXPECT_NEAR(bits(1099, 1000, 0), 8, 1e-9);
  EXPECT_NEAR(bits(800, 1000, 0), 8, 1e-9);
  EXPECT_NEAR(bits(1200, 1000, 0), 8 * (1 - kBrake * 0.1), 1e-9);
  EXPECT_EQ(bits(5000, 1000, 0), 0);
  // All files are being compacted: each gets its part.
  EXPECT_NEAR(BitsWithin(1000, 20, {0, 0, 1000}), 8, 1e-9);
}

TEST(RocksDBBudgetBitsTest, FilesOfUnknownAgeLowerTheBitsByWhatTheyHaveTooMuch) {
  const auto bits = [](uint64_t bytes, uint64_t dated_keys) {
    const auto shares = static_cast<uint64_t>(FileSums::kAllKeys) / 1000 * dated_keys;
    return BitsWithin(1000, 20, {bytes, 1000, 0, 0, dated_keys, shares});
  };
  EXPECT_NEAR(bits(1000, 0), 8 * (1 - kMargin), 1e-6);
  EXPECT_NEAR(bits(1050, 0), 8 * (1 - kMargin - 0.05), 1e-6);
  EXPECT_NEAR(bits(1050, 500), 8 * (1 - (kMargin + 0.05) / 2), 1e-6);
  EXPECT_NEAR(bits(1050, 1000), 8, 1e-6);
  EXPECT_NEAR(bits(800, 0), 8, 1e-6);  // too little is left to the forecast
  EXPECT_EQ(bits(5000, 0), 0);
}

TEST_F(RocksDBFileAccountTest, BitsAreFewerByTheGrowthSinceFilesWereWritten) {
  const auto bits = [&] { return BitsWithin(1000, 100, account_.sums()); };
  Create(1, 900);
  EXPECT_NEAR(bits(), 8.0 * 1000 / 900, 1e-6);
  Create(2, 90);
  const double early = 1 + 90.0 / 900;  // the shares of the keys then
  EXPECT_NEAR(bits(), 8.0 * 1000 / 990 / early, 1e-6);
  Create(3, 10);
  EXPECT_NEAR(bits(), 8 / (early + 10.0 / 990), 1e-6);
  // What is being compacted counts as new.
  account_.BeginCompaction(kDatabase, 7, {1});
  EXPECT_NEAR(bits(), 8 / (0.9 + 0.1 + 10.0 / 990), 1e-6);
  account_.EndCompaction(kDatabase, 7, false, {1}, {});
  EXPECT_NEAR(bits(), 8 / (early + 10.0 / 990), 1e-6);
  for (uint64_t number = 1; number < 4; ++number) account_.Remove(kDatabase, number);
  EXPECT_EQ(account_.sums().dated_keys, 0u);
  EXPECT_EQ(account_.sums().dated_shares, 0u);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_file_account_test
