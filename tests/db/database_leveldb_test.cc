// src/db/tree against LevelDB's own answers.
#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "src/db/tree/database.h"
#include "tests/support/temp_dir.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tree::database_leveldb_test {
namespace {

using tests::TempDir;
using tests::Within30Seconds;

// Level, number, bytes, keys as LevelDB prints them: "'a' @ 5 : 1 .. 'b' @ 7 : 1".
using Fact = std::tuple<int, uint64_t, uint64_t, std::string>;

// "--- level 1 ---\n 5:1234['a' @ 5 : 1 .. 'b' @ 7 : 1]\n"
std::set<Fact> Expected(leveldb::DB* db) {
  std::string text;
  EXPECT_TRUE(db->GetProperty("leveldb.sstables", &text));
  std::set<Fact> facts;
  int level = -1;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    unsigned long long number = 0;
    unsigned long long bytes = 0;
    if (std::sscanf(line.c_str(), "--- level %d ---", &level) == 1) continue;
    if (std::sscanf(line.c_str(), " %llu:%llu[", &number, &bytes) != 2) continue;
    const size_t first = line.find("['") + 2;
    const size_t middle = line.find(" .. '", first);
    const size_t last = middle + 5;
    facts.emplace(level, number, bytes,
                  line.substr(first, line.find("' @", first) - first) + " to " +
                      line.substr(last, line.find("' @", last) - last));
  }
  return facts;
}

std::set<Fact> FactsOf(const Database& database) {
  std::set<Fact> facts;
  for (const TableFile& file : database.files) {
    facts.emplace(file.level, file.number, file.bytes,
                  file.smallest_key + " to " + file.largest_key);
    EXPECT_TRUE(std::filesystem::exists(file.path)) << file.path;
  }
  return facts;
}

Database OpenOne(const std::string& argument) {
  std::vector<Database> databases;
  std::string error;
  EXPECT_TRUE(OpenInput(argument, &databases, &error)) << error;
  EXPECT_EQ(databases.size(), 1u);
  return databases.empty() ? Database() : databases.front();
}

class LevelDBDirectory : public ::testing::Test {
 protected:
  void Open() {
    db_.reset();
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 1 << 20;
    options_.compression = leveldb::kNoCompression;
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options_, path(), &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(opened);
  }
  void Fill(uint64_t seed, int num_keys) {
    for (int i = 0; i < num_keys; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      char key[24];
      std::snprintf(key, sizeof(key), "%016u", static_cast<unsigned>(seed >> 40));
      ASSERT_TRUE(db_->Put({}, key, std::string(300, 'v')).ok());
    }
  }
  // No key is in the range: this only writes the memtable, and waits for that.
  void Flush() {
    const leveldb::Slice begin("~"), end("~~");
    db_->CompactRange(&begin, &end);
  }
  void ExpectSame(const std::string& when) {
    Open();
    Flush();
    Database database;
    std::set<Fact> expected;
    // A compaction may end meanwhile, or write tables: this process sees no lock of its own.
    EXPECT_TRUE(Within30Seconds([&] {
      expected = Expected(db_.get());
      database = OpenOne(path());
      return Expected(db_.get()) == expected && database.warnings.empty();
    })) << when
        << ": " << testing::PrintToString(database.warnings);
    EXPECT_EQ(database.engine, tables::Engine::kLevelDB) << when;
    EXPECT_FALSE(database.is_goleveldb) << when;
    EXPECT_EQ(FactsOf(database), expected) << when;
    ASSERT_EQ(database.column_families.size(), 1u);
    EXPECT_EQ(database.column_families[0].comparator, "leveldb.BytewiseComparator");
  }

  std::string path() const { return dir_.Path("db"); }

  const TempDir dir_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(LevelDBDirectory, Levels) {
  Open();
  ExpectSame("empty");
  size_t most_levels = 0;
  for (int round = 0; round < 6; ++round) {
    options_.reuse_logs = round >= 3;  // and then a MANIFEST, over several openings
    Fill(static_cast<uint64_t>(round) + 1, 1500);
    ExpectSame("after round " + std::to_string(round));
    std::set<int> levels;
    for (const TableFile& file : OpenOne(path()).files) levels.insert(file.level);
    most_levels = std::max(most_levels, levels.size());
  }
  EXPECT_GE(most_levels, 2u);
  db_->CompactRange(nullptr, nullptr);
  ExpectSame("compacted");
}

TEST_F(LevelDBDirectory, RepairedAndOldNames) {
  Open();
  Fill(1, 2000);
  // A table that closing interrupts stays, and its number is used again. With the old name of one
  // beside the new name of the other, LevelDB 1.23 repairs the database to have the table twice,
  // and leaks its description when it opens that.
  db_->CompactRange(nullptr, nullptr);
  Fill(2, 300);
  Flush();
  db_.reset();
  for (const auto& entry : std::filesystem::directory_iterator(path())) {
    if (entry.path().extension() == ".ldb") {  // as LevelDB before 1.14 named its tables
      auto old = entry.path();
      std::filesystem::rename(entry.path(), old.replace_extension(".sst"));
    }
  }
  ExpectSame("old names");
  db_.reset();
  std::filesystem::remove(path() + "/CURRENT");
  ASSERT_TRUE(leveldb::RepairDB(path(), options_).ok());
  EXPECT_FALSE(OpenOne(path()).is_goleveldb);  // its MANIFEST names no previous log, either
  ExpectSame("repaired");
}

}  // namespace
}  // namespace bloomline::tree::database_leveldb_test
