// What RocksDB does to files without an event that says so, or with one that says little: the
// account of files has them at their levels nevertheless, or once the next job begins.
//
// BLOOMLINE_ACCOUNT_FILES in the environment: the files of the database whose listing is timed
// (300).
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/experimental.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_account_events_test {
namespace {

std::string Ordered(uint64_t i) {
  char key[24];
  std::snprintf(key, sizeof(key), "%016llu", static_cast<unsigned long long>(i));
  return key;
}

class FailingEnv : public rocksdb::EnvWrapper {
 public:
  FailingEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    const bool is_table = name.size() > 4 && name.compare(name.size() - 4, 4, ".sst") == 0;
    if (is_table && tables_left >= 0 && tables_left-- == 0) {
      return rocksdb::Status::IOError("no further table");
    }
    return EnvWrapper::NewWritableFile(name, file, options);
  }

  std::atomic<int> tables_left{-1};  // negative: any number
};

class RocksDBAccountEventsTest : public testing::Test {
 protected:
  RocksDBAccountEventsTest() { database_.options().disable_auto_compactions = true; }

  // A file of n ordered keys in level 0.
  void FlushOrdered(uint64_t first, uint64_t n) {
    for (uint64_t i = first; i < first + n; ++i) {
      ASSERT_TRUE(database_.db()->Put({}, Ordered(i), "a value of some length").ok());
    }
    ASSERT_TRUE(database_.db()->Flush({}).ok());
  }
  // Into one level, with or without rewriting.
  rocksdb::Status CompactTo(int level) {
    rocksdb::CompactRangeOptions options;
    options.change_level = true;
    options.target_level = level;
    return database_.db()->CompactRange(options, nullptr, nullptr);
  }
  void Expect(const std::string& after) {
    ExpectLevels(account_.get(), &database_, after);
    ExpectExact(*account_, {&database_}, after);
  }
  // The level where the account has most keys, and these keys.
  std::pair<int, double> Described() {
    engine::FileCreation creation;
    creation.database = database_.db()->GetName();
    creation.family = "default";
    filter::TreeFill tree;
    filter::NewFilter file;
    std::pair<int, double> most{-1, 0};
    if (!FilesIn(account_.get())->Describe(creation, 0, 8, true, &tree, &file)) return most;
    for (size_t i = 0; i < tree.levels.size(); ++i) {
      if (tree.levels[i].keys > most.second) most = {static_cast<int>(i), tree.levels[i].keys};
    }
    return most;
  }
  int LevelOfFiles() {
    std::vector<rocksdb::LiveFileMetaData> files;
    database_.db()->GetLiveFilesMetaData(&files);
    return files.empty() ? -1 : files[0].level;
  }
  size_t NumFiles() {
    std::vector<rocksdb::LiveFileMetaData> files;
    database_.db()->GetLiveFilesMetaData(&files);
    return files.size();
  }
  void IngestFiles(int num_files) {
    std::vector<std::string> paths;
    for (int i = 0; i < num_files; ++i) {
      paths.push_back(dir_.Path("file" + std::to_string(i)));
      rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database_.options());
      ASSERT_TRUE(writer.Open(paths.back()).ok());
      const auto first = static_cast<uint64_t>(i) * 10;
      for (uint64_t key = 0; key < 10; ++key) {
        ASSERT_TRUE(writer.Put(Ordered(first + key), "value").ok());
      }
      ASSERT_TRUE(writer.Finish().ok());
    }
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    ASSERT_TRUE(database_.db()->IngestExternalFile(paths, ingest).ok());
  }

  TempDir dir_;
  const std::shared_ptr<FilterAccount> account_ = NewFilterAccount();
  FailingEnv env_;
  AccountedDatabase database_{dir_.Path("db"), account_};
};

// RocksDB names all inputs of a move, but leaves those in place that are at the output level.
TEST_F(RocksDBAccountEventsTest, MovesOfUniversalCompaction) {
  rocksdb::Options& options = database_.options();
  options.disable_auto_compactions = false;
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.compaction_options_universal.allow_trivial_move = true;
  options.compaction_options_universal.max_size_amplification_percent = 20;
  options.level0_file_num_compaction_trigger = 2;
  options.num_levels = 5;
  ASSERT_TRUE(database_.Open().ok());
  for (uint64_t i = 0; i < 20; ++i) {
    FlushOrdered(1000 * i, 1000);
    Expect("flush " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(account_->num_keys(), 20000u);
}

TEST_F(RocksDBAccountEventsTest, ChangedLevelsAreListedAfterTheNextCompaction) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 1000);
  ASSERT_TRUE(CompactTo(4).ok());
  ASSERT_EQ(LevelOfFiles(), 4);
  ASSERT_NE(Described().first, 4) << "does this RocksDB tell listeners of it?";
  FlushOrdered(500, 1000);
  ASSERT_TRUE(database_.db()->CompactRange({}, nullptr, nullptr).ok());
  FlushOrdered(500, 1000);
  Expect("a compaction");
}

TEST_F(RocksDBAccountEventsTest, PromotedFilesAreListedAfterTheNextCompaction) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 1000);
  FlushOrdered(1000, 1000);
  ASSERT_TRUE(rocksdb::experimental::PromoteL0(database_.db(), database_.handles()[0], 3).ok());
  ASSERT_EQ(LevelOfFiles(), 3);
  ASSERT_EQ(Described().first, 0) << "does this RocksDB tell listeners of it?";
  EXPECT_TRUE(account_->CountFiles(database_.db()));
  Expect("CountFiles");
}

TEST_F(RocksDBAccountEventsTest, IngestedFilesAreListedWithTheNextJob) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(100000, 10);
  IngestFiles(20);
  EXPECT_EQ(account_->num_keys(), 210u);
  EXPECT_EQ(account_->filter_bytes(), database_.filter_bytes());
  FlushOrdered(200000, 10);
  Expect("a flush");
}

// CompactFiles has no event of its own.
TEST_F(RocksDBAccountEventsTest, FilesOfCompactFilesHaveLevels) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 1000);
  FlushOrdered(500, 1000);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;
  std::vector<std::string> names;
  std::vector<rocksdb::LiveFileMetaData> files;
  database_.db()->GetLiveFilesMetaData(&files);
  for (const auto& file : files) names.push_back(file.name);
  ASSERT_TRUE(database_.db()->CompactFiles(options, names, 3).ok());
  ASSERT_EQ(LevelOfFiles(), 3);
  Expect("CompactFiles");
}

TEST_F(RocksDBAccountEventsTest, ImportedFilesAreFoundInTheirCompaction) {
  ASSERT_TRUE(database_.Open().ok());
  for (uint64_t i = 0; i < 3; ++i) FlushOrdered(500 * i, 1000);
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(database_.db(), &checkpoint).ok());
  const std::unique_ptr<rocksdb::Checkpoint> owned_checkpoint(checkpoint);
  rocksdb::ExportImportFilesMetaData* files = nullptr;
  ASSERT_TRUE(
      checkpoint->ExportColumnFamily(database_.handles()[0], dir_.Path("export"), &files).ok());
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> owned_files(files);
  database_.Import("import", *files);
  EXPECT_EQ(account_->num_keys(), 3000u);
  ASSERT_TRUE(CompactAll(database_.db(), database_.handles()[1]).ok());
  Expect("a compaction");
}

// RocksDB reads the properties of all files at Open only if it keeps all files open.
TEST_F(RocksDBAccountEventsTest, KeysOfOldFilesAreGuessedIfRocksDBHasNotCountedThem) {
  rocksdb::Options& options = database_.options();
  options.max_open_files = 20;
  options.skip_stats_update_on_db_open = true;
  ASSERT_TRUE(database_.Open().ok());
  for (uint64_t i = 0; i < 50; ++i) FlushOrdered(1000 * i, 1000);
  ASSERT_TRUE(CompactAll(database_.db()).ok());
  FlushOrdered(0, 1000);
  const auto [level, keys] = Described();
  EXPECT_EQ(keys, 50000);
  database_.Close();
  ASSERT_TRUE(database_.Open().ok());
  std::vector<rocksdb::LiveFileMetaData> files;
  database_.db()->GetLiveFilesMetaData(&files);
  uint64_t num_unknown = 0;
  for (const auto& file : files) num_unknown += file.num_entries == 0 ? 1 : 0;
  std::printf("%zu of %zu files have no number of entries\n", static_cast<size_t>(num_unknown),
              files.size());
  FlushOrdered(0, 1000);
  const auto [level_again, keys_again] = Described();
  EXPECT_EQ(level_again, level);
  EXPECT_NEAR(keys_again, keys, 0.1 * keys);
  EXPECT_NEAR(static_cast<double>(account_->num_keys()), 52000, 5200);
}

// Old files count at once, with what was promised for them.
TEST_F(RocksDBAccountEventsTest, FilesAreAssumedAfterOpen) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 3000);
  ASSERT_TRUE(CompactAll(database_.db()).ok());
  const std::string before = LevelsIn(&database_);
  // Keys in the log are written into files before the first event.
  ASSERT_TRUE(database_.db()->Put({}, Ordered(5000), "value").ok());
  database_.Close();
  EXPECT_EQ(FilesIn(account_.get())->num_kept(), 0u);
  ASSERT_TRUE(database_.Open().ok());
  EXPECT_EQ(Described().first, -1) << "no event yet";
  FlushOrdered(0, 10);
  EXPECT_EQ(Described().second, 3000);
  EXPECT_EQ(account_->num_keys(), 3011u);
  EXPECT_TRUE(account_->CountFiles(database_.db()));
  Expect("CountFiles");
}

TEST_F(RocksDBAccountEventsTest, FailedJobsLeaveNothing) {
  database_.options().env = &env_;
  ASSERT_TRUE(database_.Open().ok());
  for (uint64_t i = 0; i < 4; ++i) FlushOrdered(500 * i, 1000);
  for (const bool is_flush : {false, true, false}) {
    ASSERT_TRUE(database_.db()->Put({}, Ordered(1), "value").ok());
    env_.tables_left = is_flush ? 0 : 2;
    const rocksdb::Status status =
        is_flush ? database_.db()->Flush({}) : CompactAll(database_.db());
    EXPECT_FALSE(status.ok());
    env_.tables_left = -1;
    ExpectLevels(account_.get(), &database_, "a failed job");
    EXPECT_EQ(FilesIn(account_.get())->sums().pending_keys, 0u);
    EXPECT_EQ(FilesIn(account_.get())->num_kept(), 2 + NumFiles()) << "a database and a family";
    // The database refuses writes.
    database_.Close();
    ASSERT_TRUE(database_.Open().ok());
    ASSERT_TRUE(account_->CountFiles(database_.db()));
  }
  ASSERT_TRUE(CompactAll(database_.db()).ok());
  Expect("a compaction");
}

// A family that is dropped keeps its files for as long as somebody reads them.
TEST_F(RocksDBAccountEventsTest, DroppedFamiliesGoWithTheirFiles) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 1000);
  for (int round = 0; round < 5; ++round) {
    database_.Create("family");
    database_.Put(database_.handles()[1], 0, 1000);
    database_.Flush();
    const size_t kept = FilesIn(account_.get())->num_kept();
    std::unique_ptr<rocksdb::Iterator> reader(
        database_.db()->NewIterator({}, database_.handles()[1]));
    database_.Drop(1);
    EXPECT_EQ(FilesIn(account_.get())->num_kept(), kept);
    reader.reset();
    Expect("a dropped family");
    EXPECT_EQ(FilesIn(account_.get())->num_kept(), 2 + NumFiles()) << "a database and a family";
  }
  std::unique_ptr<rocksdb::Iterator> former;
  for (int round = 0; round < 5; ++round) {
    database_.Create("family");
    database_.Put(database_.handles()[1], 0, 1000);
    database_.Flush();
    Expect("another family of this name");
    former.reset(database_.db()->NewIterator({}, database_.handles()[1]));
    database_.Drop(1);
  }
}

// A second instance has no files of its own.
TEST_F(RocksDBAccountEventsTest, ReadOnlyAndSecondaryInstancesChangeNothing) {
  ASSERT_TRUE(database_.Open().ok());
  FlushOrdered(0, 1000);
  std::unique_ptr<rocksdb::DB> reader, secondary;
  ASSERT_TRUE(OpenRocksDBReadOnly(database_.options(), dir_.Path("db"), &reader).ok());
  ASSERT_TRUE(
      OpenRocksDBSecondary(database_.options(), dir_.Path("db"), dir_.Path("secondary"), &secondary)
          .ok());
  FlushOrdered(1000, 1000);
  ASSERT_TRUE(CompactAll(database_.db()).ok());
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  Expect("a compaction");
  reader.reset();
  secondary.reset();
  FlushOrdered(2000, 1000);
  Expect("their end");
  EXPECT_EQ(account_->num_keys(), 3000u);
}

// Everything at once: no deadlock, no data race, and the sums are right in the end.
TEST_F(RocksDBAccountEventsTest, ManyThreads) {
  rocksdb::Options& options = database_.options();
  options.disable_auto_compactions = false;
  options.max_background_jobs = 4;
  options.max_subcompactions = 2;
  AccountedDatabase other(dir_.Path("other"), account_, Limited(20000));
  ASSERT_TRUE(database_.Open().ok());
  ASSERT_TRUE(other.Open().ok());
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  const auto repeat = [&](const std::function<void(uint64_t)>& work) {
    threads.emplace_back([&ends, work] {
      for (uint64_t i = 0; !ends; ++i) work(i);
    });
  };
  repeat([&](uint64_t i) { database_.Put(database_.handles()[0], i % 50 * 1000, 1000); });
  repeat([&](uint64_t i) { other.Put(other.handles()[0], i % 50 * 1000, 1000); });
  repeat([&](uint64_t) { database_.db()->Flush({}).PermitUncheckedError(); });
  repeat([&](uint64_t) { CompactAll(other.db()).PermitUncheckedError(); });
  repeat([&](uint64_t) { account_->CountFiles(database_.db()); });
  repeat([&](uint64_t) {
    account_->CountFiles(other.db());
    account_->num_keys();
    Described();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(Repetitions(1500, 1)));
  ends = true;
  for (std::thread& thread : threads) thread.join();
  for (AccountedDatabase* const database : {&database_, &other}) {
    database->Flush();
    database->Wait();
  }
  ASSERT_TRUE(account_->CountFiles(other.db()));
  ExpectExact(*account_, {&database_, &other}, "everything");
  ExpectLevels(account_.get(), &database_, "everything");
  ExpectLevels(account_.get(), &other, "everything");
}

TEST_F(RocksDBAccountEventsTest, ManyFilesAreListedInAShortTime) {
  const char* const wanted = std::getenv("BLOOMLINE_ACCOUNT_FILES");
  const int num_files = wanted == nullptr ? 300 : std::atoi(wanted);
  ASSERT_TRUE(database_.Open().ok());
  IngestFiles(num_files);
  database_.Close();
  ASSERT_TRUE(database_.Open().ok());
  ASSERT_TRUE(database_.db()->Put({}, "key", "value").ok());
  using Clock = std::chrono::steady_clock;
  rocksdb::FlushJobInfo info;
  const auto start = Clock::now();
  account_->OnFlushBegin(database_.db(), info);
  const std::chrono::duration<double, std::milli> time = Clock::now() - start;
  std::printf("%d files are listed in %.2f ms\n", num_files, time.count());
  EXPECT_EQ(account_->num_keys(), static_cast<uint64_t>(num_files) * 10);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_account_events_test
