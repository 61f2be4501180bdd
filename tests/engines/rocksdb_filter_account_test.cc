// FilterAccount in databases: it equals what the tables' own properties say, after everything that
// adds and removes files.
//
// BLOOMLINE_TEST_ROUNDS in the environment: the rounds of random work (20).
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/options_util.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

class RocksDBFilterAccountTest : public testing::Test {
 protected:
  TempDir dir_;
  const std::shared_ptr<FilterAccount> account_ = NewFilterAccount();
};

TEST_F(RocksDBFilterAccountTest, EqualsTheTablesAfterEachStep) {
  AccountedDatabase database(dir_.Path("db"), account_);
  ASSERT_TRUE(database.Open().ok());
  database.Create("second");
  database.Fill(0, 20000);
  ExpectExact(*account_, &database, "flushes and compactions");
  EXPECT_GT(account_->filter_bytes(), 2 * 20000 * 9 / 8);
  EXPECT_NEAR(static_cast<double>(account_->num_keys()), 40000, 2000);
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(database.db()->CompactRange(all, database.handles()[1], nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "a compaction of a column family");
  ASSERT_TRUE(
      rocksdb::DeleteFilesInRange(database.db(), database.handles()[0], nullptr, nullptr).ok());
  ExpectExact(*account_, &database, "DeleteFilesInRange");
  const uint64_t before = account_->filter_bytes();
  database.DropLast();
  ExpectExact(*account_, &database, "a dropped column family");
  EXPECT_LT(account_->filter_bytes(), before / 2);
}

TEST_F(RocksDBFilterAccountTest, CountsIngestedFilesOnce) {
  AccountedDatabase database(dir_.Path("db"), account_);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 3000);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database.options());
  ASSERT_TRUE(writer.Open(dir_.Path("file")).ok());
  for (uint64_t i = 0; i < 5000; ++i) {
    char key[20];
    std::snprintf(key, sizeof(key), "ingested%08d", static_cast<int>(i));
    ASSERT_TRUE(writer.Put(key, "value").ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const uint64_t before = account_->filter_bytes();
  ASSERT_TRUE(database.db()->IngestExternalFile({dir_.Path("file")}, {}).ok());
  ExpectExact(*account_, &database, "an ingested file");
  EXPECT_GT(account_->filter_bytes(), before + 5000);
}

TEST_F(RocksDBFilterAccountTest, FilesThatWereThereBeforeAreCounted) {
  for (const bool is_partitioned : {false, true}) {
    const std::string path = dir_.Path(is_partitioned ? "partitioned" : "full");
    {
      AccountedDatabase before(path, nullptr, {}, is_partitioned);
      ASSERT_TRUE(before.Open().ok());
      before.Create("second");
      before.Fill(0, 10000);
    }
    AccountedDatabase database(path, account_, {}, is_partitioned);
    ASSERT_TRUE(database.Open().ok());
    EXPECT_EQ(account_->filter_bytes(), 0u);
    database.Put(database.handles()[1], 10000, 1);
    ASSERT_TRUE(database.db()->Flush({}, database.handles()[1]).ok());
    ExpectExact(*account_, &database, "the first flush");
    EXPECT_GT(account_->filter_bytes(), 10000u);
    database.Close();
    EXPECT_EQ(account_->filter_bytes(), 0u) << "a closed database is forgotten";
    ASSERT_TRUE(database.Open().ok());
    std::string error = "unchanged";
    EXPECT_TRUE(account_->CountFiles(database.db(), &error)) << error;
    EXPECT_EQ(error, "unchanged");
    ExpectExact(*account_, &database, "CountFiles");
  }
}

TEST_F(RocksDBFilterAccountTest, CountFilesNamesAFileThatItCannotRead) {
  AccountedDatabase database(dir_.Path("db"), account_);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 5000);
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db()->GetLiveFilesMetaData(&files);
  database.Close();
  ASSERT_EQ(std::system(("echo damage > " + files[0].db_path + files[0].name).c_str()), 0);
  database.options().max_open_files = 100;
  database.options().paranoid_checks = false;
  database.options().skip_stats_update_on_db_open = true;
  const rocksdb::Status opened = database.Open();
  if (!opened.ok()) GTEST_SKIP() << "this RocksDB does not open it: " << opened.ToString();
  std::string error;
  EXPECT_FALSE(account_->CountFiles(database.db(), &error));
  EXPECT_NE(error.find(files[0].name), std::string::npos) << error;
  EXPECT_GT(account_->filter_bytes(), 3000u);  // the others
}

TEST_F(RocksDBFilterAccountTest, DatabasesShareAnAccount) {
  AccountedDatabase one(dir_.Path("one"), account_), two(dir_.Path("two"), account_);
  ASSERT_TRUE(one.Open().ok());
  ASSERT_TRUE(two.Open().ok());
  one.Fill(0, 8000);
  two.Fill(0, 4000);
  ExpectExact(*account_, {&one, &two}, "writes");
  one.Close();
  ExpectExact(*account_, &two, "the end of one");
}

TEST_F(RocksDBFilterAccountTest, OptionStringsNameIt) {
  RegisterBloomline();
  rocksdb::Options options;
  ASSERT_TRUE(rocksdb::GetOptionsFromString(
                  rocksdb::Options(),
                  "create_if_missing=true;listeners=bloomline;block_based_table_factory={"
                  "filter_policy={id=bloomline;memory=1MiB;format=compact}}",
                  &options)
                  .ok());
  ASSERT_EQ(options.listeners.size(), 1u);
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status = OpenRocksDB(options, dir_.Path("db"), &db);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(db->Put({}, "key", "value").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  auto* const account = options.listeners[0]->CheckedCast<FilterAccount>();
  ASSERT_NE(account, nullptr);
  for (int waits = 0; account->filter_bytes() == 0 && waits < 400; ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // Flush may end before its report
  }
  EXPECT_GT(account->filter_bytes(), 0u);
  db.reset();
  // The OPTIONS file names both.
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  rocksdb::ConfigOptions config;
  ASSERT_TRUE(rocksdb::LoadLatestOptions(config, dir_.Path("db"), &loaded, &families).ok());
  ASSERT_EQ(loaded.listeners.size(), 1u);
  std::vector<Handle*> handles;
  const rocksdb::Status again = OpenRocksDB(loaded, dir_.Path("db"), families, &handles, &db);
  ASSERT_TRUE(again.ok()) << again.ToString();
  for (Handle* const handle : handles) db->DestroyColumnFamilyHandle(handle);
}

// The sum stays near the limit, bits rise again, and a family made later has the same limit.
// A rewrite gives a database that has too many bits the limit at once, and does not repeat it.
// Random work, with reopening, in two databases of one account.
TEST_F(RocksDBFilterAccountTest, EqualsTheTablesAfterRandomWork) {
  const char* const wanted = std::getenv("BLOOMLINE_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? Repetitions(20) : std::atoi(wanted);
  RocksDBFilterOptions filter;
  filter.format = Format::kCompact;
  filter.memory_bytes = 40000;
  AccountedDatabase one(dir_.Path("one"), account_, filter),
      two(dir_.Path("two"), account_, filter, true);
  for (AccountedDatabase* const database : {&one, &two}) ASSERT_TRUE(database->Open().ok());
  std::mt19937_64 random(11);
  int num_files = 0;
  for (int round = 0; round < rounds; ++round) {
    AccountedDatabase* const database = random() % 2 == 0 ? &one : &two;
    Handle* const handle = database->handles()[random() % database->handles().size()];
    const uint64_t first = random() % 30000;
    const uint64_t work = random() % 10;
    switch (work) {
      case 0:
        database->Close();
        ASSERT_TRUE(database->Open().ok());
        ASSERT_TRUE(account_->CountFiles(database->db()));
        break;
      case 1:
        if (database->handles().size() < 4) database->Create("family" + std::to_string(round));
        break;
      case 2:
        if (database->handles().size() > 1) database->DropLast();
        break;
      case 3:
        ASSERT_TRUE(database->db()->CompactRange({}, handle, nullptr, nullptr).ok());
        break;
      case 4: {
        const std::string file = dir_.Path("file" + std::to_string(num_files++));
        rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database->options());
        ASSERT_TRUE(writer.Open(file).ok());
        char key[20];
        for (int i = 0; i < 500; ++i) {
          std::snprintf(key, sizeof(key), "%08d%08d", static_cast<int>(first), i);
          ASSERT_TRUE(writer.Put(key, "value").ok());
        }
        ASSERT_TRUE(writer.Finish().ok());
        rocksdb::IngestExternalFileOptions ingest;
        ingest.move_files = true;
        ASSERT_TRUE(database->db()->IngestExternalFile(handle, {file}, ingest).ok());
        break;
      }
      case 5:
        ASSERT_TRUE(RewriteFilters(database->db(), handle, {}, nullptr, nullptr));
        break;
      default:
        database->Put(handle, first, 3000);
        if (random() % 2 == 0) {
          std::string begin = Key(first), end = Key(first + random() % 3000);
          if (begin > end) std::swap(begin, end);
          ASSERT_TRUE(database->db()->DeleteRange({}, handle, begin, end).ok());
        }
        ASSERT_TRUE(database->db()->Flush({}, handle).ok());
    }
    one.Wait();
    two.Wait();
    ExpectExact(*account_, {&one, &two},
                "round " + std::to_string(round) + ", work " + std::to_string(work));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace bloomline::tests
