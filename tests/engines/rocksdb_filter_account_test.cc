// FilterAccount in databases: it equals what the tables' own properties say, after everything that
// adds and removes files. No write waits for files that were there before.
//
// BLOOMLINE_TEST_ROUNDS in the environment: the rounds of random work (40).
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/metric_value.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_filter_account_test {
namespace {

using std::chrono::milliseconds;

class RocksDBFilterAccountTest : public testing::Test {
 protected:
  // A file of keys that Key() does not give.
  std::string MakeFile(const rocksdb::Options& options, uint64_t first, int num_keys) {
    const std::string path = dir_.Path("file" + std::to_string(num_files_++));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (int i = 0; i < num_keys; ++i) {
      char key[20];
      std::snprintf(key, sizeof(key), "%08d%08d", static_cast<int>(first), i);
      EXPECT_TRUE(writer.Put(key, "value").ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }
  static rocksdb::Status Ingest(rocksdb::DB* db, Handle* handle,
                                const std::vector<std::string>& files) {
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    return db->IngestExternalFile(handle, files, ingest);
  }

  // A new column family with the files of another one.
  void Import(AccountedDatabase* database, Handle* handle, const std::string& name) {
    rocksdb::Checkpoint* checkpoint = nullptr;
    ASSERT_TRUE(rocksdb::Checkpoint::Create(database->db(), &checkpoint).ok());
    const std::unique_ptr<rocksdb::Checkpoint> owned_checkpoint(checkpoint);
    rocksdb::ExportImportFilesMetaData* files = nullptr;
    const std::string path = dir_.Path("export" + std::to_string(num_files_++));
    ASSERT_TRUE(checkpoint->ExportColumnFamily(handle, path, &files).ok());
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> owned_files(files);
    if (!files->files.empty()) database->Import(name, *files);
  }

  TempDir dir_;
  const std::shared_ptr<FilterAccount> account_ = NewFilterAccount();

 private:
  int num_files_ = 0;
};

// Random work, with reopening, in two databases of one account. Each kind of work is done in one of
// them first.
TEST_F(RocksDBFilterAccountTest, EqualsTheTablesAfterRandomWork) {
  const char* const wanted = std::getenv("BLOOMLINE_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? Repetitions(40, 2) : std::atoi(wanted);
  AccountedDatabase one(dir_.Path("one"), account_, Limited(40000)),
      two(dir_.Path("two"), account_, Limited(40000), true);
  for (AccountedDatabase* const database : {&one, &two}) ASSERT_TRUE(database->Open().ok());
  std::mt19937_64 random(11);
  constexpr uint64_t kKinds = 15;
  for (int round = 0; round < rounds; ++round) {
    const bool is_first_pass = static_cast<uint64_t>(round) < kKinds;
    const uint64_t work =
        is_first_pass ? kKinds - 1 - static_cast<uint64_t>(round) : random() % kKinds;
    AccountedDatabase* const database = is_first_pass || random() % 2 == 0 ? &one : &two;
    Handle* const handle = database->handles()[random() % database->handles().size()];
    const uint64_t first = random() % 30000;
    std::string begin = Key(first), end = Key(first + random() % 3000);
    if (begin > end) std::swap(begin, end);
    switch (work) {
      case 0:  // with keys in the log, which opening writes into files
        database->Put(handle, first, 100);
        database->Close();
        ASSERT_TRUE(database->Open().ok());
        ASSERT_TRUE(account_->CountFiles(database->db()));
        break;
      case 1:
        if (database->handles().size() > 1) database->Drop(1);
        break;
      case 2:
        ASSERT_TRUE(database->db()->CompactRange({}, handle, nullptr, nullptr).ok());
        break;
      case 3: {
        const std::string file = MakeFile(database->options(), first, 500);
        ASSERT_TRUE(Ingest(database->db(), handle, {file}).ok());
        // Its level is listed with the next job.
        database->Put(handle, first, 100);
        ASSERT_TRUE(database->db()->Flush({}, handle).ok());
        break;
      }
      case 4:
        ASSERT_TRUE(GiveNewFilters(database->db(), handle).ok());
        break;
      case 5: {
        const rocksdb::Slice from(begin), to(end);
        ASSERT_TRUE(rocksdb::DeleteFilesInRange(database->db(), handle, &from, &to).ok());
        break;
      }
      case 6:
        ASSERT_TRUE(database->db()->DeleteRange({}, handle, begin, end).ok());
        ASSERT_TRUE(database->db()->Flush({}, handle).ok());
        break;
      case 7:
        if (database->handles().size() < 4) database->Create("family" + std::to_string(round));
        break;
      case 8: {  // to the lowest level that is empty, without an event
        rocksdb::CompactRangeOptions options;
        options.change_level = true;
        ASSERT_TRUE(database->db()->CompactRange(options, handle, nullptr, nullptr).ok());
        ASSERT_TRUE(account_->CountFiles(database->db()));
        break;
      }
      case 9:
        if (database->handles().size() > 3) break;
        Import(database, handle, "import" + std::to_string(round));
        ASSERT_TRUE(account_->CountFiles(database->db()));
        break;
      case 10:  // no event but those of the files
        if (handle == database->handles()[0]) {
          CompactInPlace(database->db()).PermitUncheckedError();
        }
        break;
      default:
        database->Put(handle, first, 3000);
        ASSERT_TRUE(database->db()->Flush({}, handle).ok());
    }
    one.Wait();
    two.Wait();
    const std::string after = "round " + std::to_string(round) + ", work " + std::to_string(work);
    ExpectExact(*account_, {&one, &two}, after);
    ExpectLevels(account_.get(), &one, after);
    ExpectLevels(account_.get(), &two, after);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(account_->filter_bytes(), 3000u);
  two.Close();
  ExpectExact(*account_, {&one}, "the end of one");
}

TEST_F(RocksDBFilterAccountTest, CompactionStylesWithoutLevels) {
  for (const bool is_fifo : {false, true}) {
    AccountedDatabase database(dir_.Path(is_fifo ? "fifo" : "universal"), account_, Limited(20000));
    rocksdb::Options& options = database.options();
    options.compaction_style =
        is_fifo ? rocksdb::kCompactionStyleFIFO : rocksdb::kCompactionStyleUniversal;
    options.compaction_options_fifo.max_table_files_size = 200 << 10;
    options.level0_file_num_compaction_trigger = 3;
    ASSERT_TRUE(database.Open().ok());
    for (uint64_t i = 0; i < 20; ++i) {
      database.Put(database.handles()[0], i * 1000, 1000);
      database.Flush();
      ExpectExact(*account_, {&database}, "step " + std::to_string(i));
    }
    EXPECT_EQ(account_->num_keys() < 15000, is_fifo) << "FIFO deletes files";
  }
}

// Files that were there before take long to open.
class RocksDBAccountSeedTest : public RocksDBFilterAccountTest {
 protected:
  class SlowEnv : public rocksdb::EnvWrapper {
   public:
    SlowEnv() : EnvWrapper(rocksdb::Env::Default()) {}
    rocksdb::Status NewRandomAccessFile(const std::string& name,
                                        std::unique_ptr<rocksdb::RandomAccessFile>* file,
                                        const rocksdb::EnvOptions& options) override {
      AwaitRelease(name.substr(name.rfind('/') + 1));
      std::this_thread::sleep_for(milliseconds(delay_ms));
      ++num_opened;
      return EnvWrapper::NewRandomAccessFile(name, file, options);
    }

    // Files that are in the folder now do not open before Release.
    void Hold(const std::string& folder) {
      std::vector<std::string> names;
      ASSERT_TRUE(GetChildren(folder, &names).ok());
      const std::lock_guard lock(mutex_);
      held_.insert(names.begin(), names.end());
    }
    void Release() {
      const std::lock_guard lock(mutex_);
      held_.clear();
      released_.notify_all();
    }

    std::atomic<int> delay_ms{0};
    std::atomic<int> num_opened{0};

   private:
    void AwaitRelease(const std::string& name) {
      std::unique_lock lock(mutex_);
      const auto is_released = [&] { return held_.count(name) == 0; };
      if (released_.wait_for(lock, std::chrono::seconds(60), is_released)) return;
      ADD_FAILURE() << name << " is awaited before its release";
      held_.clear();  // of the others, too
    }

    std::mutex mutex_;
    std::condition_variable released_;
    std::set<std::string> held_;
  };

  static constexpr int kFiles = 300;
  static constexpr uint64_t kKeys = kFiles * 20;

  std::unique_ptr<AccountedDatabase> Open(const std::string& name,
                                          std::shared_ptr<FilterAccount> account,
                                          const RocksDBFilterOptions& filter = Limited(1 << 20)) {
    auto database =
        std::make_unique<AccountedDatabase>(dir_.Path(name), std::move(account), filter);
    database->options().env = &env_;
    database->options().disable_auto_compactions = true;
    EXPECT_TRUE(database->Open().ok());
    return database;
  }
  void Make(const std::string& name) {
    const auto database = Open(name, nullptr, RocksDBFilterOptions());
    std::vector<std::string> files;
    for (uint64_t i = 0; i < kFiles; ++i) files.push_back(MakeFile(database->options(), i, 20));
    ASSERT_TRUE(Ingest(database->db(), database->handles()[0], files).ok());
  }

  SlowEnv env_;
};

TEST_F(RocksDBAccountSeedTest, NoWriteWaitsForOldFiles) {
  Make("db");
  const auto database = Open("db", account_);
  env_.Hold(dir_.Path("db"));
  for (uint64_t i = 0; i < 2; ++i) {
    database->Put(database->handles()[0], 2000 * i, 2000);
    database->Flush();
  }
  EXPECT_EQ(account_->num_keys(), kKeys + 4000) << "keys of old files are listed";
  EXPECT_LT(account_->filter_bytes(), database->filter_bytes()) << "an old file was read";
  env_.Release();
  ExpectExact(*account_, {database.get()}, "the count");
  EXPECT_EQ(account_->num_keys(), kKeys + 4000);
}

// Only limits and CountFiles need the sizes of old filters.
TEST_F(RocksDBAccountSeedTest, WithoutALimitNoOldFileIsRead) {
  Make("db");
  const auto database = Open("db", account_, RocksDBFilterOptions());
  const uint64_t old_bytes = database->filter_bytes();
  env_.Hold(dir_.Path("db"));
  for (uint64_t i = 0; i < 2; ++i) {
    database->Put(database->handles()[0], 2000 * i, 2000);
    database->Flush();
  }
  EXPECT_EQ(account_->num_keys(), kKeys + 4000);
  EXPECT_EQ(account_->filter_bytes(), database->filter_bytes() - old_bytes);
  env_.Release();
  EXPECT_TRUE(account_->CountFiles(database->db()));
  ExpectExact(*account_, {database.get()}, "the count");
}

// Databases, accounts and policies end in any order while files are read.
TEST_F(RocksDBAccountSeedTest, EverythingMayEndMeanwhile) {
  Make("one");
  Make("two");
  for (int round = 0; round < 4; ++round) {
    auto account = NewFilterAccount();
    auto one = Open("one", account);
    auto two = Open("two", account);
    std::shared_ptr<const rocksdb::FilterPolicy> policy =
        one->options().table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
    env_.delay_ms = 20;  // 6 seconds for the files of each
    one->Create("family" + std::to_string(round));
    for (AccountedDatabase* const database : {one.get(), two.get()}) {
      for (Handle* const handle : database->handles()) database->Put(handle, 0, 500);
      database->Flush();
    }
    EXPECT_LT(account->filter_bytes(), one->filter_bytes() + two->filter_bytes());
    if (round % 2 == 0) account.reset();  // the databases still have it
    one->Drop(1);
    const int num_before = env_.num_opened;
    one.reset();
    EXPECT_LT(env_.num_opened, num_before + kFiles / 2) << "its end waits for all files";
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
  const auto one = Open("one", nullptr, RocksDBFilterOptions());
  std::string value;
  for (uint64_t i = 0; i < 500; i += 7) {
    ASSERT_TRUE(one->db()->Get({}, Key(i), &value).ok()) << "lost key " << i;
  }
}

TEST_F(RocksDBFilterAccountTest, AnIngestedFileThatWasDroppedBeforeItsEventIsNotCounted) {
  AccountedDatabase database(dir_.Path("db"), account_, Limited(40000));
  ASSERT_TRUE(database.Open().ok());
  database.Put(database.handles()[0], 0, 3000);
  ASSERT_TRUE(database.db()->Flush({}, database.handles()[0]).ok());
  rocksdb::ExternalFileIngestionInfo info;
  info.internal_file_path = dir_.Path("db") + "/999999.sst";
  info.table_properties.filter_size = info.table_properties.num_filter_entries = 660;
  account_->OnExternalFileIngested(database.db(), info);
  ExpectExact(*account_, {&database}, "a file that is gone");
}

// The metrics say what the account has, and which limit took bits.
TEST_F(RocksDBFilterAccountTest, MetricsHaveTheBytes) {
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
    ExpectExact(*account_, {&database}, "writes");
    const auto bytes = static_cast<double>(account_->filter_bytes());
    EXPECT_EQ(MetricValue(kBytes, "blocked:13.5"), bytes);
    EXPECT_GT(MetricValue(kLimited, "limit=\"memory\""), by_memory);
    EXPECT_EQ(MetricValue(kLimit, "blocked:13.5"), 20000);
    // Another policy with the same text has an account of its own.
    const std::shared_ptr<FilterAccount> other = NewFilterAccount();
    AccountedDatabase second(dir_.Path("second"), other, filter);
    ASSERT_TRUE(second.Open().ok());
    second.Fill(0, 3000);
    ExpectExact(*other, {&second}, "writes of the second");
    EXPECT_EQ(MetricValue(kBytes, "blocked:13.5"),
              bytes + static_cast<double>(other->filter_bytes()));
    EXPECT_EQ(MetricValue(kLimit, "blocked:13.5"), 40000);
  }
  EXPECT_EQ(MetricValue(kBytes, "blocked:13.5"), 0);
  EXPECT_EQ(MetricValue(kLimit, "blocked:13.5"), 0);
}

TEST_F(RocksDBFilterAccountTest, OptionStringsAndFilesNameIt) {
  RegisterBloomline();
  rocksdb::Options options;
  const std::string text =
      "create_if_missing=true;listeners=bloomline.account;block_based_table_factory={filter_policy="
      "{"
      "id=bloomline;memory=1MiB}}";
  ASSERT_TRUE(rocksdb::GetOptionsFromString(rocksdb::Options(), text, &options).ok());
  ASSERT_EQ(options.listeners.size(), 1u);
  EXPECT_NE(options.listeners[0]->CheckedCast<FilterAccount>(), nullptr);
  MustOpenRocksDB(options, dir_.Path("db"));
  const rocksdb::Options loaded = LoadOptions(dir_.Path("db"));
  ASSERT_EQ(loaded.listeners.size(), 1u);
  MustOpenRocksDB(loaded, dir_.Path("db"));
}

// A process may have another version of bloomline in a library. Its account counts for the policies
// of that version. No function of this version runs on it.
TEST_F(RocksDBFilterAccountTest, TheAccountOfAnotherVersionIsEnough) {
  class Other : public rocksdb::EventListener {
   public:
    const char* Name() const override { return FilterAccount::kClassName(); }
  };
  AccountedDatabase database(dir_.Path("db"), nullptr, Limited(100000));
  database.options().listeners = {std::make_shared<Other>()};
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 1000);
  database.Compact();
}

TEST_F(RocksDBFilterAccountTest, CountFilesNamesADamagedFile) {
  std::string path;
  {
    AccountedDatabase database(dir_.Path("db"), nullptr);
    ASSERT_TRUE(database.Open().ok());
    database.Fill(0, 1000);
    std::vector<rocksdb::LiveFileMetaData> files;
    database.db()->GetLiveFilesMetaData(&files);
    ASSERT_FALSE(files.empty());
    path = files[0].db_path + files[0].name;
  }
  // The last bytes are the table's magic number.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
  std::ofstream(path, std::ios::app | std::ios::binary) << "damaged!";
  AccountedDatabase database(dir_.Path("db"), account_);
  database.options().disable_auto_compactions = true;
  database.options().paranoid_checks = false;  // or the database does not open
  ASSERT_TRUE(database.Open().ok());
  std::string error;
  EXPECT_FALSE(account_->CountFiles(database.db(), &error));
  EXPECT_NE(error.find("the filter of " + path + " is not counted: "), error.npos) << error;
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_filter_account_test
