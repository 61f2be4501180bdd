// Reads a RocksDB database while its owner changes it: each reading is what was live at some
// moment.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/inspect/database/database.h"
#include "tests/inspect/database_rocksdb.h"
#include "tests/support/temp_dir.h"

namespace bloomline::database {
namespace {

using tests::FactsOf;
using tests::RocksDBUnderTest;
using tests::TableFacts;
using tests::TempDir;

constexpr int kReadings = 200;

// Changes the database step by step; each step is one change of the tables. Keeps all states.
class Owner {
 public:
  explicit Owner(RocksDBUnderTest* db) : db_(db) { Record(); }

  void Run(const std::atomic<bool>* stop) {
    for (uint64_t step = 0; !*stop; ++step) {
      for (int i = 0; i < 30; ++i) {
        db_->Put(db_->family(0), std::to_string((step * 7919 + static_cast<uint64_t>(i)) % 100000),
                 std::string(50, 'v'));
      }
      ASSERT_TRUE((*db_)->Flush({}, db_->family(0)).ok());
      Record();
      if (step % 3 == 2) Compact(step % 12 == 11 ? 2 : 1);
      if (step % 10 == 5) {
        db_->AddFamily("guest", db_->options());
        db_->Put(db_->family(1), "key", "value");
        ASSERT_TRUE((*db_)->Flush({}, db_->family(1)).ok());
        Record();
        db_->DropFamily(1);
        Record();
      }
    }
  }

  std::set<TableFacts> states() const { return states_; }

 private:
  void Record() { states_.insert(db_->Expected()); }

  // One file of level 0 or 1 and all that overlap: one edit.
  void Compact(int output_level) {
    std::vector<rocksdb::LiveFileMetaData> files;
    (*db_)->GetLiveFilesMetaData(&files);
    std::vector<std::string> names;
    for (const auto& file : files) {
      if (file.level < output_level) names.push_back(file.relative_filename);
    }
    if (names.empty()) return;
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kNoCompression;
    const auto status = (*db_)->CompactFiles(options, db_->family(0), names, output_level);
    ASSERT_TRUE(status.ok()) << status.ToString();
    Record();
  }

  RocksDBUnderTest* const db_;
  std::set<TableFacts> states_;
};

bool Includes(const TableFacts& all, const TableFacts& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

TEST(LiveRocksDB, EachReadingWasLiveAtSomeMoment) {
  const TempDir dir;
  rocksdb::Options options;
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.target_file_size_base = 4096;
  options.max_manifest_file_size = 20000;  // a new MANIFEST each few dozens of changes
  options.allow_fallocate = false;
  RocksDBUnderTest db(dir.Path("db"), options);
  Owner owner(&db);
  std::atomic<bool> stop{false};
  std::thread thread([&] { owner.Run(&stop); });

  std::vector<TableFacts> readings;
  std::set<TableFacts> seen;
  std::vector<std::string> warnings;
  Database database;
  // Of a busy machine, the owner may get little.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto has_changed = [&] {
    return seen.size() > 20 && !Includes(readings.back(), readings[readings.size() / 2]);
  };
  for (int i = 0; i < kReadings || (!has_changed() && std::chrono::steady_clock::now() < deadline);
       ++i) {
    std::string error;
    std::vector<Database> databases;
    if (i % 2 == 0 || readings.empty()) {
      EXPECT_TRUE(OpenInput(dir.Path("db"), &databases, &error)) << error;
      if (databases.empty()) continue;
      database = databases[0];
    } else {
      EXPECT_TRUE(Refresh(&database, &error)) << error;
    }
    readings.push_back(FactsOf(database));
    seen.insert(readings.back());
    warnings.insert(warnings.end(), database.warnings.begin(), database.warnings.end());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  stop = true;
  thread.join();

  const std::set<TableFacts> states = owner.states();
  for (const TableFacts& reading : readings) {
    ASSERT_EQ(states.count(reading), 1u) << reading.size() << " tables";
  }
  EXPECT_GT(seen.size(), 20u);  // the database did change
  EXPECT_TRUE(warnings.empty()) << warnings.size() << ": " << warnings.front();
  // The comparison would notice tables of two moments: those that a compaction read, with those
  // that it wrote.
  TableFacts planted = readings.back();
  const TableFacts& earlier = readings[readings.size() / 2];
  ASSERT_FALSE(Includes(planted, earlier));
  planted.insert(earlier.begin(), earlier.end());
  EXPECT_EQ(states.count(planted), 0u);
}

}  // namespace
}  // namespace bloomline::database
