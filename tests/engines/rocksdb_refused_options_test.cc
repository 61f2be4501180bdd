// Options that a policy refuses, through every door through which RocksDB lets them in. RocksDB
// drops most errors: the policy then keeps the mistake, DB::Open returns it, and where RocksDB does
// not ask the policy, files get RocksDB's own Bloom filters, and LOG says so.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/options/option_list.h"
#include "tests/engines/kept_log.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_refused_options_test {
namespace {

// A mistake in an option: its text, and what the error names.
struct Mistake {
  std::string option;  // "format=ribon"
  std::string value;
  std::string allowed;
};

// A value that each option refuses; the number of options is checked below.
const Mistake kBadValues[] = {
    {"bits_per_key=1000", "bits_per_key is 1000", "1 to 100"},
    {"format=ribon", "format is 'ribon'", "blocked, bloom, ribbon"},
    {"seed=-1", "seed is '-1'", "0 to 2^64 - 1"},
    {"bits_by_level=20,ten", "bits_by_level is '20,ten'", "auto, uniform"},
    {"flush_format=legacy", "flush_format is 'legacy'", "ribbon, same"},
    {"bloom_before_level=99", "bloom_before_level is '99'", "-1 to 64"},
    {"filters_at_bottom=no", "filters_at_bottom is 'no'", "true, false"},
    {"stock_id=ture", "stock_id is 'ture'", "true, false"},
    {"memory=1.5G", "memory is '1.5G'", "as in 512M"},
    {"max_filter_bytes=2EB", "max_filter_bytes is '2EB'", "as in 512M"},
};

std::vector<Mistake> Mistakes() {
  std::vector<Mistake> mistakes(std::begin(kBadValues), std::end(kBadValues));
  // Only the names of earlier releases are taken without effect.
  mistakes.push_back({"range_prefix=4", "no option 'range_prefix'", "bits_per_key, format"});
  for (const filter::PolicyOption& option : filter::kPolicyOptions) {
    const std::string name = option.name;
    // As it is misspelt, and as an option of a later release would look.
    mistakes.push_back({name.substr(1) + "=1", "no option '" + name.substr(1) + "'", option.name});
    mistakes.push_back({name + "_2=1", "no option '" + name + "_2'", "bits_per_key, format"});
  }
  return mistakes;
}

std::string PolicyText(const Mistake& mistake) { return "{id=bloomline;" + mistake.option + ";}"; }

// What GetBlockBasedTableOptionsFromString makes of it: most programs' door.
rocksdb::BlockBasedTableOptions TableOf(const std::string& policy,
                                        const rocksdb::ConfigOptions& config = {}) {
  EXPECT_TRUE(RegisterBloomline());
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status status =
      rocksdb::GetBlockBasedTableOptionsFromString(config, {}, "filter_policy=" + policy, &table);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return table;
}

// The filter of 1000 keys.
std::string FilterOf(const Policy& policy) {
  const Builder builder = NewBuilder(policy);
  if (builder == nullptr) return "none";
  for (int i = 0; i < 1000; ++i) builder->AddKey(std::to_string(i));
  return Finished(builder.get());
}

void ExpectNames(const std::string& text, const Mistake& mistake) {
  EXPECT_NE(text.find(mistake.value), std::string::npos) << text;
  EXPECT_NE(text.find(mistake.allowed), std::string::npos) << text;
}

class RocksDBRefusedOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { TakeStderr(); }

  // What was printed since the last call.
  static std::string Said() {
    std::string said = TakeStderr();
    testing::internal::CaptureStderr();
    return said;
  }

  // Puts a key in a table of the family.
  static void WriteTable(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(db->Put({}, family, std::to_string(i), "value").ok());
    }
    ASSERT_TRUE(db->Flush({}, family).ok());
  }
  // The bytes of the filters of the family's tables.
  static uint64_t FilterBytesOf(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db->GetPropertiesOfAllTables(family, &tables).ok());
    uint64_t bytes = 0;
    for (const auto& table : tables) bytes += table.second->filter_size;
    return bytes;
  }
  static uint64_t StockFilterBytes() { return FilterOf(PolicyOf("bloomfilter:10:false")).size(); }

  const TempDir dir_;
};

TEST_F(RocksDBRefusedOptionsTest, EachOptionHasAMistake) {
  for (const filter::PolicyOption& option : filter::kPolicyOptions) {
    EXPECT_TRUE(std::any_of(std::begin(kBadValues), std::end(kBadValues), [&](const Mistake& one) {
      return one.option.find(std::string(option.name) + "=") == 0;
    })) << option.name;
  }
}

TEST_F(RocksDBRefusedOptionsTest, OpeningFailsWithTheMistakeAndWritesNothing) {
  const std::string stock = FilterOf(PolicyOf("bloomfilter:10:false"));
  for (const Mistake& mistake : Mistakes()) {
    SCOPED_TRACE(mistake.option);
    Said();
    const rocksdb::BlockBasedTableOptions table = TableOf(PolicyText(mistake));
    const std::string said = Said();
    ExpectNames(said, mistake);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    ASSERT_NE(table.filter_policy, nullptr);
    std::unique_ptr<rocksdb::DB> db;
    const std::string path = dir_.Path("db");
    const rocksdb::Status status = OpenRocksDB(WithTable(table), path, &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    ExpectNames(status.ToString(), mistake);
    EXPECT_NE(rocksdb::Env::Default()->FileExists(path + "/CURRENT"), rocksdb::Status::OK());
    EXPECT_EQ(FilterOf(table.filter_policy), stock);
  }
}

TEST_F(RocksDBRefusedOptionsTest, NamesAreRefusedLikeOptions) {
  for (const Mistake& mistake :
       {Mistake{"bloomline:1000", "bits_per_key is 1000", "1 to 100"},
        Mistake{"bloomline:ten", "bits_per_key is 'ten'", "1 to 100"},
        Mistake{"{id=bloomline:;format=ribbon;}", "bits_per_key is ''", "1 to 100"},
        Mistake{"bloomline:10:3", "'bloomline:10:3'", "BITS_PER_KEY"}}) {
    SCOPED_TRACE(mistake.option);
    Said();
    const rocksdb::BlockBasedTableOptions table = TableOf(mistake.option);
    ExpectNames(Said(), mistake);
    std::unique_ptr<rocksdb::DB> db;
    const rocksdb::Status status = OpenRocksDB(WithTable(table), dir_.Path("db"), &db);
    ExpectNames(status.ToString(), mistake);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(FilterOf(table.filter_policy), FilterOf(PolicyOf("bloomfilter:10:false")));
    // It stays refused, whatever else it is told.
    auto* changed = const_cast<rocksdb::FilterPolicy*>(table.filter_policy.get());
    EXPECT_FALSE(changed->ConfigureFromMap({}, {{"bits_per_key", "12"}}).ok());
  }
}

// With what is written in the family, and what LOG has of it. The OPTIONS file keeps the mistake,
// so that the next opening returns it.
TEST_F(RocksDBRefusedOptionsTest, ANewColumnFamilyGetsStockFiltersAndTheNextOpeningFails) {
  int number = 0;
  for (const Mistake& mistake : Mistakes()) {
    if (++number % 3 != 0) continue;
    SCOPED_TRACE(mistake.option);
    const std::string path = dir_.Path("db" + std::to_string(number));
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithPolicy(PolicyOf("bloomline:12"));
    options.info_log = log;
    std::unique_ptr<rocksdb::DB> db = MustOpenRocksDB(options, path);
    rocksdb::ColumnFamilyOptions of_family;
    of_family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(TableOf(PolicyText(mistake))));
    rocksdb::ColumnFamilyHandle* family = nullptr;
    const rocksdb::Status created = db->CreateColumnFamily(of_family, "new", &family);
    ASSERT_TRUE(created.ok()) << created.ToString();
    WriteTable(db.get(), family);
    EXPECT_EQ(FilterBytesOf(db.get(), family), StockFilterBytes());
    EXPECT_TRUE(log->Has(mistake.value + "; allowed: "));
    EXPECT_TRUE(log->Has("RocksDB's own Bloom filters with 10 bits per key"));
    std::string value;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(db->Get({}, family, std::to_string(i), &value).ok());
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
    db.reset();

    rocksdb::DBOptions database;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    ASSERT_TRUE(rocksdb::LoadLatestOptions({}, path, &database, &families).ok());
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const rocksdb::Status opened = OpenRocksDB(database, path, families, &handles, &db);
    ExpectNames(opened.ToString(), mistake);
    EXPECT_FALSE(opened.ok());
  }
}

// Before 9.8 it returns the mistake, and changes nothing. Later it makes a new policy and drops the
// mistake. Another change of the same option fixes it, and keeps what was right.
TEST_F(RocksDBRefusedOptionsTest, SetOptionsIsLoudAndCanBeFixed) {
  int number = 0;
  for (const Mistake& mistake : Mistakes()) {
    SCOPED_TRACE(mistake.option);
    if (++number % 3 != 0) continue;
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithPolicy(PolicyOf("{id=bloomline;format=ribbon;bits_per_key=9;}"));
    options.info_log = log;
    const std::string path = dir_.Path("db" + std::to_string(number));
    const std::unique_ptr<rocksdb::DB> db = MustOpenRocksDB(options, path);
    const auto set = [&](const std::string& changes) {
      return db->SetOptions({{"block_based_table_factory", "{filter_policy={" + changes + ";};}"}});
    };
    Said();
    const rocksdb::Status status = set("filters_at_bottom=false;" + mistake.option);
    ExpectNames(Said(), mistake);
    WriteTable(db.get(), db->DefaultColumnFamily());
    const uint64_t bytes = FilterBytesOf(db.get(), db->DefaultColumnFamily());
    if (kSetOptionsMakesANewPolicy) {
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(bytes, StockFilterBytes());
      EXPECT_TRUE(log->Has(mistake.value + "; allowed: "));
    } else {
      ExpectNames(status.ToString(), mistake);
      EXPECT_FALSE(status.ok());
      EXPECT_EQ(
          bytes,
          FilterOf(
              options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy)
              .size());
      EXPECT_FALSE(log->Has("refused"));
    }
    // Fixed by the option's right value, or by another option in place of an unknown one.
    const std::string name = mistake.option.substr(0, mistake.option.find('='));
    const bool is_known = mistake.value.find("no option") == std::string::npos;
    std::string right = "seed=0";
    if (is_known) right = name + "=" + Value(*PolicyOf("bloomline"), name.c_str());
    const rocksdb::Status fixed = set(right);
    EXPECT_TRUE(fixed.ok()) << fixed.ToString();
    const Policy policy = PolicyOf(db->GetOptions());
    EXPECT_EQ(Value(*policy, "filters_at_bottom"),
              kSetOptionsMakesANewPolicy && name != "filters_at_bottom" ? "false" : "true");
    if (name != "format") {
      EXPECT_EQ(Value(*policy, "format"), "ribbon");
    }
  }
}

TEST_F(RocksDBRefusedOptionsTest, AFileWithoutADatabaseGetsAStockFilter) {
  for (const Mistake& mistake : kBadValues) {
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithTable(TableOf(PolicyText(mistake)));
    options.info_log = log;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    const std::string path = dir_.Path("table.sst");
    ASSERT_TRUE(writer.Open(path).ok());
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) keys.push_back(std::to_string(i));
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) ASSERT_TRUE(writer.Put(key, "value").ok());
    ASSERT_TRUE(writer.Finish().ok());
    rocksdb::SstFileReader reader(options);
    ASSERT_TRUE(reader.Open(path).ok());
    EXPECT_EQ(reader.GetTableProperties()->filter_size, StockFilterBytes()) << mistake.option;
    EXPECT_TRUE(log->Has(mistake.value)) << mistake.option;
  }
}

// By the C functions, which make no policy.
TEST_F(RocksDBRefusedOptionsTest, CFunctionsReturnTheMistake) {
  std::vector<Mistake> mistakes = Mistakes();
  for (const filter::PolicyOption& option : filter::kPolicyOptions) {
    const std::string name = option.name;
    const std::string text = name + "=" + Value(*PolicyOf("bloomline"), option.name);
    mistakes.push_back({text + "; " + text, name + " is given twice", "allowed: once"});
  }
  mistakes.push_back({"format=ribbon;id=bloomline",
                      "id is given twice, 'bloomline' and 'bloomline'", "allowed: once"});
  mistakes.push_back({"format=blocked;format=ribbon",
                      "format is given twice, 'blocked' and 'ribbon'", "allowed: once"});
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.option);
    const std::string policy = PolicyText(mistake);
    char* error = nullptr;
    EXPECT_EQ(bloomline_rocksdb_filterpolicy_create(policy.c_str(), &error), nullptr);
    ASSERT_NE(error, nullptr);
    ExpectNames(error, mistake);
    std::free(error);
    error = nullptr;
    const std::string family = "block_based_table_factory={filter_policy=" + policy + "}";
    EXPECT_EQ(bloomline_rocksdb_validate_family_options(family.c_str(), &error), 0);
    ASSERT_NE(error, nullptr);
    ExpectNames(error, mistake);
    std::free(error);
  }
}

// RocksDB's own strings are merged before the policy sees them: the last one counts.
TEST_F(RocksDBRefusedOptionsTest, OfTwoInRocksDBsStringsTheLastCounts) {
  const auto table = TableOf("{id=bloomline;format=blocked;format=ribbon}");
  EXPECT_EQ(Settings(*table.filter_policy), "ribbon 10 0");
}

TEST_F(RocksDBRefusedOptionsTest, SkippedNamesAreInTheLogOfEachOpening) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = true;
  const auto table = TableOf("{id=bloomline;format=ribbon;bit_per_key=12;}", config);
  EXPECT_EQ(Settings(*table.filter_policy), "ribbon 10 0");
  for (int opening = 0; opening < 2; ++opening) {
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithTable(table);
    options.info_log = log;
    const std::unique_ptr<rocksdb::DB> db = MustOpenRocksDB(options, dir_.Path("db"));
    WriteTable(db.get(), db->DefaultColumnFamily());
    EXPECT_TRUE(log->Has("that were left out: bit_per_key"));
  }
  // A bad value is no unknown name.
  const auto refused = TableOf("{id=bloomline;format=ribon;}", config);
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_FALSE(OpenRocksDB(WithTable(refused), dir_.Path("other"), &db).ok());
}

// An OPTIONS file of a later release has an option that this one does not know.
TEST_F(RocksDBRefusedOptionsTest, WhatWasRefusedIsReadBackAndForgottenOnceItIsKnown) {
  const Policy refused = TableOf("{id=bloomline;format=ribon;bits_per_key=14.5;}").filter_policy;
  const std::string text = refused->ToString(rocksdb::ConfigOptions());
  EXPECT_EQ(text, "{id=bloomline;refused={bits_per_key=14.5;format=ribon;};}");
  EXPECT_EQ(TableOf(text).filter_policy->ToString(rocksdb::ConfigOptions()), text);
  const Policy known =
      TableOf("{id=bloomline;refused={bits_per_key=14.5;format=ribbon;};}").filter_policy;
  EXPECT_EQ(Settings(*known), "ribbon 14.5 0");
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(OpenRocksDB(WithPolicy(known), dir_.Path("db"), &db).ok());
  // Delimiters cannot end the text early.
  auto* changed = const_cast<rocksdb::FilterPolicy*>(refused.get());
  EXPECT_FALSE(changed->ConfigureFromMap({}, {{"format", "a;b={c}"}}).ok());
  EXPECT_EQ(refused->ToString(rocksdb::ConfigOptions()),
            "{id=bloomline;refused={bits_per_key=14.5;format=a?b??c?;};}");
}

// SetOptions before 9.8, and RocksDB itself where it takes back a change of another option.
TEST_F(RocksDBRefusedOptionsTest, OnlyTheOptionItselfMendsTheMistake) {
  const Policy policy = TableOf("{id=bloomline;format=ribon;bits_per_key=14.5;}").filter_policy;
  auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  rocksdb::ConfigOptions config;
  std::string own_options;
  ASSERT_TRUE(policy->GetOptionString(config, &own_options).ok());
  EXPECT_EQ(own_options, "refused={bits_per_key=14.5;format=ribon;};");
  Said();
  config.ignore_unknown_options = true;
  EXPECT_FALSE(changed->ConfigureFromString(config, own_options).ok());
  EXPECT_EQ(Said(), "");
  EXPECT_TRUE(IsRefused(*policy));
  EXPECT_FALSE(changed->ConfigureFromMap({}, {{"filters_at_bottom", "false"}}).ok());
  EXPECT_NE(Said().find("format is 'ribon'"), std::string::npos);
  EXPECT_TRUE(IsRefused(*policy));
  EXPECT_TRUE(changed->ConfigureFromMap({}, {{"format", "ribbon"}}).ok());
  EXPECT_EQ(Said(), "");
  EXPECT_FALSE(IsRefused(*policy));
  EXPECT_EQ(Settings(*policy) + " " + Value(*policy, "filters_at_bottom"), "ribbon 14.5 0 false");
}

TEST_F(RocksDBRefusedOptionsTest, OptionsOfEarlierReleasesAreNotUnknown) {
  const Policy policy = TableOf(
                            "{id=bloomline;format=ribon;range_prefixes=auto;range_memory_percent="
                            "30;levels_in_use=6;}")
                            .filter_policy;
  EXPECT_TRUE(IsRefused(*policy));
  Said();
  auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  EXPECT_TRUE(changed->ConfigureFromMap({}, {{"format", "ribbon"}}).ok());
  EXPECT_EQ(Said(), "");
  EXPECT_FALSE(IsRefused(*policy));
  EXPECT_EQ(policy->ToString({}).find("range"), std::string::npos);
}

TEST_F(RocksDBRefusedOptionsTest, AChangeLeavesUnknownOptionsOutAndSaysSo) {
  for (const bool is_lenient : {false, true}) {
    const Policy policy = TableOf("{id=bloomline;bit_per_key=14.5;format=ribbon;}").filter_policy;
    auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
    rocksdb::ConfigOptions config;
    config.ignore_unknown_options = is_lenient;
    EXPECT_FALSE(changed->ConfigureFromMap(config, {}).ok());
    EXPECT_TRUE(IsRefused(*policy));
    Said();
    EXPECT_TRUE(changed->ConfigureFromMap(config, {{"bits_per_key", "9"}}).ok());
    EXPECT_NE(Said().find("unknown options are left out: bit_per_key"), std::string::npos);
    EXPECT_EQ(Settings(*policy), "ribbon 9 0");
    const auto log = std::make_shared<KeptLog>();
    rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.info_log = log.get();
    const Builder builder(policy->GetBuilderWithContext(context));
    EXPECT_TRUE(log->Has("left out: bit_per_key"));
  }
}

// As SetOptions does since 9.8: a new policy of the options of the old one and of the changes.
TEST_F(RocksDBRefusedOptionsTest, ANewPolicyOfARefusedOneKeepsTheMistake) {
  const auto change = [](Policy policy, const std::string& changes) {
    rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), changes, &policy)
        .PermitUncheckedError();
    return policy;
  };
  const Policy refused =
      change(PolicyOf("{id=bloomline;format=ribbon;bits_per_key=9}"), "{format=ribon;}");
  EXPECT_TRUE(IsRefused(*refused));
  Said();
  const Policy still = change(refused, "{filters_at_bottom=false;}");
  EXPECT_NE(Said().find("format is 'ribon'"), std::string::npos);
  EXPECT_TRUE(IsRefused(*still));
  EXPECT_EQ(FilterOf(still), FilterOf(PolicyOf("bloomfilter:10:false")));
  const Policy fixed = change(still, "{format=blocked;}");
  EXPECT_FALSE(IsRefused(*fixed));
  EXPECT_EQ(Settings(*fixed) + " " + Value(*fixed, "filters_at_bottom"), "blocked 9 0 false");
  std::string mismatch;
  EXPECT_FALSE(still->AreEquivalent(rocksdb::ConfigOptions(), refused.get(), &mismatch));
}

// The registry alone makes a policy that nobody configures.
TEST_F(RocksDBRefusedOptionsTest, AWrongNameIsRefusedFromTheStart) {
  RegisterBloomline();
  Policy policy;
  ASSERT_TRUE(rocksdb::ObjectRegistry::NewInstance()
                  ->NewSharedObject<const rocksdb::FilterPolicy>("bloomline:1000", &policy)
                  .ok());
  EXPECT_TRUE(IsRefused(*policy));
  EXPECT_EQ(TableOf("bloomline:#5").filter_policy->GetId(), "bloomline:?5");
}

// Filters would lose keys in a database with this option of earlier versions, whatever else is set.
TEST_F(RocksDBRefusedOptionsTest, WithACanonicalizerThereAreNoFilters) {
  const auto table = TableOf("{id=bloomline;canonicalizer=CaseFolding;bits=3;}");
  EXPECT_NE(Said().find("no filters"), std::string::npos);
  Policy policy = table.filter_policy;
  EXPECT_EQ(FilterOf(policy), "none");
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_FALSE(OpenRocksDB(WithTable(table), dir_.Path("db"), &db).ok());
  // Earlier versions look for it in OPTIONS files.
  EXPECT_EQ(policy->ToString(rocksdb::ConfigOptions()),
            "{id=bloomline;canonicalizer=CaseFolding;refused={bits=3;};}");
  auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  EXPECT_FALSE(changed->ConfigureFromMap({}, {{"filters_at_bottom", "false"}}).ok());
  EXPECT_EQ(FilterOf(policy), "none");
  for (const char* const text : {"{filters_at_bottom=false;}", "{bits_by_level=20:10;}"}) {
    rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy)
        .PermitUncheckedError();
    EXPECT_EQ(FilterOf(policy), "none");
    EXPECT_TRUE(IsRefused(*policy));
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_refused_options_test
