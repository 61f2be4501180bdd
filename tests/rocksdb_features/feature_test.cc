#include "tests/rocksdb_features/feature_test.h"

#include <rocksdb/convenience.h>

#include <cinttypes>
#include <cstdio>

#include "bloomline/rocksdb.h"

namespace bloomline::tests {

std::string Key(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "key%08" PRIu64, number);
  return text;
}

std::string Value(uint64_t i) { return "value" + std::to_string(i); }

std::ostream& operator<<(std::ostream& out, const Answers& a) {
  return out << a.stored << " stored keys: " << a.lost << " lost, " << a.wrong << " wrong, "
             << a.true_positives << " found through a filter; " << a.missing
             << " missing keys: " << a.invented << " invented; filters rejected " << a.rejected
             << " times and passed " << a.passed << " times";
}

Answers GetAll(const GetFunction& get, const rocksdb::Statistics& statistics, uint64_t begin,
               uint64_t end) {
  Answers answers;
  std::string value;
  const uint64_t found = statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  for (uint64_t i = begin; i < end; ++i) {
    ++answers.stored;
    const rocksdb::Status status = get(Stored(i), &value);
    if (status.IsNotFound()) {
      ++answers.lost;
    } else if (!status.ok() || value != Value(i)) {
      ++answers.wrong;
    }
  }
  answers.true_positives =
      statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE) - found;
  const uint64_t rejected = statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  const uint64_t passed = statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  for (uint64_t i = begin; i + 1 < end; ++i) {
    ++answers.missing;
    if (!get(Missing(i), &value).IsNotFound()) ++answers.invented;
  }
  answers.rejected = statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) - rejected;
  answers.passed = statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE) - passed;
  return answers;
}

GetFunction From(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  return [db, family](const std::string& key, std::string* value) {
    return db->Get({}, family, key, value);
  };
}

Policy PolicyOf(const std::string& text) {
  RegisterBloomline();
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  EXPECT_NE(policy, nullptr) << text;
  return policy;
}

void Families::Close() {
  if (db == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  handles.clear();
  db.reset();
}

void PrintTo(const FilterSetting& setting, std::ostream* out) { *out << setting.name; }

const std::vector<FilterSetting>& FilterSettings() {
  // Rates by theory: 0.95 % and 0.15 %. 2000 missing keys leave some room for chance.
  static const std::vector<FilterSetting> settings = {
      {"Blocked", "{id=bloomline;format=blocked;bits_per_key=10}", 0.02},
      {"Compact", "{id=bloomline;format=compact;bits_per_key=10}", 0.006},
      // Files of all levels and of each format are in one database.
      {"ByLevel", "{id=bloomline;format=compact;bits_by_level=auto;flush_format=blocked}", 0.02},
  };
  return settings;
}

FeatureTest::FeatureTest() : statistics_(rocksdb::CreateDBStatistics()) {}

rocksdb::BlockBasedTableOptions FeatureTest::Table() const {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewPolicy();
  table.block_cache = rocksdb::NewLRUCache(8 << 20);
  return table;
}

rocksdb::BlockBasedTableOptions FeatureTest::PartitionedTable() const {
  rocksdb::BlockBasedTableOptions table = Table();
  table.partition_filters = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = 64;
  table.block_size = 512;
  return table;
}

rocksdb::Options FeatureTest::MakeOptions(const rocksdb::BlockBasedTableOptions& table) const {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.statistics = statistics_;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> FeatureTest::Open(const rocksdb::Options& options,
                                               const std::string& name) const {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status =
      OpenBy(&db, [&](auto* opened) { return rocksdb::DB::Open(options, Path(name), opened); });
  if (!status.ok()) {
    ADD_FAILURE() << status.ToString();
    std::exit(1);  // no test goes on without its database
  }
  return db;
}

void FeatureTest::Open(
    const rocksdb::Options& options,
    const std::vector<std::pair<std::string, rocksdb::ColumnFamilyOptions>>& families,
    const std::string& name, Families* opened) const {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const auto& [family, family_options] : families) {
    descriptors.emplace_back(family, family_options);
  }
  const rocksdb::Status status = OpenBy(&opened->db, [&](auto* db) {
    return rocksdb::DB::Open(options, Path(name), descriptors, &opened->handles, db);
  });
  if (!status.ok()) {
    ADD_FAILURE() << status.ToString();
    std::exit(1);
  }
}

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 803
uint64_t FeatureTest::SeeksChecked() const {
  return SeeksFiltered() + Ticker(rocksdb::LAST_LEVEL_SEEK_FILTER_MATCH) +
         Ticker(rocksdb::NON_LAST_LEVEL_SEEK_FILTER_MATCH);
}

uint64_t FeatureTest::SeeksFiltered() const {
  return Ticker(rocksdb::LAST_LEVEL_SEEK_FILTERED) + Ticker(rocksdb::NON_LAST_LEVEL_SEEK_FILTERED);
}
#else  // the same tickers as for lookups
uint64_t FeatureTest::SeeksChecked() const { return Ticker(rocksdb::BLOOM_FILTER_PREFIX_CHECKED); }

uint64_t FeatureTest::SeeksFiltered() const { return Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL); }
#endif

void FeatureTest::ExpectAllRight(const GetFunction& get, uint64_t begin, uint64_t end,
                                 double max_rate) const {
  const Answers answers = GetAll(get, *statistics_, begin, end);
  EXPECT_EQ(answers.lost, 0u) << answers;
  EXPECT_EQ(answers.wrong, 0u) << answers;
  EXPECT_EQ(answers.invented, 0u) << answers;
  EXPECT_GE(answers.true_positives, answers.stored) << answers;
  // Where files of a level meet, a missing key may lie between them, so no filter is queried.
  const uint64_t checks = answers.rejected + answers.passed;
  EXPECT_GE(checks, answers.missing * 98 / 100) << answers;
  EXPECT_LE(static_cast<double>(answers.passed), max_rate * static_cast<double>(checks)) << answers;
}

rocksdb::WriteOptions Unlogged() {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  return write;
}

void Put(rocksdb::DB* db, uint64_t begin, uint64_t end, uint64_t step, uint64_t rest,
         rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  const rocksdb::WriteOptions write = Unlogged();
  for (uint64_t i = begin; i < end; ++i) {
    if (i % step != rest) continue;
    const rocksdb::Status status = db->Put(write, family, Stored(i), Value(i));
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
}

void Flush(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  const rocksdb::Status status = db->Flush({}, family);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void PutRuns(rocksdb::DB* db, uint64_t runs, rocksdb::ColumnFamilyHandle* family) {
  for (uint64_t run = 0; run < runs; ++run) {
    Put(db, 0, kNumKeys, runs, run, family);
    Flush(db, family);
  }
}

void Compact(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  const rocksdb::Status status = db->CompactRange(options, family, nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

uint64_t FilterBytes(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  rocksdb::TablePropertiesCollection tables;
  EXPECT_TRUE(db->GetPropertiesOfAllTables(family, &tables).ok());
  uint64_t bytes = 0;
  for (const auto& table : tables) bytes += table.second->filter_size;
  return bytes;
}

std::vector<rocksdb::LiveFileMetaData> Files(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files;
}

}  // namespace bloomline::tests
