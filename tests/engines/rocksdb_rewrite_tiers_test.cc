// RewriteFilters in databases whose last level is a tier of its own: colder, or closed to new data.
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/version.h>

#include <map>
#include <string>
#include <tuple>

#include "bloomline/rewrite_filters.h"
#include "tests/engines/rewrite_database.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = Repetitions(6000);

using Model = RewriteDatabase::Model;

// False where this version of RocksDB lacks the option.
template <typename Options>
auto SetColdLastLevel(Options* options, int)
    -> decltype(options->last_level_temperature = rocksdb::Temperature::kCold, true) {
  options->last_level_temperature = rocksdb::Temperature::kCold;
  return true;
}
template <typename Options>
bool SetColdLastLevel(Options*, long) {
  return false;
}
template <typename Options>
auto SetPreclude(Options* options, int)
    -> decltype(options->preclude_last_level_data_seconds = 1, true) {
  options->preclude_last_level_data_seconds = 100000;
  return true;
}
template <typename Options>
bool SetPreclude(Options*, long) {
  return false;
}
class RewriteTiersTest : public testing::Test {
 protected:
  RewriteTiersTest() {
    options_.env = env_.get();
    options_.compaction_style = rocksdb::kCompactionStyleUniversal;
    options_.num_levels = 5;
    options_.disable_auto_compactions = true;
  }

  // Adds keys to the database, and moves all that it has to the last level.
  static void FillLastLevel(RewriteDatabase* db, Model* model) {
    Fill(db, "old", 0, model);
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE((*db)->CompactRange(all, nullptr, nullptr).ok());
    for (const auto& file : db->GetShape()) ASSERT_EQ(std::get<0>(file), 4);
  }

  // Every third key anew, to level 3.
  static void FillLevelAbove(RewriteDatabase* db, Model* model) {
    Fill(db, "new", 1, model);
    rocksdb::ColumnFamilyMetaData metadata;
    (*db)->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> names;
    for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
    rocksdb::CompactionOptions compaction;
    compaction.compression = rocksdb::kNoCompression;
    ASSERT_TRUE((*db)->CompactFiles(compaction, names, 3).ok());
  }

  using Temperatures = std::map<std::pair<int, std::string>, rocksdb::Temperature>;
  static Temperatures GetTemperatures(const RewriteDatabase& db) {
    rocksdb::ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(&metadata);
    Temperatures temperatures;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        temperatures[{level.level, file.smallestkey}] = file.temperature;
      }
    }
    return temperatures;
  }

  // `closed`: options with which the last level takes no new data.
  void ExpectLastLevelIsLeft(const rocksdb::Options& closed) {
    RewriteDatabase db(options_, "/db");
    db.OpenWithStockFilters();
    Model model;
    FillLastLevel(&db, &model);
    FillLevelAbove(&db, &model);
    const auto shape = db.GetShape();
    uint64_t of_last_level = 0;
    for (const auto& file : shape) of_last_level += std::get<0>(file) == 4;
    ASSERT_GT(of_last_level, 0u);
    ASSERT_GT(shape.size(), of_last_level);

    db.options() = closed;
    db.Open(CompactPolicy());
    const RewriteReport report = db.Rewrite();
    EXPECT_TRUE(report.IsComplete()) << report.ToString();
    EXPECT_EQ(report.files_rewritten, shape.size() - of_last_level);
    EXPECT_EQ(report.last_level_files_left, of_last_level);
    EXPECT_NE(report.ToString().find("Left out: " + std::to_string(of_last_level) + " file"),
              std::string::npos)
        << report.ToString();
    EXPECT_EQ(db.GetShape(), shape);
    db.ExpectKeys(model);

    db.options() = options_;
    db.Open(CompactPolicy());
    const RewriteReport rest = db.Rewrite();
    EXPECT_EQ(rest.files_rewritten, of_last_level) << rest.ToString();
    EXPECT_EQ(db.GetShape(), shape);
    db.ExpectKeys(model);
  }

  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  rocksdb::Options options_ = RewriteDatabase::SmallFiles();

 private:
  static void Fill(RewriteDatabase* db, const std::string& value, uint64_t first, Model* model) {
    for (uint64_t i = first; i < kKeys; i += 2 * first + 1) {
      const std::string key = RewriteKey(i);
      (*model)[key] = value + std::string(60, 'v');
      ASSERT_TRUE((*db)->Put({}, key, (*model)[key]).ok());
    }
    ASSERT_TRUE((*db)->Flush({}).ok());
  }
};

TEST_F(RewriteTiersTest, KeepsTemperatures) {
  if (!SetColdLastLevel(&options_, 0)) GTEST_SKIP() << "RocksDB has no last_level_temperature";
  RewriteDatabase db(options_, "/db");
  db.OpenWithStockFilters();
  Model model;
  FillLastLevel(&db, &model);
  FillLevelAbove(&db, &model);
  const Temperatures temperatures = GetTemperatures(db);
  size_t cold = 0;
  for (const auto& [place, temperature] : temperatures) {
    const bool is_cold = temperature == rocksdb::Temperature::kCold;
    EXPECT_EQ(is_cold, place.first == 4);
    cold += is_cold;
  }
  ASSERT_GT(cold, 0u);
  ASSERT_GT(temperatures.size(), cold);
  db.Open(CompactPolicy());
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_EQ(report.files_rewritten, temperatures.size()) << report.ToString();
  EXPECT_EQ(GetTemperatures(db), temperatures);
  db.ExpectKeys(model);
}

TEST_F(RewriteTiersTest, LeavesTheLastLevelThatRecentDataStaysOutOf) {
  rocksdb::Options precluding = options_;
  if (!SetPreclude(&precluding, 0)) {
    GTEST_SKIP() << "RocksDB has no preclude_last_level_data_seconds";
  }
  ExpectLastLevelIsLeft(precluding);
}

#if ROCKSDB_MAJOR > 10 || (ROCKSDB_MAJOR == 10 && ROCKSDB_MINOR >= 6)  // earlier ones have none
TEST_F(RewriteTiersTest, LeavesTheLastLevelOfAFamilyThatIngestsBehind) {
  rocksdb::Options ingesting = options_;
  ingesting.cf_allow_ingest_behind = true;
  ExpectLastLevelIsLeft(ingesting);
}
#endif

}  // namespace
}  // namespace bloomline::tests
