// The account of filters under events that are late, lost or repeated, and against a model.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/engines/rocksdb/budget/budget_bits.h"
#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {
namespace {

const std::string kDatabase = "db";

class RocksDBFileAccountTest : public testing::Test {
 protected:
  // A file of n keys in n filter bytes.
  void Create(uint64_t number, uint64_t n, int job = 1) {
    account_.Create(kDatabase, number, job, false, {n, n});
  }
  void ExpectLive(uint64_t n) {
    EXPECT_EQ(account_.sums().live.bytes, n);
    EXPECT_EQ(account_.sums().live.keys, n);
  }
  void ExpectSettled(uint64_t n) { EXPECT_EQ(account_.sums().settled.bytes, n); }

  FileAccount account_;
};

TEST_F(RocksDBFileAccountTest, ACompactionReplacesItsInputsWhenItEnds) {
  Create(1, 10);
  Create(2, 20);
  Create(3, 30);
  account_.BeginCompaction(kDatabase, 7, {1, 2});
  ExpectLive(60);
  ExpectSettled(30);
  Create(4, 25, 7);
  ExpectLive(60);
  ExpectSettled(55);
  account_.EndCompaction(kDatabase, 7, true, {1, 2}, {4});
  ExpectLive(55);
  ExpectSettled(55);
  account_.Remove(kDatabase, 1);
  account_.Remove(kDatabase, 2);
  ExpectLive(55);
}

TEST_F(RocksDBFileAccountTest, TheFileOfAFlushIsLiveWhenItEnds) {
  for (int i = 0; i < 2; ++i) account_.Create(kDatabase, 1, 3, true, {10, 10});
  ExpectLive(0);
  ExpectSettled(10);  // it needs memory soon
  for (int i = 0; i < 2; ++i) account_.EndFlush(kDatabase, 1);
  ExpectLive(10);
  account_.Create(kDatabase, 1, 3, true, {10, 10});  // late
  ExpectLive(10);
  account_.Create(kDatabase, 2, 4, true, {5, 5});
  account_.BeginCompaction(kDatabase, 7, {1, 2});  // before the end of the second flush is reported
  ExpectLive(15);
  account_.EndCompaction(kDatabase, 7, true, {1, 2}, {});
  account_.EndFlush(kDatabase, 2);
  account_.EndFlush("never seen", 2);
  ExpectLive(0);
  ExpectSettled(0);
}

TEST_F(RocksDBFileAccountTest, AFailedCompactionLeavesItsInputs) {
  Create(1, 10);
  account_.BeginCompaction(kDatabase, 7, {1});
  Create(2, 9, 7);
  account_.EndCompaction(kDatabase, 7, false, {1}, {2});
  ExpectLive(10);
  account_.Remove(kDatabase, 2);
  ExpectLive(10);
  ExpectSettled(10);
}

TEST_F(RocksDBFileAccountTest, AMovedFileStays) {
  Create(1, 10);
  account_.BeginCompaction(kDatabase, 7, {1});
  account_.EndCompaction(kDatabase, 7, true, {1}, {1});
  ExpectLive(10);
  ExpectSettled(10);
}

TEST_F(RocksDBFileAccountTest, RepeatedEventsChangeNothing) {
  for (int i = 0; i < 2; ++i) Create(1, 10);
  for (int i = 0; i < 2; ++i) account_.Find(kDatabase, 1, {10, 10});
  for (int i = 0; i < 2; ++i) account_.BeginCompaction(kDatabase, 7, {1});
  ExpectSettled(0);
  for (int i = 0; i < 2; ++i) Create(2, 8, 7);
  for (int i = 0; i < 2; ++i) account_.EndCompaction(kDatabase, 7, true, {1}, {2});
  for (int i = 0; i < 2; ++i) account_.Remove(kDatabase, 1);
  ExpectLive(8);
  ExpectSettled(8);
  for (int i = 0; i < 2; ++i) account_.Remove(kDatabase, 2);
  ExpectLive(0);
  ExpectSettled(0);
}

// RocksDB may report the compaction of a file before the end of the one that wrote it.
TEST_F(RocksDBFileAccountTest, TheEndOfACompactionMayBeLate) {
  Create(1, 10);
  account_.BeginCompaction(kDatabase, 7, {1});
  Create(2, 9, 7);
  account_.BeginCompaction(kDatabase, 8, {2});
  Create(3, 8, 8);
  account_.EndCompaction(kDatabase, 8, true, {2}, {3});
  account_.Remove(kDatabase, 2);
  account_.Find(kDatabase, 2, {9, 9});
  account_.EndCompaction(kDatabase, 7, true, {1}, {2});
  ExpectLive(8);
  ExpectSettled(8);
}

TEST_F(RocksDBFileAccountTest, ARemovedFileDoesNotComeBack) {
  account_.Find(kDatabase, 2, {1, 1});
  account_.Remove(kDatabase, 1);  // an ingested file, whose event comes now
  account_.Find(kDatabase, 1, {10, 10});
  Create(1, 10);
  ExpectLive(1);
}

TEST_F(RocksDBFileAccountTest, LostEventsOfCompactions) {
  Create(1, 10);
  account_.EndCompaction(kDatabase, 7, true, {1}, {});  // no beginning
  ExpectLive(0);
  Create(2, 10);
  account_.BeginCompaction(kDatabase, 8, {2});  // no end
  Create(3, 9, 8);
  account_.Remove(kDatabase, 2);
  ExpectLive(0);
  account_.BeginCompaction(kDatabase, 9, {3});
  ExpectLive(9);
  account_.EndCompaction(kDatabase, 9, true, {3}, {3});
  ExpectLive(9);
  ExpectSettled(9);
}

TEST_F(RocksDBFileAccountTest, FilesAreCountedWhileOthersComeAndGo) {
  Create(9, 5);
  account_.BeginCount(kDatabase);
  // Listed: 1, 2, 9. Then 2 is removed, with more files than are remembered otherwise.
  account_.Remove(kDatabase, 2);
  for (uint64_t number = 100; number < 10000; ++number) account_.Remove(kDatabase, number);
  EXPECT_EQ(account_.NotKnown(kDatabase, {1, 2, 9}, false), FileAccount::Numbers{1});
  account_.Find(kDatabase, 1, {10, 10});
  account_.Find(kDatabase, 2, {20, 20});
  account_.EndCount(kDatabase);
  ExpectLive(15);
  // The first count of a session ends what is left of another one.
  EXPECT_EQ(account_.NotKnown(kDatabase, {9}, true), FileAccount::Numbers{});
  ExpectLive(5);
}

TEST_F(RocksDBFileAccountTest, DatabasesAreApart) {
  Create(1, 10);
  account_.Create("other", 1, 1, false, {3, 3});
  ExpectLive(13);
  account_.Remove("unknown", 1);
  account_.Forget("unknown");
  account_.Forget(kDatabase);
  ExpectLive(3);
  account_.EndCompaction("other", 1, true, {1}, {});
  ExpectLive(0);
}

TEST_F(RocksDBFileAccountTest, KeysWithoutAFilterAreInOneSumAlone) {
  account_.Find(kDatabase, 1, {0, 900});
  account_.Create(kDatabase, 2, 1, false, {50, 100});
  account_.Create(kDatabase, 3, 1, false, {0, 0});
  const auto expect = [](const FileSums& sums, uint64_t keys, double share) {
    EXPECT_EQ(sums.live.bytes, 50u);
    EXPECT_EQ(sums.live.keys, keys);
    EXPECT_EQ(sums.settled.keys, keys);
    EXPECT_EQ(sums.dated_keys, 100u);
    EXPECT_NEAR(static_cast<double>(sums.dated_shares) / FileSums::kAllKeys, share, 1e-9);
  };
  expect(account_.sums(), 1000, 100.0 / 900);
  expect(account_.sums_of_filters(), 100, 1);
  account_.BeginCompaction(kDatabase, 7, {1, 2});
  EXPECT_EQ(account_.sums_of_filters().settled.keys, 0u);
  account_.EndCompaction(kDatabase, 7, false, {1, 2}, {});
  expect(account_.sums_of_filters(), 100, 1);
  account_.Forget(kDatabase);
  EXPECT_EQ(account_.sums().live.keys, 0u);
  EXPECT_EQ(account_.sums_of_filters().live.keys, 0u);
  EXPECT_EQ(account_.sums_of_filters().dated_shares, 0u);
}

TEST_F(RocksDBFileAccountTest, TheMetricsOfOnePolicyHaveTheLimit) {
  using filter::Count;
  filter::FilterCounts one(0, {}), two(1, {});
  const auto expect_shown = [](const filter::FilterCounts& counts, uint64_t bytes, uint64_t limit) {
    EXPECT_EQ(counts.Get(Count::kMemoryBytes), bytes);
    EXPECT_EQ(counts.Get(Count::kMemoryLimitBytes), limit);
  };
  {
    FileAccount account;
    account.Create(kDatabase, 1, 1, false, {10, 10});
    account.ShowIn(&one, 7, 0);
    expect_shown(one, 0, 0);
    account.ShowIn(&one, 7, 100);
    account.ShowIn(&one, 8, 0);
    account.ShowIn(&two, 8, 100);
    expect_shown(one, 10, 100);
    account.Create(kDatabase, 2, 1, false, {5, 5});
    account.ShowIn(&two, 8, 200);
    expect_shown(one, 15, 200);
    expect_shown(two, 0, 0);
    account.ShowIn(&two, 7, 200);  // the family has another policy
    expect_shown(one, 0, 0);
    expect_shown(two, 15, 200);
    account.Forget("other");
    account.ShowIn(&one, 8, 0);
    expect_shown(two, 15, 200);
    account.Forget(kDatabase);
    expect_shown(two, 0, 200);
    account.ShowIn(&one, 8, 200);  // no family had it
    expect_shown(one, 0, 200);
    expect_shown(two, 0, 0);
    account.ShowIn(&one, 8, 0);
    expect_shown(one, 0, 0);
    account.ShowIn(&two, 9, 300);
    expect_shown(two, 0, 300);
  }
  expect_shown(two, 0, 0);
}

// Random compactions, of which each event may be repeated, and the end come late.
TEST_F(RocksDBFileAccountTest, AgreesWithAModel) {
  std::mt19937_64 random(5);
  std::map<uint64_t, uint64_t> live;
  std::set<uint64_t> busy;
  std::map<int, std::pair<FileAccount::Numbers, FileAccount::Numbers>> running;
  uint64_t next = 1;
  const auto times = [&] { return random() % 4 == 0 ? 2 : 1; };
  for (int job = 1; job < 20000; ++job) {
    if (random() % 2 == 0) {
      const uint64_t n = random() % 1000;
      for (int i = times(); i > 0; --i) Create(next, n, job);
      live[next++] = n;
    } else if (random() % 2 == 0) {
      FileAccount::Numbers inputs;
      for (const auto& [number, n] : live) {
        if (busy.count(number) == 0 && random() % 4 == 0) inputs.push_back(number);
      }
      for (int i = times(); i > 0; --i) account_.BeginCompaction(kDatabase, job, inputs);
      FileAccount::Numbers outputs;
      const bool is_move = random() % 8 == 0;
      if (is_move) outputs = inputs;
      for (uint64_t i = random() % 3; !is_move && i > 0; --i) {
        Create(next, next, job);
        outputs.push_back(next++);
      }
      busy.insert(inputs.begin(), inputs.end());
      running[job] = {inputs, outputs};
    } else if (!running.empty()) {
      const auto ended = std::next(running.begin(), static_cast<int>(random() % running.size()));
      const auto& [inputs, outputs] = ended->second;
      const bool succeeded = random() % 8 != 0;
      const bool is_move = !inputs.empty() && inputs == outputs;
      for (int i = times(); i > 0; --i) {
        account_.EndCompaction(kDatabase, ended->first, succeeded, inputs, outputs);
      }
      for (const uint64_t number : inputs) busy.erase(number);
      if (!is_move) {
        for (const uint64_t number : succeeded ? inputs : outputs) {
          for (int i = times(); i > 0; --i) account_.Remove(kDatabase, number);
          live.erase(number);
        }
        if (succeeded) {
          for (const uint64_t number : outputs) live[number] = number;
        }
      }
      running.erase(ended);
    }
    uint64_t sum = 0;
    for (const auto& [number, n] : live) sum += n;
    ASSERT_EQ(account_.sums().live.bytes, sum) << "after job " << job;
  }
  EXPECT_GT(next, 5000u);
}

TEST_F(RocksDBFileAccountTest, ThreadsLeaveNothingBehind) {
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (uint64_t i = 0; i < 5000; ++i) {
        const uint64_t number = 4 * i + thread + 1;
        const int job = static_cast<int>(number);
        Create(number, number);
        account_.BeginCompaction(kDatabase, job, {number});
        EXPECT_GE(account_.sums().live.bytes, number);
        account_.EndCompaction(kDatabase, job, true, {number}, {});
        account_.Remove(kDatabase, number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ExpectLive(0);
  ExpectSettled(0);
}

TEST(RocksDBBudgetBitsTest, BitsFollowTheMemoryThatIsLeft) {
  constexpr double kMaxBits = 20;
  constexpr uint64_t kBytes = 1000;  // 8 bits for each of 1000 keys
  constexpr auto kShares = static_cast<uint64_t>(FileSums::kAllKeys);  // no growth
  const auto bits = [](const FilterSums& live, const FilterSums& settled) {
    return BitsWithin(kBytes, kMaxBits, {live, settled, settled.keys, kShares});
  };
  EXPECT_EQ(bits({}, {}), kMaxBits);
  EXPECT_EQ(bits({200, 100}, {200, 100}), kMaxBits);
  EXPECT_NEAR(bits({1000, 1000}, {1000, 1000}), 8, 1e-9);
  // A little too much or too little is left to the forecast.
  EXPECT_NEAR(bits({1100, 1000}, {1099, 1000}), 8, 1e-9);
  EXPECT_NEAR(bits({800, 1000}, {800, 1000}), 8, 1e-9);
  EXPECT_NEAR(bits({1200, 1000}, {1200, 1000}), 8 * (1 - kBrake * 0.1), 1e-9);
  EXPECT_EQ(bits({5000, 1000}, {5000, 1000}), 0);
  // All files are being compacted: each gets its part.
  EXPECT_NEAR(BitsWithin(kBytes, kMaxBits, {{5000, 1000}, {0, 0}}), 8, 1e-9);
}

TEST(RocksDBBudgetBitsTest, FilesOfUnknownAgeLowerTheBitsByWhatTheyHaveTooMuch) {
  const auto bits = [](uint64_t bytes, uint64_t dated_keys) {
    const auto shares = static_cast<uint64_t>(FileSums::kAllKeys) / 1000 * dated_keys;
    return BitsWithin(1000, 20, {{bytes, 1000}, {bytes, 1000}, dated_keys, shares});
  };
  EXPECT_NEAR(bits(1000, 0), 8 * (1 - kMargin), 1e-6);
  EXPECT_NEAR(bits(1050, 0), 8 * (1 - kMargin - 0.05), 1e-6);
  EXPECT_NEAR(bits(1050, 500), 8 * (1 - (kMargin + 0.05) / 2), 1e-6);
  EXPECT_NEAR(bits(1050, 1000), 8, 1e-6);
  EXPECT_NEAR(bits(800, 0), 8, 1e-6);  // too little is left to the forecast
  EXPECT_EQ(bits(5000, 0), 0);
}

TEST(RocksDBBudgetBitsTest, BitsAreFewerByTheGrowthSinceFilesWereWritten) {
  FileAccount account;
  const auto bits = [&] { return BitsWithin(1000, 100, account.sums()); };
  account.Create(kDatabase, 1, 1, false, {900, 900});
  EXPECT_NEAR(bits(), 8.0 * 1000 / 900, 1e-6);
  account.Create(kDatabase, 2, 2, false, {90, 90});
  const double early = 1 + 90.0 / 900;  // the shares of the keys then
  EXPECT_NEAR(bits(), 8.0 * 1000 / 990 / early, 1e-6);
  account.Create(kDatabase, 3, 3, false, {10, 10});
  EXPECT_NEAR(bits(), 8 / (early + 10.0 / 990), 1e-6);
  // What is being compacted counts as new.
  account.BeginCompaction(kDatabase, 7, {1});
  EXPECT_NEAR(bits(), 8 / (0.9 + 0.1 + 10.0 / 990), 1e-6);
  account.EndCompaction(kDatabase, 7, false, {1}, {});
  EXPECT_NEAR(bits(), 8 / (early + 10.0 / 990), 1e-6);
  for (uint64_t number = 1; number < 4; ++number) account.Remove(kDatabase, number);
  EXPECT_EQ(account.sums().dated_keys, 0u);
  EXPECT_EQ(account.sums().dated_shares, 0u);
  // Keys in order: no file is ever rewritten, and the oldest were written for few keys.
  for (uint64_t number = 1; number <= 100; ++number) {
    account.Create("other", number, static_cast<int>(number), false, {1, 10});
  }
  EXPECT_NEAR(bits(), 8 / kMaxGrowth, 1e-6);
}

}  // namespace
}  // namespace bloomline
