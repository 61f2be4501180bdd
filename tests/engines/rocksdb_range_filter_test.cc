// RangeFilter and RangeScan with real databases: what is skipped, option strings, and misuse.
#include "bloomline/rocksdb_range_filter.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>
#if __has_include(<rocksdb/multi_scan.h>)
#include <rocksdb/multi_scan.h>
#endif

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/metrics.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_range_filter_test {
namespace {

constexpr char kProperty[] = "bloomline.range_filter";

std::string User(int user, int post) {
  return "user:" + std::to_string(1000 + user) + ":post:" + std::to_string(post);
}

// The posts of a user.
RangeScan ScanOf(const std::shared_ptr<RangeFilter>& filter, int user) {
  const std::string start = "user:" + std::to_string(1000 + user);
  return {filter, start + ":", start + ";"};
}

rocksdb::Options OptionsWith(const std::shared_ptr<RangeFilter>& filter) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.table_properties_collector_factories.push_back(filter);
  return options;
}

// Each table has the users of one remainder modulo 10, without those of remainder 9.
void WriteTables(rocksdb::DB* db) {
  for (int remainder = 0; remainder < 9; ++remainder) {
    for (int user = remainder; user < 1000; user += 10) {
      for (int post = 0; post < 5; ++post) {
        ASSERT_TRUE(db->Put({}, User(user, post), "text").ok());
      }
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }
}

size_t CountKeys(rocksdb::DB* db, const rocksdb::ReadOptions& read_options) {
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read_options));
  size_t num_keys = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ++num_keys;
  EXPECT_TRUE(iterator->status().ok());
  size_t num_backward = 0;
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) ++num_backward;
  EXPECT_EQ(num_keys, num_backward);
  return num_keys;
}

std::string Text(const rocksdb::Configurable& filter) { return filter.ToString({}); }

class RocksDBRangeFilterTest : public testing::Test {
 protected:
  TempDir dir_;
  const std::string path_ = dir_.Path("db");
};

#if __has_include(<rocksdb/multi_scan.h>)
// RocksDB changes the upper bound for each range of a MultiScan, and has one iterator for all.
TEST_F(RocksDBRangeFilterTest, MultiScansFindAllRanges) {
  const auto filter = NewRangeFilter();
  const auto db = MustOpenRocksDB(OptionsWith(filter), path_);
  WriteTables(db.get());
  std::vector<RangeScan::Range> ranges;
  rocksdb::MultiScanArgs args(rocksdb::BytewiseComparator());
  for (int user = 5; user < 1000; user += 7) {
    const std::string start = "user:" + std::to_string(1000 + user);
    ranges.push_back({start + ":", start + ";"});
  }
  for (const auto& range : ranges) args.insert(range.lower, range.upper);
  const auto keys_with = [&](const rocksdb::ReadOptions& read_options) {
    std::vector<std::string> keys;
    const auto scans = db->NewMultiScan(read_options, db->DefaultColumnFamily(), args);
    for (auto scan : *scans) {
      for (auto entry : scan) keys.push_back(entry.first.ToString());
    }
    return keys;
  };
  const auto all = keys_with({});
  EXPECT_GT(all.size(), 500U);
  const RangeScan scan(filter, ranges);
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  EXPECT_EQ(keys_with(read_options), all);
}
#endif

// A tailing iterator forgets a level in which a Seek found nothing.
TEST_F(RocksDBRangeFilterTest, TailingIteratorsFindAllRanges) {
  RangeFilterOptions filter_options;
  filter_options.prefixes = "1";
  const auto filter = NewRangeFilter(filter_options);
  const auto db = MustOpenRocksDB(OptionsWith(filter), path_);
  const auto write = [&](const std::vector<std::string>& keys, int level) {
    for (const std::string& key : keys) ASSERT_TRUE(db->Put({}, key, "text").ok());
    ASSERT_TRUE(db->Flush({}).ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.level != 0) continue;
      ASSERT_TRUE(db->CompactFiles({}, {file.name}, level).ok());
    }
  };
  write({"z"}, 3);
  write({"a", "m"}, 2);
  write({"n", "q"}, 2);
  const RangeScan scan(filter, {{"c", "d"}, {"p", "zz"}});
  for (const bool is_tailing : {false, true}) {
    rocksdb::ReadOptions read_options;
    read_options.tailing = is_tailing;
    scan.Apply(&read_options);
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read_options));
    iterator->Seek("c");
    std::string found;
    for (iterator->Seek("p"); iterator->Valid(); iterator->Next()) {
      found += iterator->key().ToString();
    }
    EXPECT_EQ(found, "qz") << is_tailing;
  }
}

TEST_F(RocksDBRangeFilterTest, SkipsTablesWithoutKeysOfTheRange) {
  const std::shared_ptr<RangeFilter> filter = NewRangeFilter();
  ASSERT_NE(filter, nullptr);
  const auto db = MustOpenRocksDB(OptionsWith(filter), path_);
  WriteTables(db.get());
  for (int user = 0; user < 1000; ++user) {
    const RangeScan scan = ScanOf(filter, user);
    rocksdb::ReadOptions read_options;
    scan.Apply(&read_options);
    ASSERT_EQ(CountKeys(db.get(), read_options), user % 10 == 9 ? 0U : 5U) << user;
  }
  const RangeFilter::Counts counts = filter->counts();
  EXPECT_EQ(counts.tables_asked, 9000U);
  EXPECT_GT(counts.tables_skipped, 7500U);
  EXPECT_LE(counts.tables_skipped, 8100U);
  const std::string metric =
      "bloomline_range_filter_tables_total{engine=\"rocksdb\",policy=\"bloomline.ranges\",answer=";
  for (const char* answer : {"\"no\"", "\"may_match\""}) {
    EXPECT_NE(MetricsText().find(metric + answer + "} "), std::string::npos) << MetricsText();
  }
}

// Backward, RocksDB asks the tables of a level down to the first one that is read.
TEST_F(RocksDBRangeFilterTest, BackwardScansEndSoon) {
  const std::shared_ptr<RangeFilter> filter = NewRangeFilter();
  rocksdb::Options options = OptionsWith(filter);
  options.target_file_size_base = 16 << 10;
  options.num_levels = 2;
  options.compression = rocksdb::kNoCompression;
  const auto db = MustOpenRocksDB(options, path_);
  for (int user = 0; user < 2000; user += 2) {
    ASSERT_TRUE(db->Put({}, User(user, 0), std::string(2000, 'x')).ok());
  }
  ASSERT_TRUE(CompactAll(db.get()).ok());
  ASSERT_GT(TablesByLevel(db.get()).count(1), 60U);
  const RangeScan scan = ScanOf(filter, 1901);
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  EXPECT_EQ(CountKeys(db.get(), read_options), 0U);
  EXPECT_LT(filter->counts().tables_asked, 24U);
}

// From 11.2 on, RocksDB refuses table filters while this option is set.
TEST_F(RocksDBRangeFilterTest, ConversionOfTombstonesRefusesScansWhileItIsOn) {
  const auto filter = NewRangeFilter();
  const auto db = MustOpenRocksDB(OptionsWith(filter), path_);
  WriteTables(db.get());
  const auto set_least = [&](const char* least) {
    return db->SetOptions({{"min_tombstones_for_range_conversion", least}}).ok();
  };
  if (!set_least("2")) {
    ASSERT_LT(100 * ROCKSDB_MAJOR + ROCKSDB_MINOR, 1102);
    GTEST_SKIP() << "RocksDB before 11.2 has no such option";
  }
  const RangeScan scan = ScanOf(filter, 5);
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  const auto status = [&] {
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read_options));
    iterator->SeekToFirst();
    return iterator->status();
  };
  EXPECT_TRUE(status().IsInvalidArgument()) << status().ToString();
  ASSERT_TRUE(set_least("0"));
  EXPECT_TRUE(status().ok()) << status().ToString();
  EXPECT_EQ(CountKeys(db.get(), read_options), 5U);
}

TEST_F(RocksDBRangeFilterTest, OptionStringsMakeItAndOptionsFilesKeepIt) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::ColumnFamilyOptions family;
  const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
      config, {},
      "table_properties_collectors={id=bloomline.ranges;prefixes=4,after0x3a@2;memory_percent=30;"
      "format=blocked;bits_per_key=8;max_bytes_per_table=8192}",
      &family);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(family.table_properties_collector_factories.size(), 1U);
  const std::shared_ptr<RangeFilter> filter = FindRangeFilter(family);
  ASSERT_NE(filter, nullptr);
  const std::string text = Text(*filter);
  for (const char* part : {"id=bloomline.ranges", "prefixes=4,after0x3a@2", "memory_percent=30",
                           "format=blocked", "bits_per_key=8", "max_bytes_per_table=8192"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  rocksdb::Options options({}, family);
  options.create_if_missing = true;
  {
    const auto db = MustOpenRocksDB(options, path_);
    WriteTables(db.get());
    for (const auto& [level, table] : TablesByLevel(db.get())) {
      EXPECT_EQ(table->user_collected_properties.count(kProperty), 1U);
    }
  }
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(rocksdb::LoadLatestOptions(config, path_, &loaded, &families).ok());
  const std::shared_ptr<RangeFilter> of_file = FindRangeFilter(families.at(0).options);
  ASSERT_NE(of_file, nullptr);
  EXPECT_EQ(Text(*of_file), text);
}

// RocksDB silently drops what follows a colon in an option string.
TEST_F(RocksDBRangeFilterTest, TheListThatErrorsSuggestSurvivesOptionTexts) {
  ASSERT_TRUE(RegisterBloomline());
  RangeFilterOptions wrong;
  wrong.prefixes = "x";
  const std::string error = wrong.Validate();
  constexpr std::string_view kBefore = "a list as in ";
  const size_t begin = error.find(kBefore);
  ASSERT_NE(begin, std::string::npos) << error;
  const std::string list = error.substr(
      begin + kBefore.size(), error.find(' ', begin + kBefore.size()) - begin - kBefore.size());
  RangeFilterOptions right;
  right.prefixes = list;
  ASSERT_EQ(right.Validate(), "");
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::ColumnFamilyOptions family;
  const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
      config, {}, "table_properties_collectors={id=bloomline.ranges;prefixes=" + list + "}",
      &family);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::shared_ptr<RangeFilter> filter = FindRangeFilter(family);
  ASSERT_NE(filter, nullptr);
  EXPECT_NE(Text(*filter).find("prefixes=" + list + ";"), std::string::npos) << Text(*filter);
  rocksdb::Options options({}, family);
  options.create_if_missing = true;
  { const auto db = MustOpenRocksDB(options, path_); }
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(rocksdb::LoadLatestOptions(config, path_, &loaded, &families).ok());
  const std::shared_ptr<RangeFilter> of_file = FindRangeFilter(families.at(0).options);
  ASSERT_NE(of_file, nullptr);
  EXPECT_EQ(Text(*of_file), Text(*filter));
}

// The option level_size_ratio, which releases before 0.4.0 wrote.
TEST_F(RocksDBRangeFilterTest, FormerOptionsHaveNoEffect) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.ignore_unknown_options = false;
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      config, BLOOMLINE_GOLDEN_DIR "/releases/0.3.0/ranges/OPTIONS-000007", &loaded, &families);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto of_file = FindRangeFilter(families.at(0).options);
  ASSERT_NE(of_file, nullptr);
  EXPECT_EQ(Text(*of_file), Text(*NewRangeFilter()));
  rocksdb::ColumnFamilyOptions family;
  for (const char* value : {"0", "4", "-1", "ten"}) {
    status = rocksdb::GetColumnFamilyOptionsFromString(
        config, {},
        std::string("table_properties_collectors={id=bloomline.ranges;level_size_ratio=") + value +
            ";memory_percent=30}",
        &family);
    ASSERT_TRUE(status.ok()) << value << ": " << status.ToString();
    const auto filter = FindRangeFilter(family);
    ASSERT_NE(filter, nullptr) << value;
    EXPECT_NE(Text(*filter).find("memory_percent=30"), std::string::npos) << Text(*filter);
    EXPECT_EQ(Text(*filter).find("level_size_ratio"), std::string::npos) << Text(*filter);
  }
}

// Another process says it once, so it begins without this one's state.
TEST(RocksDBRangeFilterDeathTest, FormerOptionsAreSaidOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read_twice = [] {
    RegisterBloomline();
    rocksdb::ColumnFamilyOptions family;
    for (int i = 0; i < 2; ++i) {
      rocksdb::GetColumnFamilyOptionsFromString(
          {}, {}, "table_properties_collectors={id=bloomline.ranges;level_size_ratio=4}", &family)
          .PermitUncheckedError();
    }
    std::exit(0);
  };
  EXPECT_EXIT(read_twice(), testing::ExitedWithCode(0),
              "^bloomline: level_size_ratio of bloomline.ranges has no effect [^\n]*\n$");
}

// Versions before 0.4.0 wrote compact, also where nothing was said of the format.
TEST_F(RocksDBRangeFilterTest, CompactInTextsMeansRibbon) {
  ASSERT_TRUE(RegisterBloomline());
  constexpr char kFormer[] =
      "table_properties_collectors={{id=bloomline.ranges;bits_per_key=10.000000;"
      "level_size_ratio=10.000000;format=compact;memory_percent=20.000000;"
      "max_bytes_per_table=16777216;prefixes=auto;}}";
  const std::string options_path = path_ + "/OPTIONS-000007";
  ASSERT_TRUE(rocksdb::Env::Default()->CreateDirIfMissing(path_).ok());
  ASSERT_TRUE(rocksdb::WriteStringToFile(
                  rocksdb::Env::Default(),
                  std::string("[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
                              "[DBOptions]\n  create_if_missing=true\n"
                              "[CFOptions \"default\"]\n  disable_auto_compactions=true\n  ") +
                      kFormer + "\n[TableOptions/BlockBasedTable \"default\"]\n  checksum=kXXH3\n",
                  options_path)
                  .ok());
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::Status status =
      rocksdb::LoadOptionsFromFile(config, options_path, &loaded, &families);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto filter = FindRangeFilter(families.at(0).options);
  ASSERT_NE(filter, nullptr);
  EXPECT_NE(Text(*filter).find("format=ribbon"), std::string::npos) << Text(*filter);
  EXPECT_NE(Text(*filter).find("bits_per_key=10."), std::string::npos) << Text(*filter);
  // The database writes tables, and its own OPTIONS names ribbon.
  {
    const auto db = MustOpenRocksDB(rocksdb::Options(loaded, families.at(0).options), path_);
    WriteTables(db.get());
    for (int user = 0; user < 1000; ++user) {
      const RangeScan scan = ScanOf(filter, user);
      rocksdb::ReadOptions read_options;
      scan.Apply(&read_options);
      ASSERT_EQ(CountKeys(db.get(), read_options), user % 10 == 9 ? 0U : 5U) << user;
    }
    EXPECT_GT(filter->counts().tables_skipped, 7500U);
  }
  ASSERT_TRUE(rocksdb::LoadLatestOptions(config, path_, &loaded, &families).ok());
  const auto of_file = FindRangeFilter(families.at(0).options);
  ASSERT_NE(of_file, nullptr);
  EXPECT_EQ(Text(*of_file), Text(*filter));
}

// In a value of table_properties_collectors with one pair of braces, a colon ends the collector.
TEST_F(RocksDBRangeFilterTest, ListsWithColonsSurviveOptionsFiles) {
  RangeFilterOptions filter_options;
  filter_options.prefixes = "4:8";
  filter_options.memory_percent = 50;
  const auto filter = NewRangeFilter(filter_options);
  { const auto db = MustOpenRocksDB(OptionsWith(filter), path_); }
  rocksdb::ConfigOptions config;
  rocksdb::DBOptions loaded;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(rocksdb::LoadLatestOptions(config, path_, &loaded, &families).ok());
  const std::shared_ptr<RangeFilter> of_file = FindRangeFilter(families.at(0).options);
  ASSERT_NE(of_file, nullptr);
  EXPECT_EQ(Text(*of_file), Text(*filter));
  EXPECT_NE(Text(*of_file).find("prefixes=4,8"), std::string::npos) << Text(*of_file);
  EXPECT_NE(Text(*of_file).find("memory_percent=50"), std::string::npos) << Text(*of_file);
}

TEST_F(RocksDBRangeFilterTest, WrongOptionsAreRefused) {
  RangeFilterOptions options;
  EXPECT_EQ(options.Validate(), "");
  const auto expect_refused = [&](const char* why) {
    std::string error;
    EXPECT_EQ(NewRangeFilter(options, &error), nullptr);
    EXPECT_EQ(error, options.Validate());
    EXPECT_EQ(error.substr(0, error.find(' ')), why) << error;
    options = {};
  };
  for (const char* prefixes :
       {"", "4:", "0", "65", "513bits", "4:4", "4:32bits", "after0x", "after0x100", "after0x2f@0",
        "after0x2f@9", "after0x2f@1+1", "after0x2f:after0x2f", "1:2:3:4:5:6:7:8:9", "automatic"}) {
    options.prefixes = prefixes;
    expect_refused("prefixes");
  }
  for (const double percent : {0.0, 0.9, 401.0, -1.0}) {
    options.memory_percent = percent;
    expect_refused("memory_percent");
  }
  options.bits_per_key = 101;
  expect_refused("bits_per_key");
  for (const Format format : {Format::kClassic, Format::kBloom}) {
    options.format = format;
    expect_refused("format");
  }
  options.format = Format::kCompact;
  EXPECT_EQ(options.Validate(),
            "format is compact, which is written in LevelDB only; allowed: blocked, ribbon (ribbon "
            "takes the place of compact)");
  expect_refused("format");
  options.max_bytes_per_table = 4095;
  expect_refused("max_bytes_per_table");
  ASSERT_TRUE(RegisterBloomline());
  for (const char* wrong : {"memory_percent=0", "prefixes=x", "format=bloom", "unknown=1"}) {
    rocksdb::ColumnFamilyOptions family;
    const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
        {}, {}, std::string("table_properties_collectors={id=bloomline.ranges;") + wrong + "}",
        &family);
    EXPECT_FALSE(status.ok()) << wrong;
  }
}

TEST_F(RocksDBRangeFilterTest, FindsOnlyItsOwnKind) {
  rocksdb::ColumnFamilyOptions family;
  EXPECT_EQ(FindRangeFilter(family), nullptr);
  family.table_properties_collector_factories.push_back(nullptr);
  EXPECT_EQ(FindRangeFilter(family), nullptr);
  const std::shared_ptr<RangeFilter> filter = NewRangeFilter();
  family.table_properties_collector_factories.push_back(filter);
  EXPECT_EQ(FindRangeFilter(family), filter);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_filter_test
