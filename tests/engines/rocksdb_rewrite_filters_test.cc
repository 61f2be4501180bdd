// RewriteFilters in databases of many options: all keys stay, the levels keep their shape, and a
// second call does nothing.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "tests/engines/rewrite_database.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::rocksdb_rewrite_filters_test {
namespace {

constexpr uint64_t kKeys = Repetitions(12000);
constexpr char kPath[] = "/db";

using Model = RewriteDatabase::Model;

struct Mode {
  const char* name;
  const char* options;  // RocksDB's, as text
  bool include_level0 = false;
  const char* policy = "bloomline";
  // Makes files that share user keys, and become as many as RocksDB likes.
  bool deletes_ranges = false;
  std::vector<rocksdb::DbPath> paths = {};
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

const Mode kModes[] = {
    {"Levels", ""},
    {"DynamicLevels", "level_compaction_dynamic_level_bytes=true"},
    {"Universal", "compaction_style=kCompactionStyleUniversal;num_levels=5"},
    {"FIFO",
     "compaction_style=kCompactionStyleFIFO;"
     "compaction_options_fifo={max_table_files_size=1073741824}",
     true},
    {"Level0", "disable_auto_compactions=true", true},
    {"Compressed", "compression=kLZ4Compression"},
    {"NoFiltersAtTheBottom", "optimize_filters_for_hits=true"},
    {"PartitionedFilters",
     "block_based_table_factory={partition_filters=true;index_type=kTwoLevelIndexSearch;"
     "metadata_block_size=128}"},
    {"PrefixesOnly",
     "prefix_extractor=fixed:8;block_based_table_factory={whole_key_filtering=false}"},
    {"KeysWithoutPrefix",
     "prefix_extractor=fixed:30;block_based_table_factory={whole_key_filtering=false}"},
    {"RoundedSizes", "block_based_table_factory={optimize_filters_for_memory=true}"},
    {"BitsByLevel", "", false, "{id=bloomline;bits_by_level=auto}"},
    {"NoFilterBelowLevel1", "", false, "{id=bloomline;bits_by_level=20:16:0}"},
    {"RibbonOfRocksDB", "", false, "ribbonfilter:10:0"},
    {"DeletionsAndMerges", "merge_operator=stringappend"},
    {"RangeDeletions", "", false, "bloomline", true},
    {"Paths", "", false, "bloomline", false, {{"/fast", 128 << 10}, {"/slow", uint64_t{1} << 40}}},
};

// False if this version of RocksDB lacks one of the options.
bool SetOptions(const std::string& text, rocksdb::Options* options) {
  return rocksdb::GetOptionsFromString({}, *options, text, options).ok();
}

class RewriteFiltersTest : public testing::TestWithParam<Mode> {};

void DeleteRanges(rocksdb::DB* db, Model* model) {
  for (uint64_t i = 0; i < kKeys; i += kKeys / 20) {
    const std::string begin = RewriteKey(i);
    const std::string end = RewriteKey(i + kKeys / 4);
    ExpectOk(db->DeleteRange({}, db->DefaultColumnFamily(), begin, end));
    model->erase(model->lower_bound(begin), model->lower_bound(end));
    for (uint64_t j = 0; j < kKeys / 10; ++j) {
      const std::string key = RewriteKey((i + j * 7919) % kKeys);
      (*model)[key] = "again" + std::string(60, 'a');
      ExpectOk(db->Put({}, key, (*model)[key]));
    }
  }
}

// Deletes every second key, and appends to every third, deleted ones among them.
void DeleteAndMerge(rocksdb::DB* db, Model* model) {
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = RewriteKey(i);
    if (i % 2 == 0) {
      ExpectOk(db->Delete({}, key));
      model->erase(key);
    }
    if (i % 3 == 0) {
      ExpectOk(db->Merge({}, key, "more"));
      std::string& value = (*model)[key];
      value += value.empty() ? "more" : ",more";
    }
  }
}

std::set<std::string> Compressions(rocksdb::DB* db) {
  std::set<std::string> names;
  for (const auto& [level, table] : TablesByLevel(db)) names.insert(table->compression_name);
  return names;
}

double FilterBytes(rocksdb::DB* db) {
  uint64_t bytes = 0;
  for (const auto& [level, table] : TablesByLevel(db)) bytes += table->filter_size;
  return static_cast<double>(bytes);
}

TEST_P(RewriteFiltersTest, KeepsKeysAndShape) {
  const Mode& mode = GetParam();
  const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options database_options = RewriteDatabase::SmallFiles();
  database_options.env = env.get();
  database_options.cf_paths = mode.paths;
  ASSERT_TRUE(RegisterBloomline());
  ASSERT_TRUE(SetOptions(mode.options, &database_options));
  const std::vector<rocksdb::CompressionType> known = rocksdb::GetSupportedCompressions();
  if (std::count(known.begin(), known.end(), database_options.compression) == 0) {
    GTEST_SKIP() << "RocksDB was built without LZ4";
  }
  RewriteDatabase db(database_options, kPath);
  db.OpenWithStockFilters();
  Model model = db.Write(kKeys);
  if (mode.deletes_ranges) DeleteRanges(db.get(), &model);
  if (database_options.merge_operator != nullptr) DeleteAndMerge(db.get(), &model);
  db.FlushAndWait();
  db.options().disable_auto_compactions = true;  // others would change the shape, too
  db.Open(PolicyOf(mode.policy));
  db.ExpectKeys(model);
  if (!mode.paths.empty()) {  // in the first folder, where compactions leave no file
    model["new"] = "value";
    ExpectOk(db->Put({}, "new", model["new"]));
    ExpectOk(db->Flush({}));
  }
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  const auto shape = db.GetShape();
  const std::set<std::string> compressions = Compressions(db.get());
  // Mostly 6 and more; fewer where compactions keep up with a slow writer.
  ASSERT_GT(shape.size(), 0u);
  std::set<std::string> folders;
  for (const auto& file : shape) folders.insert(std::get<3>(file));
  EXPECT_EQ(folders.size(), mode.paths.empty() ? 1u : 2u);

  RewriteOptions options;
  options.include_level0 = mode.include_level0;
  options.dry_run = true;
  const RewriteReport planned = db.Rewrite(options);
  EXPECT_EQ(db.GetShape(), shape);
  options.dry_run = false;
  const RewriteReport report = db.Rewrite(options);
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_EQ(report.files_to_rewrite, planned.files_to_rewrite);
  EXPECT_EQ(report.bytes_to_rewrite, planned.bytes_to_rewrite);
  // On a slow machine, compactions may have left no file that needs a filter.
  EXPECT_EQ(report.files_rewritten > 0, report.files_to_rewrite > 0) << report.ToString();
  EXPECT_GE(report.files_rewritten, report.files_to_rewrite) << report.ToString();
  if (mode.deletes_ranges && report.chained_files > 0) {
    EXPECT_EQ(std::get<0>(db.GetShape().back()), std::get<0>(shape.back()));
  } else {
    EXPECT_EQ(db.GetShape(), shape);
  }
  EXPECT_EQ(Compressions(db.get()), compressions);
  db.ExpectKeys(model);
  rocksdb::ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  db.ExpectKeys(model, at_snapshot);
  db->ReleaseSnapshot(snapshot);

  const RewriteReport second = db.Rewrite(options);
  EXPECT_EQ(second.files_to_rewrite, 0u) << second.ToString();
  EXPECT_EQ(second.bytes_written, 0u);
  for (const char* old : {"RocksDB Bloom", "RocksDB legacy Bloom"}) {
    EXPECT_TRUE(*mode.policy == 'r' || second.before.count(old) == 0) << second.ToString();
  }
  db.Open(PolicyOf(mode.policy));
  db.ExpectKeys(model);
  const RewriteReport third = db.Rewrite(options);
  EXPECT_EQ(third.files_to_rewrite, 0u) << third.ToString();
  ExpectOk(db->Put({}, "new", "value"));
}

INSTANTIATE_TEST_SUITE_P(Modes, RewriteFiltersTest, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string(info.param.name); });

class RewriteFiltersInTest : public testing::Test {
 protected:
  RewriteFiltersInTest() {
    options_.env = env_.get();
    options_.disable_auto_compactions = true;
  }

  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  rocksdb::Options options_ = RewriteDatabase::SmallFiles();
};

// Versions of a key that snapshots keep fill many files, which begin and end with the same key.
TEST_F(RewriteFiltersInTest, KeepsVersionsOfSnapshots) {
  RewriteDatabase db(options_, kPath);
  db.Open(NewRocksDBFilterPolicy(FilterOptions()));
  Model model = db.Write(kKeys);
  std::vector<const rocksdb::Snapshot*> snapshots;
  std::vector<std::string> versions;  // of each of the three keys
  for (int i = 0; i < 200; ++i) {
    for (const uint64_t key : {5, 6, 700}) {
      model[RewriteKey(key)] = "version" + std::to_string(i) + std::string(400, 'w');
      ExpectOk(db->Put({}, RewriteKey(key), model[RewriteKey(key)]));
    }
    snapshots.push_back(db->GetSnapshot());
    versions.push_back(model[RewriteKey(5)]);
  }
  ExpectOk(db->Flush({}));
  ExpectOk(CompactAll(db.get()));
  const auto shape = db.GetShape();
  ExpectOk(db->SetOptions(
      {{"block_based_table_factory", "{filter_policy={id=bloomline;format=bloom};}"}}));
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_GT(report.chained_files, 5u) << report.ToString();
  // The ends of a chain stay, and about as many files as there were: not one for each chain.
  const auto after = db.GetShape();
  EXPECT_NEAR(static_cast<double>(after.size()), static_cast<double>(shape.size()), 2);
  EXPECT_EQ(std::get<1>(after.front()), std::get<1>(shape.front()));
  EXPECT_EQ(std::get<2>(after.back()), std::get<2>(shape.back()));
  db.ExpectKeys(model);
  for (size_t i = 0; i < snapshots.size(); ++i) {
    rocksdb::ReadOptions read;
    read.snapshot = snapshots[i];
    for (const uint64_t key : {5, 6, 700}) {
      std::string value;
      ExpectOk(db->Get(read, RewriteKey(key), &value));
      EXPECT_EQ(value, versions[i]) << i;
    }
  }
  const RewriteReport second = db.Rewrite();
  EXPECT_EQ(second.files_to_rewrite, 0u);
  EXPECT_EQ(second.before.count("bloomline blocked"), 0u) << second.ToString();
  for (const rocksdb::Snapshot* snapshot : snapshots) db->ReleaseSnapshot(snapshot);
}

TEST_F(RewriteFiltersInTest, RewritesOneFamilyOnly) {
  RewriteDatabase db(options_, kPath);
  db.Open(NewRocksDBFilterPolicy(FilterOptions()));
  rocksdb::ColumnFamilyHandle* family = nullptr;
  ExpectOk(db->CreateColumnFamily(db.options(), "other", &family));
  const Model model = db.Write(kKeys);
  for (uint64_t i = 0; i < kKeys; ++i) {
    ExpectOk(db->Put({}, family, RewriteKey(i), "other"));
  }
  ExpectOk(db->Flush({}, {db->DefaultColumnFamily(), family}));
  ExpectOk(CompactAll(db.get()));
  ExpectOk(CompactAll(db.get(), family));
  for (rocksdb::ColumnFamilyHandle* const each : {db->DefaultColumnFamily(), family}) {
    ExpectOk(db->SetOptions(
        each, {{"block_based_table_factory", "{filter_policy={id=bloomline;format=bloom};}"}}));
  }
  const size_t num_files = db.GetShape(family).size();
  const RewriteReport report = db.Rewrite({}, family);
  EXPECT_EQ(report.column_family, "other");
  EXPECT_EQ(report.files_rewritten, num_files);
  RewriteOptions dry_run;
  dry_run.dry_run = true;
  EXPECT_EQ(db.Rewrite(dry_run, family).files_to_rewrite, 0u);
  EXPECT_EQ(db.Rewrite(dry_run).files_to_rewrite, db.GetShape().size());
  std::string value;
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(db->Get({}, family, RewriteKey(i), &value).ok() && value == "other") << i;
  }
  db.ExpectKeys(model);
  ExpectOk(db->DestroyColumnFamilyHandle(family));
}

// The last level of these databases is a tier of its own: colder, or closed to new data.
class RewriteTiersTest : public RewriteFiltersInTest {
 protected:
  RewriteTiersTest() {
    options_.compaction_style = rocksdb::kCompactionStyleUniversal;
    options_.num_levels = 5;
  }

  // Fills the last level, and the one above it with new values of every third key.
  static Model Fill(RewriteDatabase* db) {
    db->OpenWithStockFilters();
    Model model = db->Write(kKeys);
    ExpectOk((*db)->Flush({}));
    ExpectOk(CompactAll(db->get()));
    for (const auto& file : db->GetShape()) EXPECT_EQ(std::get<0>(file), 4);
    for (uint64_t i = 0; i < kKeys; i += 3) {
      model[RewriteKey(i)] = "new" + std::string(60, 'n');
      ExpectOk((*db)->Put({}, RewriteKey(i), model[RewriteKey(i)]));
    }
    ExpectOk((*db)->Flush({}));
    rocksdb::ColumnFamilyMetaData metadata;
    (*db)->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> names;
    for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
    rocksdb::CompactionOptions compaction;
    compaction.compression = rocksdb::kNoCompression;
    ExpectOk((*db)->CompactFiles(compaction, names, 3));
    return model;
  }
};

TEST_F(RewriteTiersTest, KeepsTemperatures) {
  if (!SetOptions("last_level_temperature=kCold", &options_)) GTEST_SKIP() << "there are none";
  RewriteDatabase db(options_, kPath);
  const Model model = Fill(&db);
  const auto shape = db.GetShape();
  for (const auto& file : shape) {
    EXPECT_EQ(std::get<rocksdb::Temperature>(file) == rocksdb::Temperature::kCold,
              std::get<0>(file) == 4);
  }
  db.Open(BlockedPolicy());
  const RewriteReport report = db.Rewrite();
  EXPECT_EQ(report.files_rewritten, shape.size()) << report.ToString();
  EXPECT_EQ(db.GetShape(), shape);
  db.ExpectKeys(model);
}

TEST_F(RewriteTiersTest, LeavesALastLevelThatTakesNoNewData) {
  RewriteDatabase db(options_, kPath);
  const Model model = Fill(&db);
  const auto shape = db.GetShape();
  const auto of_last_level = static_cast<uint64_t>(std::count_if(
      shape.begin(), shape.end(), [](const auto& file) { return std::get<0>(file) == 4; }));
  ASSERT_GT(of_last_level, 0u);
  ASSERT_GT(shape.size(), of_last_level);
  uint64_t above = shape.size() - of_last_level;  // those that are not rewritten yet
  for (const char* closed : {"allow_ingest_behind=true", "cf_allow_ingest_behind=true",
                             "preclude_last_level_data_seconds=100000"}) {
    SCOPED_TRACE(closed);
    db.options() = options_;
    if (!SetOptions(closed, &db.options())) continue;
    db.Open(BlockedPolicy());
    const RewriteReport report = db.Rewrite();
    EXPECT_TRUE(report.IsComplete()) << report.ToString();
    EXPECT_EQ(report.files_rewritten, std::exchange(above, 0));
    EXPECT_EQ(report.last_level_files_left, of_last_level);
    EXPECT_NE(report.ToString().find("Left out: " + std::to_string(of_last_level) + " file"),
              std::string::npos)
        << report.ToString();
    EXPECT_EQ(db.GetShape(), shape);
    db.ExpectKeys(model);
  }
  db.options() = options_;
  db.Open(BlockedPolicy());
  const RewriteReport rest = db.Rewrite();
  EXPECT_EQ(rest.files_rewritten, of_last_level) << rest.ToString();
  EXPECT_EQ(db.GetShape(), shape);
  db.ExpectKeys(model);
}

TEST_F(RewriteFiltersInTest, KeepsTimestamps) {
  options_.comparator = TimestampComparator();
  RewriteDatabase db(options_, kPath);
  db.OpenWithStockFilters();
  // Little-endian, as the comparator wants it.
  const auto timestamp = [](char version) { return version + std::string(7, '\0'); };
  constexpr char kVersions = 4;
  for (char version = 1; version <= kVersions; ++version) {
    for (uint64_t i = 0; i < kKeys / 4; ++i) {
      ExpectOk(db->Put({}, RewriteKey(i), timestamp(version), std::string(60, version)));
    }
  }
  ExpectOk(db->Flush({}));
  ExpectOk(CompactAll(db.get()));
  db.Open(BlockedPolicy());
  const auto shape = db.GetShape();
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_GE(report.files_rewritten, shape.size());
  std::string value;
  for (char version = 1; version <= kVersions; ++version) {
    const std::string at = timestamp(version);
    const rocksdb::Slice slice(at);
    rocksdb::ReadOptions read;
    read.timestamp = &slice;
    for (uint64_t i = 0; i < kKeys / 4; ++i) {
      ASSERT_TRUE(db->Get(read, RewriteKey(i), &value).ok()) << i;
      ASSERT_EQ(value, std::string(60, version));
    }
  }
  EXPECT_EQ(db.Rewrite().files_to_rewrite, 0u);
}

// What was asked for is what the files have: memory within 2 %, and a second call has nothing to
// do. From nearly the same bits, which a wider comparison took for right.
TEST_F(RewriteFiltersInTest, TheFiltersHaveTheBitsThatWereAskedFor) {
  constexpr uint64_t kKeysOfManyFiles = 60000;
  options_.target_file_size_base = 1 << 20;
  options_.max_bytes_for_level_base = 16 << 20;
  options_.write_buffer_size = 16 << 20;
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    const auto policy = [&](double bits_per_key) {
      return NewRocksDBFilterPolicy(FilterOptions{format, bits_per_key});
    };
    for (const bool is_partitioned : {false, true}) {
      SCOPED_TRACE(std::string(FormatName(format)) + (is_partitioned ? " in partitions" : ""));
      rocksdb::BlockBasedTableOptions table;
      // Else sizes are rounded to the allocator's, and a small file's may be right already.
      table.optimize_filters_for_memory = false;
      // Of 4 KiB, RocksDB 9.10 makes partitions of 1,300 keys, of which 10 and 10.9 bits are the
      // same: two blocks for each partition are tolerated.
      if (is_partitioned) PartitionFilters(16 << 10, &table);
      options_.table_factory = WithTable(table).table_factory;
      RewriteDatabase db(options_,
                         std::string("/") + FormatName(format) + (is_partitioned ? "_parts" : ""));
      db.Open(policy(10.9));
      db.Write(kKeysOfManyFiles);
      ExpectOk(db->Flush({}));
      ExpectOk(CompactAll(db.get()));
      ASSERT_GT(db.GetShape().size(), 3u);
      EXPECT_EQ(db.Rewrite().files_to_rewrite, 0u);
      const double before = FilterBytes(db.get());
      db.Open(policy(10));
      const RewriteReport report = db.Rewrite();
      EXPECT_EQ(report.files_rewritten, report.files) << report.ToString();
      EXPECT_TRUE(report.IsComplete()) << report.ToString();
      EXPECT_NEAR(FilterBytes(db.get()) / before, 10 / 10.9, 0.02);
      EXPECT_EQ(db.Rewrite().files_to_rewrite, 0u);
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_rewrite_filters_test
