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
#include <future>
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

TEST_F(RocksDBAccountEventsTest, DatabasesWithoutWritesAreNotCounted) {
  const std::string path = dir_.Path("db");
  AccountedDatabase database(path, account_, Limited(20000));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 10000);
  const uint64_t bytes = account_->filter_bytes();
  const auto other = NewFilterAccount();
  rocksdb::Options options = database.options();
  options.listeners = {other};
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(OpenRocksDBSecondary(options, path, dir_.Path("secondary"), &db).ok());
  database.Fill(20000, 5000);
  ASSERT_TRUE(db->TryCatchUpWithPrimary().ok());
  std::string value;
  EXPECT_TRUE(db->Get({}, Key(20001), &value).ok());
  EXPECT_EQ(other->filter_bytes(), 0u);
  db.reset();
  EXPECT_GT(account_->filter_bytes(), bytes);
  ExpectExact(*account_, &database, "a secondary");
  database.Close();
  ASSERT_TRUE(OpenRocksDBReadOnly(options, path, &db).ok());
  EXPECT_TRUE(db->Get({}, Key(1), &value).ok());
  EXPECT_EQ(other->filter_bytes(), 0u);
  // They are counted if the program asks.
  EXPECT_TRUE(other->CountFiles(db.get()));
  EXPECT_EQ(other->filter_bytes(), BytesOfLiveFiles(db.get(), options));
  db.reset();
  EXPECT_EQ(other->filter_bytes(), 0u);
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
  const uint64_t bytes = account_->filter_bytes();
  env.tables_left = 3;  // two outputs are written, the third is not
  EXPECT_FALSE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_LE(env.tables_left, 0) << "the fault was not reached";
  EXPECT_EQ(account_->filter_bytes(), bytes);
  ExpectExact(*account_, &database, "a failed compaction");
  env.tables_left = 0;
  database.Close();  // RocksDB writes no more after such an error
  ASSERT_TRUE(database.Open().ok());
  ASSERT_TRUE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "the next compaction");
  EXPECT_NEAR(static_cast<double>(account_->num_keys()), 6000, 100);
}

TEST_F(RocksDBAccountEventsTest, MovedFilesStayCounted) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(1 << 20));
  database.options().level_compaction_dynamic_level_bytes = false;
  ASSERT_TRUE(database.Open().ok());
  char key[20];
  for (int i = 0; i < 20000; ++i) {  // in order, so that files are moved down
    std::snprintf(key, sizeof(key), "%012d", i);
    ASSERT_TRUE(database.db()->Put({}, key, "a value of some length").ok());
    if (i % 1000 == 999) database.Flush();
  }
  database.Wait();
  ASSERT_TRUE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "moves");
  EXPECT_EQ(account_->num_keys(), 20000u);
  EXPECT_EQ(account_->filter_bytes(), BytesOfLiveFiles(database.db(), database.options()));
}

TEST_F(RocksDBAccountEventsTest, DeletedRangesOfFilesAreNotCounted) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(1 << 20));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 20000);
  ASSERT_TRUE(database.db()->CompactRange({}, nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "writes");
  const uint64_t before = account_->filter_bytes();
  const rocksdb::Slice low("\x20", 1), middle("\x60", 1), high("\xa0", 1);
  const rocksdb::RangePtr ranges[] = {{nullptr, &low}, {&middle, &high}};
  ASSERT_TRUE(rocksdb::DeleteFilesInRanges(database.db(), database.handles()[0], ranges, 2).ok());
  ExpectExact(*account_, &database, "DeleteFilesInRanges");
  EXPECT_LT(account_->filter_bytes(), before * 3 / 4);
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
  ExpectExact(*account_, &database, "families");
}

// RocksDB leaves the file of such a flush on the disk, without a word.
TEST_F(RocksDBAccountEventsTest, AFlushIsNotLiveIfItsFamilyIsDroppedMeanwhile) {
  // Holds the first flush of `family` between its file and its end.
  class Holding : public rocksdb::EventListener {
   public:
    void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
      if (info.cf_name != "family") return;
      written.set_value();
      goes_on.get_future().wait();
    }
    std::promise<void> written, goes_on;
  };
  const auto holding = std::make_shared<Holding>();
  AccountedDatabase database(dir_.Path("db"), account_, Limited(30000));
  database.options().listeners.push_back(holding);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 1000);
  Handle* handle = nullptr;
  ASSERT_TRUE(database.db()->CreateColumnFamily(database.options(), "family", &handle).ok());
  database.Put(handle, 0, 500);
  std::thread flush([&] { EXPECT_FALSE(database.db()->Flush({}, handle).ok()); });
  holding->written.get_future().wait();
  EXPECT_TRUE(database.db()->DropColumnFamily(handle).ok());
  holding->goes_on.set_value();
  flush.join();
  EXPECT_TRUE(database.db()->DestroyColumnFamilyHandle(handle).ok());
  ExpectExact(*account_, &database, "a flush for nothing");
  EXPECT_EQ(account_->num_keys(), 1000u);
}

// RocksDB gives a number to the file of a flush, though it may write none.
TEST_F(RocksDBAccountEventsTest, AFlushOfNothingLeavesNoFile) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(30000));
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 1000);
  ExpectExact(*account_, &database, "a flush");
  const uint64_t bytes = account_->filter_bytes();
  rocksdb::FlushJobInfo info;
  info.file_number = 1000000;
  account_->OnFlushCompleted(database.db(), info);
  EXPECT_EQ(account_->filter_bytes(), bytes);
  // If the number were known, the properties would come too late.
  info.table_properties.filter_size = 77;
  info.table_properties.num_entries = 70;
  account_->OnFlushCompleted(database.db(), info);
  EXPECT_EQ(account_->filter_bytes(), bytes + 77);
  // A key that is written and deleted at once.
  ASSERT_TRUE(database.db()->Put({}, "key", "value").ok());
  ASSERT_TRUE(database.db()->SingleDelete({}, "key").ok());
  ASSERT_TRUE(database.db()->Flush({}).ok());
  EXPECT_EQ(account_->filter_bytes(), bytes + 77);
}

// The first of two flushes records the files of both, and fails at the second: RocksDB then reports
// the end of neither.
TEST_F(RocksDBAccountEventsTest, AFlushWithoutAWordIsCountedAfterTheRecovery) {
  enum Step { kNone, kHold, kHeld, kGoOn, kFail };
  static std::atomic<Step> step;  // of the writes of the MANIFEST
  step = kNone;
  class Manifest : public rocksdb::WritableFileWrapper {
   public:
    explicit Manifest(std::unique_ptr<rocksdb::WritableFile> file)
        : WritableFileWrapper(file.get()), file_(std::move(file)) {}
    rocksdb::Status Append(const rocksdb::Slice& data) override {
      Step expected = kHold;
      if (step.compare_exchange_strong(expected, kHeld)) {
        while (step == kHeld) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (step == kFail) return rocksdb::Status::NoSpace("injected");
      return file_->Append(data);
    }
    rocksdb::Status Sync() override {
      Step expected = kGoOn;
      const rocksdb::Status status = file_->Sync();
      step.compare_exchange_strong(expected, kFail);
      return status;
    }

   private:
    const std::unique_ptr<rocksdb::WritableFile> file_;
  };
  class ManifestEnv : public rocksdb::EnvWrapper {
   public:
    using EnvWrapper::EnvWrapper;
    rocksdb::Status NewWritableFile(const std::string& name,
                                    std::unique_ptr<rocksdb::WritableFile>* file,
                                    const rocksdb::EnvOptions& options) override {
      const rocksdb::Status status = EnvWrapper::NewWritableFile(name, file, options);
      if (status.ok() && name.find("MANIFEST") != std::string::npos) {
        *file = std::make_unique<Manifest>(std::move(*file));
      }
      return status;
    }
  } env(rocksdb::Env::Default());
  AccountedDatabase database(dir_.Path("db"), account_, Limited(30000));
  database.options().env = &env;
  database.options().max_background_flushes = 2;
  database.options().max_background_compactions = 1;
  database.options().max_write_buffer_number = 8;
  database.options().write_buffer_size = 1 << 20;
  database.options().disable_auto_compactions = true;
  env.SetBackgroundThreads(3, rocksdb::Env::HIGH);
  ASSERT_TRUE(database.Open().ok());
  rocksdb::FlushOptions at_once;
  at_once.wait = false;
  at_once.allow_write_stall = true;
  step = kHold;
  database.Put(database.handles()[0], 0, 1000);
  ASSERT_TRUE(database.db()->Flush(at_once).ok());
  while (step != kHeld) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  database.Put(database.handles()[0], 1000, 2000);
  ASSERT_TRUE(database.db()->Flush(at_once).ok());
  // Until the second flush waits for the first, of which RocksDB has no sign. A shorter time would
  // only be another case, without the lost report.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  step = kGoOn;
  for (int waits = 0; step != kFail && waits < 2000; ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(step, kFail);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  step = kNone;
  // RocksDB may be recovering at the same time.
  while (!database.db()->Put({}, "key", "value").ok()) {
    database.db()->Resume();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  database.Put(database.handles()[0], 5000, 99);
  database.Flush();
  ExpectExact(*account_, &database, "the recovery");
  EXPECT_EQ(account_->num_keys(), 3100u);
}

// Events that bring files, though nothing was counted before: they must not outlive the database.
TEST_F(RocksDBAccountEventsTest, WhateverTheFirstEventIsNothingStaysAfterTheEnd) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(30000));
  database.options().avoid_flush_during_shutdown = true;
  database.options().disable_auto_compactions = true;
  const auto reopen = [&] {
    database.Close();
    EXPECT_EQ(account_->filter_bytes(), 0u);
    EXPECT_TRUE(database.Open().ok());
  };
  ASSERT_TRUE(database.Open().ok());
  database.Put(database.handles()[0], 0, 1000);
  reopen();  // the log is replayed into a file
  EXPECT_GT(database.filter_bytes(), 0u);
  reopen();
  const std::string path = dir_.Path("ingested.sst");
  rocksdb::SstFileWriter writer({}, database.options());
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 100; i < 500; ++i) ASSERT_TRUE(writer.Put("key " + std::to_string(i), "value").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(database.db()->IngestExternalFile({path}, {}).ok());
  ExpectExact(*account_, &database, "an ingested file");
  EXPECT_EQ(account_->num_keys(), 1400u);
  reopen();
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db()->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 2u);
  const rocksdb::Status status = database.db()->CompactFiles({}, {files[0].name, files[1].name}, 6);
  ASSERT_TRUE(status.ok()) << status.ToString();
  // 7.8 says nothing of the beginning and the end of this.
  ASSERT_TRUE(account_->CountFiles(database.db()));
  ExpectExact(*account_, &database, "CompactFiles");
  EXPECT_EQ(account_->num_keys(), 1400u);
  reopen();
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

// An alert waits for an hour, in which many files are written.
TEST_F(RocksDBAccountEventsTest, NoOtherFamilyMovesTheMetrics) {
  constexpr char kBytes[] = "bloomline_filter_memory_bytes";
  constexpr char kLimit[] = "bloomline_filter_memory_limit_bytes";
  RocksDBFilterOptions filter = Limited(20000);
  filter.bits_per_key = 11.5;  // no other policy's text
  AccountedDatabase database(dir_.Path("db"), account_, filter);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 1000);
  const auto create = [&](const std::string& name, const RocksDBFilterOptions& options) {
    rocksdb::ColumnFamilyOptions family = database.options();
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBFilterPolicy(options);
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    Handle* handle = nullptr;
    EXPECT_TRUE(database.db()->CreateColumnFamily(family, name, &handle).ok());
    return handle;
  };
  const auto expect_shown = [&](Handle* written, double limit, const std::string& after) {
    if (written != nullptr) {
      database.Put(written, 0, 1000);
      ASSERT_TRUE(database.db()->Flush({}, written).ok());
    }
    EXPECT_EQ(MetricValue(kLimit, "policy=\"compact:11.5\""), limit) << after;
    EXPECT_EQ(MetricValue(kLimit), limit) << after;
    EXPECT_EQ(MetricValue(kBytes) > 0, limit > 0) << after;
    if (limit > 0) {
      EXPECT_GT(MetricValue(kBytes, "policy=\"compact:11.5\""), 0) << after;
    }
  };
  expect_shown(nullptr, 20000, "the first file");
  RocksDBFilterOptions unlimited = filter;
  unlimited.memory_bytes = 0;
  Handle* const no_limit = create("without a limit", unlimited);
  expect_shown(no_limit, 20000, "a file without a limit, of the same text");
  RocksDBFilterOptions other = filter;
  other.bits_per_key = 12.5;
  Handle* const other_policy = create("another policy", other);
  expect_shown(other_policy, 20000, "a file of another policy with the same limit");
  other.memory_bytes = 30000;
  Handle* const other_limit = create("another limit", other);
  expect_shown(other_limit, 30000, "a file of another policy with another limit");
  expect_shown(database.handles()[0], 20000, "a file of the first policy");
  // What the first family has, it may give up.
  const rocksdb::Status status = database.db()->SetOptions(
      {{"block_based_table_factory",
        "{filter_policy={id=bloomline;format=compact;bits_per_key=11.5;memory=0};}"}});
  ASSERT_TRUE(status.ok()) << status.ToString();
  expect_shown(database.handles()[0], 0, "the first policy without a limit");
  for (Handle* const handle : {no_limit, other_policy, other_limit}) {
    EXPECT_TRUE(database.db()->DestroyColumnFamilyHandle(handle).ok());
  }
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
  EXPECT_EQ(MetricValue(limit, "policy=\"compact:10\""), 0);
  EXPECT_GT(account_->filter_bytes(), 23000u);
  std::string value;
  for (uint64_t i = 0; i < 20000; i += 7) {
    ASSERT_TRUE(database.db()->Get({}, Key(i), &value).ok()) << "lost key " << i;
  }
}

}  // namespace
}  // namespace bloomline::tests
