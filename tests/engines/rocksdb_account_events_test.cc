// FilterAccount beside what databases do rarely, and what befalls them: a process that is killed,
// files without writes, other compaction styles, failures. Then it still equals the sum of
// TableProperties::filter_size of the live files.
//
// BLOOMLINE_TEST_ROUNDS in the environment: how many processes are killed (6).
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/metric_value.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

RocksDBFilterOptions Limited(uint64_t memory_bytes) {
  RocksDBFilterOptions filter;
  filter.format = Format::kCompact;
  filter.memory_bytes = memory_bytes;
  return filter;
}

class RocksDBAccountEventsTest : public testing::Test {
 protected:
  TempDir dir_;
  const std::shared_ptr<FilterAccount> account_ = NewFilterAccount();
};

// Independent of AccountedDatabase::filter_bytes: reads the files that the manifest has.
uint64_t BytesOfLiveFiles(rocksdb::DB* db, const rocksdb::Options& options) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  uint64_t bytes = 0;
  for (const auto& file : files) {
    rocksdb::SstFileReader reader(options);
    EXPECT_TRUE(reader.Open(file.db_path + file.name).ok()) << file.name;
    bytes += reader.GetTableProperties()->filter_size;
  }
  return bytes;
}

// The path of the database of a process that is to be killed.
constexpr char kVictim[] = "BLOOMLINE_TEST_VICTIM";

// Another process does this: a fork of one with databases lacks RocksDB's threads.
void WriteUntilKilled(const std::string& path) {
  AccountedDatabase database(path, NewFilterAccount(), Limited(20000));
  ASSERT_TRUE(database.Open().ok());
  if (database.handles().size() == 1) database.Create("second");
  std::mt19937_64 random(std::random_device{}());
  while (!testing::Test::HasFatalFailure()) {
    Handle* const handle = database.handles()[random() % 2];
    database.Put(handle, random() % 50000, 500);
    if (random() % 8 == 0) {
      ASSERT_TRUE(database.db()->Flush({}, handle).ok());
    }
    if (random() % 32 == 0) {
      ASSERT_TRUE(database.db()->CompactRange({}, handle, nullptr, nullptr).ok());
    }
  }
}

TEST_F(RocksDBAccountEventsTest, CountsTheFilesThatAKilledProcessLeaves) {
  if (const char* const path = std::getenv(kVictim)) return WriteUntilKilled(path);
  const char* const wanted = std::getenv("BLOOMLINE_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? Repetitions(6) : std::atoi(wanted);
  std::mt19937_64 random(3);
  const std::string path = dir_.Path("db");
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
      setenv(kVictim, path.c_str(), 1);
      setenv("TMPDIR", dir_.Path("").c_str(), 1);  // what it leaves goes with this test's folder
      execl("/proc/self/exe", "victim", "--gtest_filter=*KilledProcess*", nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 800));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << " ended before the kill: " << status;
    // Opening replays the log into files, which may be the first event.
    AccountedDatabase database(path, account_, Limited(20000));
    ASSERT_TRUE(database.Open().ok()) << "round " << round;
    ASSERT_TRUE(account_->CountFiles(database.db()));
    database.Wait();
    ExpectExact(*account_, &database, "round " + std::to_string(round));
    if (HasFatalFailure()) return;
    EXPECT_EQ(account_->filter_bytes(), BytesOfLiveFiles(database.db(), database.options()));
    database.Fill(50000 + 100 * static_cast<uint64_t>(round), 100);
    ExpectExact(*account_, &database, "a write after round " + std::to_string(round));
  }
}

TEST_F(RocksDBAccountEventsTest, CompactionStylesWithoutLevels) {
  for (const rocksdb::CompactionStyle style :
       {rocksdb::kCompactionStyleUniversal, rocksdb::kCompactionStyleFIFO}) {
    AccountedDatabase database(dir_.Path("db" + std::to_string(style)), account_, Limited(20000));
    rocksdb::Options& options = database.options();
    options.compaction_style = style;
    options.compaction_options_fifo.max_table_files_size = 200 << 10;
    options.compaction_options_fifo.allow_compaction = true;
    options.level0_file_num_compaction_trigger = 3;
    ASSERT_TRUE(database.Open().ok());
    uint64_t most = 0;
    for (uint64_t i = 0; i < 20; ++i) {
      database.Put(database.handles()[0], i * 1000, 1000);
      database.Flush();
      ExpectExact(*account_, &database, "step " + std::to_string(i));
      if (HasFatalFailure()) return;
      most = std::max(most, account_->filter_bytes());
    }
    if (style == rocksdb::kCompactionStyleFIFO) {
      EXPECT_LT(account_->num_keys(), 15000u) << "FIFO deleted no file";
    } else {
      EXPECT_NEAR(static_cast<double>(account_->num_keys()), 20000, 100);
    }
    EXPECT_LT(most, 40000u);
  }
}

TEST_F(RocksDBAccountEventsTest, AFailedCompactionChangesNothing) {
  // Writes of tables fail while `fails` is set.
  class FailingEnv : public rocksdb::EnvWrapper {
   public:
    using EnvWrapper::EnvWrapper;
    rocksdb::Status NewWritableFile(const std::string& name,
                                    std::unique_ptr<rocksdb::WritableFile>* file,
                                    const rocksdb::EnvOptions& options) override {
      const bool is_table = name.size() > 4 && name.compare(name.size() - 4, 4, ".sst") == 0;
      if (is_table && --tables_left == 0) return rocksdb::Status::IOError("injected");
      return EnvWrapper::NewWritableFile(name, file, options);
    }
    std::atomic<int> tables_left{0};
  } env(rocksdb::Env::Default());
  AccountedDatabase database(dir_.Path("db"), account_, Limited(20000));
  database.options().env = &env;
  database.options().disable_auto_compactions = true;
  ASSERT_TRUE(database.Open().ok());
  for (uint64_t i = 0; i < 4; ++i) {
    database.Put(database.handles()[0], i * 1000, 3000);
    database.Flush();
  }
  ExpectExact(*account_, &database, "writes");
  env.tables_left = 3;  // two outputs are written, the third is not
  EXPECT_FALSE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_LE(env.tables_left, 0) << "the fault was not reached";
  ExpectExact(*account_, &database, "a failed compaction");
  env.tables_left = 0;
  database.Close();  // RocksDB writes no more after such an error
  ASSERT_TRUE(database.Open().ok());
  ASSERT_TRUE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "the next compaction");
  EXPECT_NEAR(static_cast<double>(account_->num_keys()), 6000, 100);
}

TEST_F(RocksDBAccountEventsTest, ACheckpointIsADatabaseOfItsOwn) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(20000));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 10000);
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(database.db(), &checkpoint).ok());
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  ASSERT_TRUE(checkpoint->CreateCheckpoint(dir_.Path("copy")).ok());
  ExpectExact(*account_, &database, "a checkpoint");
  AccountedDatabase copy(dir_.Path("copy"), account_, Limited(20000));
  ASSERT_TRUE(copy.Open().ok());
  ASSERT_TRUE(account_->CountFiles(copy.db()));
  ExpectExact(*account_, {&database, &copy}, "the count of a copy");
  // Both have the same file numbers.
  copy.Fill(20000, 3000);
  database.Fill(30000, 2000);
  ExpectExact(*account_, {&database, &copy}, "writes to both");
  copy.Close();
  ExpectExact(*account_, &database, "the end of the copy");
}

TEST_F(RocksDBAccountEventsTest, AFamilyMayBeDroppedAndMadeAtAnyTime) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(30000));
  ASSERT_TRUE(database.Open().ok());
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (uint64_t i = 0; !ends; i += 100) database.Put(database.handles()[0], i, 100);
  });
  for (int round = 0; round < Repetitions(8); ++round) {
    Handle* handle = nullptr;
    const std::string name = "family" + std::to_string(round);
    ASSERT_TRUE(database.db()->CreateColumnFamily(database.options(), name, &handle).ok());
    database.Put(handle, 0, 4000);
    EXPECT_TRUE(database.db()->Flush({}, handle).ok());
    database.Put(handle, 2000, 2000);
    EXPECT_TRUE(database.db()->DropColumnFamily(handle).ok());  // maybe during a compaction
    // A dropped family has its files until its handle is gone.
    EXPECT_TRUE(database.db()->DestroyColumnFamilyHandle(handle).ok());
  }
  ends = true;
  writer.join();
  database.Flush();
  database.Wait();
  // The file of a flush whose family is dropped meanwhile stays on the disk, and counts until the
  // database is closed: at most one in each round, of 2,000 keys.
  constexpr uint64_t kBytesOfFlush = 2000 * 11 / 8;
  const uint64_t bytes = database.filter_bytes();
  const uint64_t most = bytes + static_cast<uint64_t>(Repetitions(8)) * kBytesOfFlush;
  uint64_t counted = 0;
  for (int waits = 0; waits < 400; ++waits) {
    counted = account_->filter_bytes();
    if (counted >= bytes && counted <= most) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(counted, bytes);
  EXPECT_LE(counted, most);
  database.Close();
  EXPECT_EQ(account_->filter_bytes(), 0u);
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The metrics and the LOG say what the account has, and which limit took bits.
TEST_F(RocksDBAccountEventsTest, MetricsAndTheLogHaveTheBytes) {
  constexpr char kBytes[] = "bloomline_filter_memory_bytes";
  constexpr char kLimit[] = "bloomline_filter_memory_limit_bytes";
  constexpr char kLimited[] = "bloomline_filters_limited_total";
  RocksDBFilterOptions filter = Limited(20000);
  filter.bits_per_key = 13.5;  // no other policy's text
  filter.max_filter_bytes = 700;
  const double by_memory = MetricValue(kLimited, "limit=\"memory\"");
  const double by_filter = MetricValue(kLimited, "limit=\"max_filter_bytes\"");
  {
    AccountedDatabase database(dir_.Path("db"), account_, filter);
    ASSERT_TRUE(database.Open().ok());
    database.Fill(0, 5000);
    EXPECT_EQ(MetricValue(kLimited, "limit=\"memory\""), by_memory);
    EXPECT_GT(MetricValue(kLimited, "limit=\"max_filter_bytes\""), by_filter);
    database.Fill(5000, 25000);
    ExpectExact(*account_, &database, "writes");
    EXPECT_EQ(MetricValue(kBytes, "compact:13.5"), static_cast<double>(account_->filter_bytes()));
    EXPECT_EQ(MetricValue(kLimit, "compact:13.5"), 20000);
    EXPECT_GT(MetricValue(kLimited, "limit=\"memory\""), by_memory);
    // A second account of the same policy adds to it.
    const auto other = NewFilterAccount();
    AccountedDatabase second(dir_.Path("second"), other, filter);
    ASSERT_TRUE(second.Open().ok());
    second.Fill(0, 2000);
    EXPECT_EQ(MetricValue(kBytes, "compact:13.5"),
              static_cast<double>(account_->filter_bytes() + other->filter_bytes()));
    EXPECT_EQ(MetricValue(kLimit, "compact:13.5"), 40000);
    second.Close();
    EXPECT_EQ(MetricValue(kBytes, "compact:13.5"), static_cast<double>(account_->filter_bytes()));
  }
  EXPECT_EQ(MetricValue(kBytes, "compact:13.5"), 0);
  const std::string log = TextOf(dir_.Path("db") + "/LOG");
  EXPECT_NE(log.find("bloomline: files counted: the filters of the live files take 0 bytes"),
            std::string::npos);
  EXPECT_NE(log.find("bloomline: max_filter_bytes=700 gives a filter of "), std::string::npos);
  EXPECT_NE(log.find("bloomline: database closed: the filters of the live files take "),
            std::string::npos);
}

TEST_F(RocksDBAccountEventsTest, ARunningDatabaseTakesAnotherLimit) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(100000));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 20000);
  const auto compact = [&] {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(database.db()->CompactRange(all, nullptr, nullptr).ok());
    ExpectExact(*account_, &database, "a compaction");
  };
  const auto set_memory = [&](const std::string& memory) {
    return database.db()->SetOptions(
        {{"block_based_table_factory",
          "{filter_policy={id=bloomline;format=compact;memory=" + memory + "};}"}});
  };
  compact();
  EXPECT_GT(account_->filter_bytes(), 23000u);  // 10 bits per key
  ASSERT_TRUE(set_memory("12KiB").ok());
  compact();
  // All keys are in the last level, which gets its share for a database of many levels.
  EXPECT_LT(account_->filter_bytes(), 12u << 10);
  EXPECT_GT(account_->filter_bytes(), 8000u);
  const std::string limit = "bloomline_filter_memory_limit_bytes";
  EXPECT_EQ(MetricValue(limit, "policy=\"compact:10\""), 12 << 10);
  ASSERT_TRUE(set_memory("0").ok());
  compact();
  EXPECT_GT(account_->filter_bytes(), 23000u);
  std::string value;
  for (uint64_t i = 0; i < 20000; i += 7) {
    ASSERT_TRUE(database.db()->Get({}, Key(i), &value).ok()) << "lost key " << i;
  }
}

}  // namespace
}  // namespace bloomline::tests
