// Bits by level keep their promise in databases that do more than to write, flush and compact.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/natural_database.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/level_life.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_promised_databases_test {
namespace {

using bench::Compaction;

constexpr PromisedFilters kFilters = kPromisedFilters[0];
const double kPromised = kFilters.memory_bits();

// A flush of so many keys has a filter of whole blocks at 10 bits per key.
constexpr uint64_t kFlushKeys = 2048;

std::string Ascending(uint64_t i) { return std::to_string(1000000000 + i); }

// A database that remembers what was written to each of its families.
class PromisedDatabase : public AccountedDatabase {
 public:
  PromisedDatabase(const std::string& path, std::shared_ptr<FilterAccount> account)
      : AccountedDatabase(path, std::move(account), kFilters.options()) {
    options().write_buffer_size = 256 << 10;
    options().target_file_size_base = 128 << 10;
    options().max_bytes_for_level_base = 256 << 10;
  }

  void Set(Compaction compaction) {
    options().level_compaction_dynamic_level_bytes = compaction == Compaction::kDynamicLevels;
    is_universal_ = compaction == Compaction::kUniversal;
    if (is_universal_) options().compaction_style = rocksdb::kCompactionStyleUniversal;
  }
  void Use(const Policy& policy) { options().table_factory = WithPolicy(policy).table_factory; }

  void PutRandom(Handle* family, uint64_t n) {
    Put(family, num_random_[family->GetName()], n);
    num_random_[family->GetName()] += n;
  }
  void PutRandom(uint64_t n) { PutRandom(handles()[0], n); }
  void PutAscending(Handle* family, uint64_t n) {
    uint64_t& num = num_ascending_[family->GetName()];
    for (const uint64_t end = num + n; num < end; ++num) {
      ASSERT_TRUE(db()->Put({}, family, Ascending(num), "a value of some length").ok());
    }
  }
  void PutAscending(uint64_t n) { PutAscending(handles()[0], n); }
  // Keys before this one are gone.
  void ForgetRandom() { first_random_ = num_random_[handles()[0]->GetName()]; }

  // With universal compaction, one may stay pending that RocksDB does not begin.
  void Rest() {
    if (!is_universal_) return Wait();
    const auto is_running = [this](const std::string& property) {
      uint64_t value = 0;
      return db()->GetIntProperty(property, &value) && value != 0;
    };
    for (int quiet = 0; quiet < 20; ++quiet) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (is_running(rocksdb::DB::Properties::kNumRunningCompactions) ||
          is_running(rocksdb::DB::Properties::kNumRunningFlushes)) {
        quiet = 0;
      }
    }
  }

  void ExpectPromise(const std::string& state, double most = kMostOverPromise) {
    for (Handle* const family : handles()) {
      ExpectAtMost(most, kPromised, MemoryOf(db(), family), family->GetName() + ", " + state);
    }
  }
  // While compactions stop where they are, and when none is left to do.
  void ExpectPromiseTwice(const std::string& state, double most = kMostOverPromise) {
    ASSERT_TRUE(db()->PauseBackgroundWork().ok());
    ExpectPromise(state + ", load", most);
    ASSERT_TRUE(db()->ContinueBackgroundWork().ok());
    Flush();
    Rest();
    ExpectPromise(state + ", rest", most);
  }

  void ExpectNothingLost() {
    std::string value;
    for (Handle* const family : handles()) {
      const std::string& name = family->GetName();
      for (uint64_t i = 0; i < num_ascending_[name]; ++i) {
        ASSERT_TRUE(db()->Get({}, family, Ascending(i), &value).ok()) << name << ": lost " << i;
      }
      for (uint64_t i = family == handles()[0] ? first_random_ : 0; i < num_random_[name]; ++i) {
        ASSERT_TRUE(db()->Get({}, family, Key(i), &value).ok()) << name << ": lost key " << i;
      }
    }
  }

 private:
  bool is_universal_ = false;
  std::map<std::string, uint64_t> num_random_, num_ascending_;  // by family
  uint64_t first_random_ = 0;
};

class PromisedDatabasesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  }

  // As a new process opens it: policy and account have seen no file.
  void Reopen(PromisedDatabase* database) {
    database->Close();
    database->Use(NewRocksDBFilterPolicy(kFilters.options()));
    for (auto& listener : database->options().listeners) {
      if (listener == account_) listener = account_ = NewFilterAccount();
    }
    ASSERT_TRUE(database->Open().ok());
  }

  std::string Path(const std::string& name) const { return dir_.Path(name); }

  // A file of random keys from number `first` on.
  std::string MakeFile(const rocksdb::Options& options, uint64_t first, uint64_t n) {
    std::map<std::string, int> keys;
    for (uint64_t i = first; i < first + n; ++i) keys[Key(i)];
    return MakeFile(options, keys);
  }
  std::string MakeFile(const rocksdb::Options& options, const std::map<std::string, int>& keys) {
    const std::string path = Path("file" + std::to_string(num_files_++));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (const auto& [key, ignored] : keys) EXPECT_TRUE(writer.Put(key, "ingested").ok());
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }

  std::shared_ptr<FilterAccount> account_ = NewFilterAccount();

 private:
  const TempDir dir_;
  int num_files_ = 0;
};

class ReopenedTest : public PromisedDatabasesTest,
                     public testing::WithParamInterface<std::tuple<Style, bool>> {};
INSTANTIATE_TEST_SUITE_P(, ReopenedTest,
                         testing::Combine(testing::ValuesIn(kStyles), testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "" : "Alone");
                         });

// RocksDB moves files of ascending keys down as flushes wrote them, and each process knows nothing
// of those before.
TEST_P(ReopenedTest, AscendingKeysThenRandomOnes) {
  const auto& [style, has_account] = GetParam();
  PromisedDatabase database(Path("db"), has_account ? account_ : nullptr);
  database.Set(style.compaction);
  ASSERT_TRUE(database.Open().ok());
  for (int process = 0; process < 100; ++process) {
    if (process > 0) Reopen(&database);
    for (int flush = 0; flush < 3; ++flush) {
      database.PutAscending(kFlushKeys);
      database.Flush();
    }
    if (process % 20 != 0 && process != 99) continue;
    database.Rest();
    database.ExpectPromise("process " + std::to_string(process));
    if (HasFatalFailure()) return;
  }
  Reopen(&database);
  for (int step = 0; step < 4; ++step) {
    database.PutRandom(30000);
    const std::string state = "random keys, step " + std::to_string(step);
    if (has_account) {
      database.ExpectPromiseTwice(state);
      continue;
    }
    ExpectAtMost(kMostOverAlone, kPromised, MemoryOf(database.db()), state);
  }
  database.ExpectNothingLost();
}

class StyleTest : public PromisedDatabasesTest, public testing::WithParamInterface<Style> {};
INSTANTIATE_TEST_SUITE_P(, StyleTest, testing::ValuesIn(kStyles),
                         [](const auto& info) { return info.param.name; });

TEST_P(StyleTest, TwoFamiliesOfOnePolicy) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  database.Create("ascending");
  for (int step = 0; step < 8; ++step) {
    if (step == 4) Reopen(&database);
    Handle* const ascending = database.handles()[0]->GetName() == "ascending"
                                  ? database.handles()[0]
                                  : database.handles()[1];
    for (int flush = 0; flush < 4; ++flush) {
      database.PutAscending(ascending, kFlushKeys);
      ASSERT_TRUE(database.db()->Flush({}, ascending).ok());
    }
    database.PutRandom(database.db()->DefaultColumnFamily(), 15000);
    database.ExpectPromiseTwice("step " + std::to_string(step));
  }
  database.ExpectNothingLost();
}

TEST_P(StyleTest, TwoDatabasesOfOnePolicy) {
  for (const bool shares_account : {true, false}) {
    const Policy policy = NewRocksDBFilterPolicy(kFilters.options());
    const std::string name = shares_account ? "shared" : "own";
    PromisedDatabase large(Path(name + "_large"), account_);
    PromisedDatabase small(Path(name + "_small"), shares_account ? account_ : NewFilterAccount());
    for (PromisedDatabase* const database : {&large, &small}) {
      database->Set(GetParam().compaction);
      database->Use(policy);
      ASSERT_TRUE(database->Open().ok());
    }
    for (int step = 0; step < 4; ++step) {
      large.PutRandom(30000);
      small.PutRandom(5000);
      large.ExpectPromiseTwice(name + ", large");
      small.ExpectPromiseTwice(name + ", small");
    }
    large.ExpectNothingLost();
    small.ExpectNothingLost();
    large.Close();  // the account goes on with the other one
    small.PutRandom(20000);
    small.ExpectPromiseTwice(name + ", after the end of the large one");
    small.ExpectNothingLost();
  }
}

TEST_P(StyleTest, IngestedFiles) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  constexpr uint64_t kFirst = uint64_t{1} << 40;
  for (uint64_t step = 0; step < 4; ++step) {
    database.PutRandom(20000);
    database.Flush();
    // One goes above the files that it overlaps, the other to the bottom, behind all keys.
    std::map<std::string, int> behind;
    for (uint64_t i = 0; i < 5000; ++i) behind[std::string(9, '\xff') + Ascending(step * 5000 + i)];
    const std::string files[] = {
        MakeFile(database.options(), kFirst + step * 5000, 5000),
        MakeFile(database.options(), behind),
    };
    for (const std::string& file : files) {
      ASSERT_TRUE(database.db()->IngestExternalFile({file}, {}).ok());
    }
    database.ExpectPromiseTwice("step " + std::to_string(step));
  }
  database.Compact();
  database.ExpectPromise("compacted");
  database.ExpectNothingLost();
  std::string value;
  for (uint64_t i = 0; i < 20000; ++i) {
    ASSERT_TRUE(database.db()->Get({}, Key(kFirst + i), &value).ok()) << "lost key " << i;
  }
}

// No event tells of imported files. CountFiles does, and their compaction.
TEST_P(StyleTest, ImportedFamily) {
  PromisedDatabase source(Path("source"), NewFilterAccount());
  source.Set(GetParam().compaction);
  ASSERT_TRUE(source.Open().ok());
  source.PutRandom(60000);
  source.ExpectPromiseTwice("source");
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(source.db(), &checkpoint).ok());
  const std::unique_ptr<rocksdb::Checkpoint> owned(checkpoint);
  for (const bool counts_files : {true, false}) {
    const std::string name = counts_files ? "counted" : "not_counted";
    rocksdb::ExportImportFilesMetaData* files = nullptr;
    ASSERT_TRUE(
        checkpoint->ExportColumnFamily(source.handles()[0], Path("export_" + name), &files).ok());
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> owned_files(files);
    PromisedDatabase database(Path(name), NewFilterAccount());
    database.Set(GetParam().compaction);
    ASSERT_TRUE(database.Open().ok());
    database.PutRandom(3000);
    database.Flush();
    Handle* imported = nullptr;
    ASSERT_TRUE(
        database.db()
            ->CreateColumnFamilyWithImport(database.options(), "imported", {}, *files, &imported)
            .ok());
    FilterAccount* const account =
        static_cast<FilterAccount*>(database.options().listeners[0].get());
    EXPECT_TRUE(!counts_files || account->CountFiles(database.db()));
    for (uint64_t step = 0; step < 4; ++step) {
      database.Put(imported, 60000 + 10000 * step, 10000);
      ASSERT_TRUE(database.db()->Flush({}, imported).ok());
      database.Rest();
      ExpectAtMost(kMostOverPromise, kPromised, MemoryOf(database.db(), imported),
                   name + ", step " + std::to_string(step));
    }
    std::string value;
    for (uint64_t i = 0; i < 100000; ++i) {
      ASSERT_TRUE(database.db()->Get({}, imported, Key(i), &value).ok()) << "lost key " << i;
    }
    database.db()->DestroyColumnFamilyHandle(imported);
  }
}

// No event tells of CompactFiles, but of the files that it writes.
TEST_P(StyleTest, CompactFilesOfEachLevel) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  for (int step = 0; step < 3; ++step) {
    database.PutRandom(25000);
    database.ExpectPromiseTwice("step " + std::to_string(step));
    rocksdb::ColumnFamilyMetaData metadata;
    database.db()->GetColumnFamilyMetaData(&metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      std::vector<std::string> files;
      for (const rocksdb::SstFileMetaData& file : level.files) files.push_back(file.name);
      if (files.empty()) continue;
      const int output = level.level == 0 ? 6 : level.level;
      const rocksdb::Status status = database.db()->CompactFiles({}, files, output);
      EXPECT_TRUE(status.ok()) << status.ToString();
      database.ExpectPromise("CompactFiles of level " + std::to_string(level.level));
      if (level.level == 0) break;  // of the others, some were inputs
    }
    database.db()->GetColumnFamilyMetaData(&metadata);
    const rocksdb::Status status = CompactInPlace(database.db());
    EXPECT_TRUE(status.ok() || GetParam().compaction == Compaction::kUniversal)
        << status.ToString();
    database.ExpectPromise("each file written anew");
  }
  database.PutRandom(25000);
  database.ExpectPromiseTwice("afterwards");
  database.ExpectNothingLost();
}

// The upper levels keep the bits that the bottom left them, until they are merged.
TEST_P(StyleTest, ADroppedBottomHeals) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  database.PutRandom(100000);
  database.ExpectPromiseTwice("full");
  rocksdb::ColumnFamilyMetaData metadata;
  database.db()->GetColumnFamilyMetaData(&metadata);
  size_t bottom = metadata.levels.size() - 1;
  while (metadata.levels[bottom].files.empty()) --bottom;
  for (const rocksdb::SstFileMetaData& file : metadata.levels[bottom].files) {
    const rocksdb::Slice begin(file.smallestkey), end(file.largestkey);
    ASSERT_TRUE(
        rocksdb::DeleteFilesInRange(database.db(), database.handles()[0], &begin, &end).ok());
  }
  database.ForgetRandom();
  const FamilyMemory left = MemoryOf(database.db());
  const double keys_left = left.all.keys;
  double written = 0;
  const auto over = [&] { return MemoryOf(database.db()).all.mean() / kPromised; };
  const double at_once = over();
  while (over() > kMostOverPromise && written < 100000) {
    database.PutRandom(kFlushKeys);
    database.Flush();
    database.Rest();
    written += static_cast<double>(kFlushKeys);
  }
  std::printf("%s: %.0f keys left, %+.1f %%; within the promise after %.0f more\n", GetParam().name,
              keys_left, 100 * (at_once - 1), written);
  EXPECT_LE(written, std::max(2 * keys_left, 8.0 * static_cast<double>(kFlushKeys)));
  database.PutRandom(50000);
  database.ExpectPromiseTwice("grown again");
  database.ExpectNothingLost();
}

// ReFitLevel sends no event.
TEST_P(StyleTest, ChangedLevels) {
  if (GetParam().compaction == Compaction::kUniversal) return;  // has no CompactRange of levels
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  int num_moved = 0;
  for (const int target : {3, 5, 2, 6}) {
    database.PutRandom(25000);
    database.ExpectPromiseTwice("before level " + std::to_string(target));
    rocksdb::CompactRangeOptions options;
    options.change_level = true;
    options.target_level = target;
    // RocksDB does not move files across levels that have some.
    if (database.db()->CompactRange(options, nullptr, nullptr).ok()) ++num_moved;
    database.ExpectPromise("in level " + std::to_string(target));
  }
  EXPECT_GT(num_moved, 1);
  database.PutRandom(50000);
  database.ExpectPromiseTwice("afterwards");
  database.ExpectNothingLost();
}

// RocksDB then does not say how many entries old files have.
TEST_P(StyleTest, GuessedEntries) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  database.options().max_open_files = 50;
  database.options().skip_stats_update_on_db_open = true;
  ASSERT_TRUE(database.Open().ok());
  database.PutRandom(60000);
  database.ExpectPromiseTwice("first process");
  for (int process = 0; process < 4; ++process) {
    Reopen(&database);
    for (int step = 0; step < 3; ++step) {
      database.PutRandom(10000);
      database.ExpectPromiseTwice("process " + std::to_string(process), 1.10);
    }
  }
  database.ExpectNothingLost();
}

TEST_P(StyleTest, ReadOnlyAndSecondaryInstances) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  database.options().max_open_files = -1;
  ASSERT_TRUE(database.Open().ok());
  for (int step = 0; step < 4; ++step) {
    database.PutRandom(20000);
    database.Flush();
    database.Rest();  // or a file goes while it is opened
    std::unique_ptr<rocksdb::DB> read_only, secondary;
    ASSERT_TRUE(OpenRocksDBReadOnly(database.options(), Path("db"), &read_only).ok());
    ASSERT_TRUE(
        OpenRocksDBSecondary(database.options(), Path("db"), Path("secondary"), &secondary).ok());
    database.PutRandom(10000);
    ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
    if (step % 2 == 0) read_only.reset();
    database.ExpectPromiseTwice("beside others");
    read_only.reset();
    secondary.reset();
    database.PutRandom(10000);
    database.ExpectPromiseTwice("alone");
  }
  database.ExpectNothingLost();
}

TEST_P(StyleTest, StoppedManualCompactions) {
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  ASSERT_TRUE(database.Open().ok());
  int num_stopped = 0;
  for (int step = 0; step < 8; ++step) {
    database.PutRandom(15000);
    database.Flush();
    std::thread compaction([&] {
      if (!CompactAll(database.db()).ok()) ++num_stopped;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * (step % 4)));
    database.db()->DisableManualCompaction();
    compaction.join();
    database.db()->EnableManualCompaction();
    database.ExpectPromiseTwice("step " + std::to_string(step));
  }
  EXPECT_GT(num_stopped, 0);
  database.ExpectNothingLost();
}

// Tables cannot be made, or not written, while it fails.
class FailingEnv : public rocksdb::EnvWrapper {
 public:
  FailingEnv() : EnvWrapper(rocksdb::Env::Default()) {}

  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    const bool is_table = name.size() > 4 && name.substr(name.size() - 4) == ".sst";
    if (is_table && fails_to_create) return rocksdb::Status::IOError("no new table");
    const rocksdb::Status status = EnvWrapper::NewWritableFile(name, file, options);
    if (status.ok() && is_table) *file = std::make_unique<FailingFile>(std::move(*file), this);
    return status;
  }

  std::atomic<bool> fails_to_create{false};
  std::atomic<bool> fails_to_write{false};

 private:
  class FailingFile : public rocksdb::WritableFileWrapper {
   public:
    FailingFile(std::unique_ptr<rocksdb::WritableFile> file, const FailingEnv* env)
        : WritableFileWrapper(file.get()), file_(std::move(file)), env_(env) {}
    rocksdb::Status Append(const rocksdb::Slice& data) override {
      if (env_->fails_to_write) return rocksdb::Status::IOError("no space");
      return WritableFileWrapper::Append(data);
    }

   private:
    const std::unique_ptr<rocksdb::WritableFile> file_;
    const FailingEnv* const env_;
  };
};

TEST_P(StyleTest, FailedFlushesAndCompactions) {
  FailingEnv env;
  PromisedDatabase database(Path("db"), account_);
  database.Set(GetParam().compaction);
  database.options().env = &env;
  ASSERT_TRUE(database.Open().ok());
  for (int step = 0; step < 8; ++step) {
    database.PutRandom(15000);
    database.Flush();
    database.PutRandom(500);
    std::atomic<bool>& fails = step % 2 == 0 ? env.fails_to_create : env.fails_to_write;
    fails = true;
    if (step % 4 < 2) {
      EXPECT_FALSE(CompactAll(database.db()).ok());
    } else {
      EXPECT_FALSE(database.db()->Flush({}).ok());
    }
    fails = false;
    if (!database.db()->Resume().ok()) Reopen(&database);
    EXPECT_TRUE(account_->CountFiles(database.db()));
    database.PutRandom(3000);
    database.ExpectPromiseTwice("step " + std::to_string(step));
    if (HasFatalFailure()) return;
  }
  database.ExpectNothingLost();
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_promised_databases_test
