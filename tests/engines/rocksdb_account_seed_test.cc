// Files that are there before an account's first event: no write waits for them, and a database may
// end while they are read.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kKeysOfFile = 20;

// Tables take delay_ms to open.
class SlowEnv : public rocksdb::EnvWrapper {
 public:
  SlowEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  rocksdb::Status NewRandomAccessFile(const std::string& name,
                                      std::unique_ptr<rocksdb::RandomAccessFile>* file,
                                      const rocksdb::EnvOptions& options) override {
    std::this_thread::sleep_for(milliseconds(delay_ms));
    return EnvWrapper::NewRandomAccessFile(name, file, options);
  }
  std::atomic<int> delay_ms{0};
};

// One stands before the account among the listeners, one behind it.
class Stopwatch : public rocksdb::EventListener {
 public:
  explicit Stopwatch(const Stopwatch* first = nullptr) : first_(first) {}
  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo&) override { Note(); }
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo&) override { Note(); }
  void Reset() { most_ms_ = 0; }
  double most_ms() const { return most_ms_; }

 private:
  void Note() {
    time_ = Clock::now();
    if (first_ == nullptr) return;
    const std::chrono::duration<double, std::milli> took = time_ - first_->time_;
    most_ms_ = std::max(most_ms_.load(), took.count());
  }

  const Stopwatch* const first_;
  Clock::time_point time_;
  std::atomic<double> most_ms_{0};
};

class RocksDBAccountSeedTest : public testing::Test {
 protected:
  RocksDBFilterOptions Limited() {
    RocksDBFilterOptions filter;
    filter.memory_bytes = 1 << 20;
    return filter;
  }
  std::unique_ptr<AccountedDatabase> Database(const std::string& name,
                                              std::shared_ptr<FilterAccount> account) {
    const RocksDBFilterOptions filter = account == nullptr ? RocksDBFilterOptions() : Limited();
    auto database =
        std::make_unique<AccountedDatabase>(dir_.Path(name), std::move(account), filter);
    database->options().env = &env_;
    database->options().disable_auto_compactions = true;
    return database;
  }
  // Makes a database of num_files files.
  void Make(const std::string& name, int num_files) {
    const auto database = Database(name, nullptr);
    ASSERT_TRUE(database->Open().ok());
    std::vector<std::string> files;
    for (int i = 0; i < num_files; ++i) {
      rocksdb::SstFileWriter writer({}, database->options());
      files.push_back(dir_.Path(name + std::to_string(i)));
      ASSERT_TRUE(writer.Open(files.back()).ok());
      char key[24];
      for (int j = 0; j < kKeysOfFile; ++j) {
        std::snprintf(key, sizeof(key), "%08d%04d", i, j);
        ASSERT_TRUE(writer.Put(key, "value").ok());
      }
      ASSERT_TRUE(writer.Finish().ok());
    }
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    ASSERT_TRUE(database->db()->IngestExternalFile(files, ingest).ok());
  }

  TempDir dir_;
  SlowEnv env_;
};

TEST_F(RocksDBAccountSeedTest, NoWriteWaitsForOldFiles) {
  const int num_files = kIsSlow ? 500 : 5000;
  const int delay_ms = 5000 / num_files;
  // A tenth of the time that the old files take. On a quiet machine a write waits for 20 to 50 ms.
  constexpr double kMostMs = 500;
  Make("db", num_files);
  const auto account = NewFilterAccount();
  const auto database = Database("db", account);
  const auto before = std::make_shared<Stopwatch>();
  const auto behind = std::make_shared<Stopwatch>(before.get());
  database->options().listeners = {before, account, behind};
  // A busy machine may stop any thread for longer, but not at each opening.
  for (int tries = 0; tries < 5; ++tries) {
    ASSERT_TRUE(database->Open().ok());
    env_.delay_ms = delay_ms;
    behind->Reset();
    database->Put(database->handles()[0], 200000, 1);
    database->Flush();
    database->Put(database->handles()[0], 200000, 1);
    database->Flush();
    EXPECT_LT(account->num_keys(), static_cast<uint64_t>(num_files * kKeysOfFile));
    env_.delay_ms = 0;
    database->Close();
    if (behind->most_ms() < kMostMs) break;
  }
  EXPECT_LT(behind->most_ms(), kMostMs);
  ASSERT_TRUE(database->Open().ok());
  const uint64_t old_bytes = database->filter_bytes();
  env_.delay_ms = delay_ms;
  int flushes = 0;
  while (account->num_keys() < static_cast<uint64_t>(num_files * kKeysOfFile + flushes * 2000)) {
    ASSERT_LT(flushes, 20) << "the old files were read before the test began, or never";
    database->Put(database->handles()[0], static_cast<uint64_t>(flushes) * 2000, 2000);
    database->Flush();
    ++flushes;
    if (flushes == 2) {
      // What is not known yet may take all of the limit.
      EXPECT_LT(8 * (database->filter_bytes() - old_bytes), 4u * 4000);
      EXPECT_LT(account->filter_bytes(), old_bytes);
    }
    if (flushes == 10) env_.delay_ms = 0;
    if (flushes > 10) std::this_thread::sleep_for(milliseconds(500));
  }
  EXPECT_GT(flushes, 2);
  ExpectExact(*account, database.get(), "the seed");
  const uint64_t bytes = database->filter_bytes();
  database->Put(database->handles()[0], 100000, 2000);
  database->Flush();
  EXPECT_GT(8 * (database->filter_bytes() - bytes), 9u * 2000) << "the limit is known to be far";
}

TEST_F(RocksDBAccountSeedTest, CountFilesReadsAll) {
  Make("db", 200);
  const auto account = NewFilterAccount();
  const auto database = Database("db", account);
  ASSERT_TRUE(database->Open().ok());
  env_.delay_ms = 1;
  database->Put(database->handles()[0], 0, 1);
  database->Flush();
  EXPECT_TRUE(account->CountFiles(database->db()));
  EXPECT_EQ(account->num_keys(), 200u * kKeysOfFile + 1);
}

// Databases, accounts and policies end in any order while files are read.
TEST_F(RocksDBAccountSeedTest, EverythingMayEndMeanwhile) {
  Make("one", 300);
  Make("two", 300);
  for (int round = 0; round < 4; ++round) {
    auto account = NewFilterAccount();
    auto one = Database("one", account);
    auto two = Database("two", account);
    std::shared_ptr<const rocksdb::FilterPolicy> policy =
        one->options().table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
    ASSERT_TRUE(one->Open().ok());
    ASSERT_TRUE(two->Open().ok());
    env_.delay_ms = 20;
    one->Create("family" + std::to_string(round));
    for (AccountedDatabase* const database : {one.get(), two.get()}) {
      for (Handle* const handle : database->handles()) database->Put(handle, 0, 500);
      database->Flush();
    }
    EXPECT_LT(account->num_keys(), 2u * 300 * kKeysOfFile);
    if (round % 2 == 0) account.reset();  // the databases still have it
    one->DropLast();
    const auto begin = Clock::now();
    one.reset();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3)) << "300 files take longer";
    two->Put(two->handles()[0], 500, 500);
    two->Flush();
    if (round == 1) policy.reset();
    two.reset();
    env_.delay_ms = 0;
    if (account != nullptr) {
      EXPECT_EQ(account->filter_bytes(), 0u);
      EXPECT_EQ(account->num_keys(), 0u);
    }
  }
  // The keys are there.
  const auto one = Database("one", nullptr);
  ASSERT_TRUE(one->Open().ok());
  std::string value;
  for (uint64_t i = 0; i < 500; i += 7) {
    ASSERT_TRUE(one->db()->Get({}, Key(i), &value).ok()) << "lost key " << i;
  }
}

}  // namespace
}  // namespace bloomline::tests
