// Option strings of the RocksDB policy: valid ones are read, and invalid ones are printed to stderr
// where RocksDB drops the message.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/stock/stock_names.h"
#include "src/support/number_text.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_option_strings_test {
namespace {

// The results of RocksDB's calls with an option string.
struct Outcome {
  rocksdb::Status status;
  Policy policy;
  std::string said;  // printed to stderr
};

Outcome ByTableOptions(const std::string& text, bool is_escaped = true) {
  RegisterBloomline();
  rocksdb::ConfigOptions config;
  config.input_strings_escaped = is_escaped;
  rocksdb::BlockBasedTableOptions table_options;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
      config, {}, "filter_policy=" + text, &table_options);
  return {status, table_options.filter_policy, TakeStderr()};
}

// Calls in which RocksDB itself must report the error.
Outcome ByUnescapedOptions(const std::string& text) { return ByTableOptions(text, false); }

Outcome ByEscapedOptions(const std::string& text) { return ByTableOptions(text); }

Outcome ByPolicy(const std::string& text) {
  RegisterBloomline();
  Policy policy;
  testing::internal::CaptureStderr();
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  return {status, policy, TakeStderr()};
}

Outcome ByFamilyOptions(const std::string& text) {
  RegisterBloomline();
  rocksdb::ColumnFamilyOptions options;
  testing::internal::CaptureStderr();
  const rocksdb::Status status =
      rocksdb::GetColumnFamilyOptionsFromString(rocksdb::ConfigOptions(), {}, text, &options);
  return {status, PolicyOf(options), TakeStderr()};
}

Outcome ByOptionsFile(const std::string& text) {
  RegisterBloomline();
  const TempDir dir;
  std::ofstream(dir.Path("options.ini"))
      << "[Version]\nrocksdb_version=" << rocksdb::GetRocksVersionAsString()
      << "\noptions_file_version=1.1\n[DBOptions]\n[CFOptions \"default\"]\n"
      << "[TableOptions/BlockBasedTable \"default\"]\nfilter_policy=" << text << "\n";
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      rocksdb::ConfigOptions(), dir.Path("options.ini"), &db_options, &families);
  const std::string said = TakeStderr();
  if (families.empty()) return {status, nullptr, said};
  return {status, PolicyOf(families[0].options), said};
}

const struct {
  const char* text;
  std::vector<const char*> reason;  // all of these in one line
} kBadStrings[] = {
    {"{id=bloomline;format=ribon}", {"format is 'ribon'; allowed: blocked, bloom, ribbon"}},
    {"{id=bloomline;bits_per_key=abc}", {"bits_per_key is 'abc'", "1 to 100"}},
    {"{id=bloomline;bits_per_key=9,5}", {"bits_per_key is '9,5'", "1 to 100"}},
    {"{id=bloomline;bits=10}", {"'bits'", "allowed: bits_per_key, format, seed"}},
    {"bloomline:1000", {"bits_per_key is 1000; allowed: 1 to 100 in format blocked"}},
    {"{id=bloomline;fromat=ribbon}", {"'fromat'", "did you mean 'format'?"}},
    {"bloomline:", {"bits_per_key is ''", "1 to 100"}},
    {"{id=bloomline;seed=18446744073709551616}", {"18446744073709551616", "0 to 2^64 - 1"}},
    {"{id=bloomline;bits_by_level=24:ten}", {"bits_by_level is '24:ten'", "allowed: auto"}},
    {"{id=bloomline;bits_by_level=}", {"bits_by_level is ''", "allowed: auto, uniform"}},
    {"{id=bloomline;flush_format=classic}", {"flush_format is 'classic'", "ribbon, same"}},
    {"{id=bloomline;format=ribbon;bloom_before_level=65}", {"is '65'; allowed: -1 to 64"}},
    {"{id=bloomline;format=ribbon;bloom_before_level=-2}", {"is '-2'; allowed: -1 to 64"}},
    {"{id=bloomline;format=ribbon;bloom_before_level=3;flush_format=bloom}",
     {"bloom_before_level is 3 and flush_format is bloom; allowed: one of the two"}},
    {"{id=bloomline;bloom_before_level=0}",
     {"bloom_before_level is 0 and format is blocked; allowed: ribbon"}},
    {"bloomline:10:3", {"write {id=bloomline;format=ribbon;bits_per_key=10;bloom_before_level=3}"}},
    {"{id=bloomline;filters_at_bottom=no}", {"filters_at_bottom is 'no'", "true, false"}},
    {"{id=bloomline;stock_id=maybe}", {"stock_id is 'maybe'", "true, false"}},
    {"{id=bloomline;stock_id=true}", {"format blocked", "allowed: bloom, ribbon"}},
    {"{id=bloomline;format=ribbon;flush_format=blocked;stock_id=true}", {"format blocked"}},
    {"{id=bloomline;format=bloom;seed=7}",
     {"format is bloom, whose hash takes no seed; allowed: blocked"}},
    {"{id=bloomline;flush_format=ribbon;seed=random}",
     {"with flush_format, random_seed is set and format is ribbon, whose hash takes no seed; "
      "allowed: blocked"}},
    {"{id=bloomline:30;format=compact}",
     {": bits_per_key is 30; allowed: 3 to 24 in format compact"}},
    {"{id=bloomline;format=compact;bits_by_level=10:25}", {"has 25 for level 1; allowed: 3 to 24"}},
    {"{id=bloomline;flush_format=compact;bits_by_level=30:10}",
     {"has 30 for level 0; allowed: 3 to 24 in format compact"}},
    {"{id=bloomline;flush_format=compact;bits_per_key=30}",
     {"with flush_format, bits_per_key is 30; allowed: 3 to 24"}},
    {"{id=bloomline;memory=1000;bits_by_level=20:10}",
     {"memory is 1000 and bits_by_level has numbers; allowed: one of the two"}},
    {"{id=bloomline;max_filter_bytes=5000;flush_format=ribbon}",
     {"max_filter_bytes is 5000 and files have filters of format ribbon, whose bits RocksDB sets "
      "before it knows the number of keys; allowed: blocked"}},
};

void ExpectReason(const std::string& text, const std::vector<const char*>& reason) {
  for (const char* part : reason) EXPECT_NE(text.find(part), std::string::npos) << text;
}

// Options of earlier releases, whatever their values, and with formats that never had them.
// Releases that have the options give them their defaults in a file without them.
TEST(RocksDBOptionStringsTest, FormerOptionsAreTakenAndNotWritten) {
  for (const char* format : {"blocked", "ribbon"}) {
    for (const char* former :
         {"range_prefixes=auto", "range_prefixes=4:x;range_memory_percent=0",
          "range_prefixes=none;range_memory_percent=20",
          "bits_by_level=uniform;levels_in_use=0;level_size_ratio=10",
          "levels_in_use=6;level_size_ratio=8.5", "levels_in_use=-7;level_size_ratio=ten"}) {
      const std::string text = std::string("{id=bloomline;format=") + format + ";bits_per_key=9;";
      for (const auto parse : {ByEscapedOptions, ByOptionsFile, ByUnescapedOptions, ByPolicy}) {
        const Outcome outcome = parse(text + former + "}");
        EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
        EXPECT_EQ(outcome.said, "");
        ASSERT_NE(outcome.policy, nullptr);
        EXPECT_FALSE(IsRefused(*outcome.policy));
        EXPECT_EQ(outcome.policy->ToString(rocksdb::ConfigOptions()),
                  ByPolicy(text + "}").policy->ToString(rocksdb::ConfigOptions()));
      }
    }
  }
}

// `bloomline db` leaves them out where it shows a policy.
TEST(RocksDBOptionStringsTest, DefaultsAreThoseOfTheList) {
  for (const engine::OptionRow& row : engine::AllOptionRows()) {
    EXPECT_EQ(row.text(RocksDBFilterOptions()), row.option.default_value) << row.option.name;
  }
}

// And returned by the two calls of docs/compatibility.md.
TEST(RocksDBOptionStringsTest, BadStringsAreNamedOnStderrInOneLine) {
  const struct {
    const char* name;
    Outcome (*parse)(const std::string& text);
    bool returns_reason;
  } kPaths[] = {{"table options", ByEscapedOptions, false},
                {"OPTIONS file", ByOptionsFile, false},
                {"unescaped strings", ByUnescapedOptions, true},
                {"CreateFromString", ByPolicy, true}};
  for (const auto& bad : kBadStrings) {
    for (const auto& path : kPaths) {
      SCOPED_TRACE(std::string(bad.text) + " by " + path.name);
      const Outcome outcome = path.parse(bad.text);
      EXPECT_EQ(std::count(outcome.said.begin(), outcome.said.end(), '\n'), 1) << outcome.said;
      ExpectReason(outcome.said, bad.reason);
      if (!path.returns_reason) continue;
      EXPECT_FALSE(outcome.status.ok());
      ExpectReason(outcome.status.ToString(), bad.reason);
    }
  }
}

// And by the C functions, which then print nothing.
TEST(RocksDBOptionStringsTest, AnErrorIsReadOnceAndWithoutOtherOptions) {
  for (const auto& bad : kBadStrings) {
    SCOPED_TRACE(bad.text);
    const std::string said = ByEscapedOptions(bad.text).said;
    EXPECT_EQ(said.find("filters_at_bottom=true"), std::string::npos) << said;
    ExpectReason(said, {"; DB::Open fails with this policy; ", "10 bits per key\n"});
    const std::string family = std::string("block_based_table_factory={filter_policy=") + bad.text;
    char* of_policy = nullptr;
    char* of_options = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_EQ(bloomline_rocksdb_filterpolicy_create(bad.text, &of_policy), nullptr);
    EXPECT_EQ(bloomline_rocksdb_validate_family_options((family + "}").c_str(), &of_options), 0);
    EXPECT_EQ(TakeStderr(), "");
    for (char* const error : {of_policy, of_options}) {
      ASSERT_NE(error, nullptr);
      ExpectReason(error, bad.reason);
      std::free(error);
    }
    testing::internal::CaptureStderr();
    EXPECT_EQ(bloomline_rocksdb_filterpolicy_create(bad.text, nullptr), nullptr);
    EXPECT_EQ(TakeStderr().empty(), bad.text[0] != '{');  // an option
  }
  // A policy in use keeps its options.
  const Policy used = PolicyOf("{id=bloomline:30;flush_format=bloom}");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(
      std::const_pointer_cast<rocksdb::FilterPolicy>(used)->ConfigureFromString({}, "bits=9").ok());
  ExpectReason(TakeStderr(), {"; the options are bits_per_key=30, flush_format=bloom\n"});
  EXPECT_FALSE(IsRefused(*used));
}

// The check of docs/compatibility.md, for names that never reach bloomline.
TEST(RocksDBOptionStringsTest, AnotherNameGivesNoPolicy) {
  EXPECT_TRUE(ByTableOptions("blomline:10").status.ok());
  EXPECT_EQ(ByTableOptions("blomline:10").policy, nullptr);
  EXPECT_TRUE(ByPolicy("blomline:10").status.ok());
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  Policy policy;
  EXPECT_FALSE(rocksdb::FilterPolicy::CreateFromString(config, "blomline:10", &policy).ok());
  config.input_strings_escaped = false;
  rocksdb::BlockBasedTableOptions table_options;
  EXPECT_FALSE(rocksdb::GetBlockBasedTableOptionsFromString(config, {}, "filter_policy=blomline:10",
                                                            &table_options)
                   .ok());
  for (const char* const text : {"bloomline:1000", "{id=bloomline;format=ribon}"}) {
    const Policy refused = ByTableOptions(text).policy;
    ASSERT_NE(refused, nullptr);
    EXPECT_TRUE(IsRefused(*refused)) << text;
  }
}

// The options of earlier versions that are no longer there are ignored if they had no effect.
TEST(RocksDBOptionStringsTest, OptionsAreReadAndWritten) {
  const struct {
    const char* text;
    std::vector<std::pair<const char*, const char*>> values;
  } kCases[] = {
      {"bits_by_level=auto", {{"bits_by_level", "auto"}}},
      {"bits_by_level=24:20.5:0:9", {{"bits_by_level", "24:20.5:0:9"}}},
      {"bits_by_level=24,20.5,0,9", {{"bits_by_level", "24:20.5:0:9"}}},
      {"bits_by_level=12", {{"bits_by_level", "12"}}},
      {"bits_by_level=uniform;flush_format=blocked;filters_at_bottom=false;format=ribbon",
       {{"bits_by_level", "uniform"}, {"flush_format", "blocked"}, {"filters_at_bottom", "false"}}},
      {"format=ribbon;bloom_before_level=3", {{"bloom_before_level", "3"}}},
      {"format=ribbon;bloom_before_level=0", {{"bloom_before_level", "0"}}},
      {"format=ribbon;bloom_before_level=-1", {{"bloom_before_level", "-1"}}},
      {"flush_format=same;filters_at_bottom=1",
       {{"flush_format", "same"}, {"filters_at_bottom", "true"}}},
      {"bits_per_key=7.5;format=blocked;seed=77;stock_id=false;memory=4096;max_filter_bytes=5000;"
       "sample_queries=0",
       {{"bits_per_key", "7.5"},
        {"format", "blocked"},
        {"seed", "77"},
        {"stock_id", "false"},
        {"memory", "4096"},
        {"max_filter_bytes", "5000"}}},
  };
  for (const auto& c : kCases) {
    for (const auto parse : {ByEscapedOptions, ByOptionsFile, ByPolicy}) {
      const Outcome outcome = parse(std::string("{id=bloomline;") + c.text + "}");
      EXPECT_EQ(outcome.said, "");
      ASSERT_NE(outcome.policy, nullptr) << c.text;
      const std::string written = outcome.policy->ToString(rocksdb::ConfigOptions());
      // Release 0.1.0 refuses it.
      EXPECT_EQ(written.find("bloom_before_level") == std::string::npos,
                Value(*outcome.policy, "bloom_before_level") == "-1");
      const Policy again = ByOptionsFile(written).policy;
      ASSERT_NE(again, nullptr) << c.text;
      for (const auto& [name, value] : c.values) {
        EXPECT_EQ(Value(*outcome.policy, name), value) << c.text;
        EXPECT_EQ(Value(*again, name), value) << c.text;
      }
      std::string mismatch;
      EXPECT_TRUE(outcome.policy->AreEquivalent(rocksdb::ConfigOptions(), again.get(), &mismatch));
    }
  }
}

// What RocksDB makes of a size, as of write_buffer_size in the same string.
std::string SizeByRocksDB(const std::string& size) {
  rocksdb::ColumnFamilyOptions options;
  EXPECT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(rocksdb::ConfigOptions(), {},
                                                        "write_buffer_size=" + size, &options)
                  .ok());
  return std::to_string(options.write_buffer_size);
}

TEST(RocksDBOptionStringsTest, SizesAreThoseOfRocksDB) {
  for (const char* size : {"0", "4096", "4096B", "64m", "64M", "2G", "2g", "100KB", "100k", "3T",
                           "512MB", "2GiB", "7KiB", "1t"}) {
    for (const char* name : {"memory", "max_filter_bytes"}) {
      const Outcome outcome = ByPolicy(std::string("{id=bloomline;") + name + "=" + size + "}");
      ASSERT_NE(outcome.policy, nullptr) << size << outcome.said;
      EXPECT_EQ(Value(*outcome.policy, name), SizeByRocksDB(size)) << size;
    }
  }
  // RocksDB drops what follows the digits: 1.5G is one byte to it.
  for (const char* size : {"1.5G", "-1", "2^30", "2 GiB", "64mi", "G", "+5", "18446744073709551616",
                           "64x", "1152921504606846977", "2000000T", "16777216T"}) {
    const Outcome outcome = ByPolicy(std::string("{id=bloomline;memory=") + size + "}");
    ExpectReason(outcome.said, {"memory is ", "; allowed: 0"});
  }
}

// The forms that RocksDB's documents and options_test have, with its names and with bloomline's.
TEST(RocksDBOptionStringsTest, EachFormOfRocksDBsPoliciesIsTaken) {
  int num_taken = 0;
  for (const std::string form :
       {":10:false", ":10:true", ":4.567:false", ":1.234", ":10", ":0:false"}) {
    for (const std::string before : {"", " ", "{", "{id=", "{ id = "}) {
      for (const std::string after : {"", " ", "}", ";}", " ; }"}) {
        for (const auto parse : {ByEscapedOptions, ByOptionsFile, ByUnescapedOptions}) {
          const bool is_taken = parse(before + "bloomfilter" + form + after).policy != nullptr;
          const std::string text = before + "bloomline" + form + after;
          const Outcome outcome = parse(text);
          const bool is_ours = outcome.policy != nullptr && !IsRefused(*outcome.policy);
          ASSERT_EQ(is_ours, is_taken) << text << outcome.said;
          if (!is_taken) continue;
          ++num_taken;
          EXPECT_EQ(outcome.said, "");
          // Up to the second colon, or to the end.
          EXPECT_EQ(Value(*outcome.policy, "bits_per_key"), form.substr(1, form.find(':', 1) - 1))
              << text;
        }
      }
    }
  }
  EXPECT_GT(num_taken, 100);
  for (const char* text : {"bloomline:10:false:true", "bloomline:10:", "bloomline:10:FALSE"}) {
    const Outcome outcome = ByTableOptions(text);
    ASSERT_NE(outcome.policy, nullptr);
    EXPECT_TRUE(IsRefused(*outcome.policy)) << text;
    ExpectReason(outcome.said, {text, "allowed: bloomline:BITS_PER_KEY", "':false' or ':true'"});
  }
}

TEST(RocksDBOptionStringsTest, WhatIsWrongInAnIdIsSaid) {
  const std::string forms =
      "; allowed: bloomline:BITS_PER_KEY, and ':false' or ':true' behind it, which means nothing";
  const std::string policies =
      "; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;OPTION=VALUE;...}";
  const std::string in_place = "; in place of ribbonfilter:";
  const std::string bits = "; allowed: 1 to 100";
  const struct {
    const char* id;
    std::string error;  // empty: there is a policy
  } kIds[] = {
      {"bloomline:1e1:true", ""},
      {"bloomline:.5", ""},
      {"bloomline::false", "bits_per_key is ''" + bits},
      {"bloomline: 10", "bits_per_key is ' 10'" + bits},
      {"bloomline:+5", "bits_per_key is '+5'" + bits},
      {"bloomline:nan", "bits_per_key is 'nan'" + bits},
      {"bloomline:1.2.3", "bits_per_key is '1.2.3'" + bits},
      {"bloomline:10:", "the name is 'bloomline:10:'" + forms},
      {"bloomline:10:-", "the name is 'bloomline:10:-'" + forms},
      {"bloomline:10:1.5", "the name is 'bloomline:10:1.5'" + forms},
      {"bloomline:10:3:4", "the name is 'bloomline:10:3:4'" + forms},
      {"bloomline:x:-1", "the name is 'bloomline:x:-1'" + forms + in_place +
                             "x:-1 write {id=bloomline;format=ribbon;bits_per_key=x}"},
      {"{id=bloomline:9:99}",
       "the name is 'bloomline:9:99'" + forms + in_place +
           "9:99 write {id=bloomline;format=ribbon;bits_per_key=9;bloom_before_level=64}"},
      {"BLOOMLINE:10", "filter policy is 'BLOOMLINE:10'" + policies},
      {"bloomfilter:10", "filter policy is 'bloomfilter:10'" + policies},
      {"{id=blomline:10;seed=7}",
       "filter policy is '{id=blomline:10;seed=7}'" + policies + "; did you mean 'bloomline'?"},
  };
  for (const auto& c : kIds) {
    char* error = nullptr;
    std::unique_ptr<const rocksdb::FilterPolicy> policy(reinterpret_cast<rocksdb::FilterPolicy*>(
        bloomline_rocksdb_filterpolicy_create(c.id, &error)));
    EXPECT_EQ(error == nullptr ? "" : error, c.error) << c.id;
    EXPECT_EQ(policy != nullptr, c.error.empty()) << c.id;
    std::free(error);
  }
}

// What MakeStockNamesWith gives its function, as text. That changes RocksDB for the rest of the
// process, so a child process checks it.
std::string said_name;
std::unique_ptr<const rocksdb::FilterPolicy> TakeName(const engine::StockName& name) {
  const char* const kinds[] = {"bloom ", "ribbon ", "reader "};
  said_name = kinds[static_cast<int>(name.kind)] + support::DoubleText(name.bits_per_key) + " " +
              std::to_string(name.bloom_before_level);
  return std::unique_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(1));
}

TEST(RocksDBOptionStringsDeathTest, NamesOfRocksDBsPoliciesAreRead) {
  const auto check = [] {
    engine::MakeStockNamesWith(TakeName);
    bool is_right = true;
    for (const auto& [id, expected] : std::vector<std::pair<const char*, const char*>>{
             {"bloomfilter:10", "bloom 10 0"},
             {"bloomfilter:10:false", "bloom 10 0"},
             {"rocksdb.BloomFilter:.5:true", "bloom 0.5 0"},
             {"bloomfilter:-1.25", "bloom -1.25 0"},
             {"ribbonfilter:10.", "ribbon 10 0"},
             {"ribbonfilter:9.5:3", "ribbon 9.5 3"},
             {"{id=rocksdb.RibbonFilter:10:-1;}", "ribbon 10 -1"},
             {"{id=rocksdb.BuiltinBloomFilter}", "reader 0 0"},
             {"bloomfilter:1e2", ""},
             {"bloomfilter: 10", ""},
             {"bloomfilter:10:FALSE", ""},
             {"ribbonfilter:10:1.5", ""},
             {"Bloomfilter:10", ""}}) {
      said_name.clear();
      const Policy policy = PolicyOf(id);
      if (said_name == expected) continue;
      is_right = false;
      std::fprintf(stderr, "%s: '%s'\n", id, said_name.c_str());
    }
    std::exit(is_right ? 0 : 1);
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
}

// With bloomline's name in place of RocksDB's, each gives a policy, or the spelling that does.
TEST(RocksDBOptionStringsTest, StringsOfProgramsGiveAPolicyOrItsSpelling) {
  const struct {
    const char* program;
    Outcome (*parse)(const std::string& text);
    std::string text;
    const char* settings;  // and bloom_before_level
  } kStrings[] = {
      {"MyRocks", ByFamilyOptions,
       "block_based_table_factory={cache_index_and_filter_blocks=1;"
       "filter_policy=bloomfilter:10:false;whole_key_filtering=1};optimize_filters_for_hits=true;",
       "blocked 10 0 -1"},
      {"Ardb", ByFamilyOptions,
       "bloom_locality=1;block_based_table_factory={block_cache=512M;"
       "filter_policy=bloomfilter:10:true};min_write_buffer_number_to_merge=2",
       "blocked 10 0 -1"},
      {"Nethermind", ByFamilyOptions,
       "block_based_table_factory.partition_filters=true;"
       "block_based_table_factory.filter_policy=bloomfilter:10;",
       "blocked 10 0 -1"},
      {"Nethermind, state", ByFamilyOptions,
       "block_based_table_factory.filter_policy=ribbonfilter:10:3;"
       "block_based_table_factory.whole_key_filtering=true;",
       "ribbon 10 0 3"},
      {"Nethermind, OPTIONS file", ByOptionsFile, "{id=ribbonfilter:10:3;bloom_before_level=3;}",
       "ribbon 10 0 3"},
      {"RocksDB 8.7, OPTIONS file", ByOptionsFile, "{id=ribbonfilter:10:0;bloom_before_level=0;}",
       "ribbon 10 0 0"},
      {"RocksDB's tests", ByFamilyOptions,
       "block_based_table_factory={filter_policy=ribbonfilter:5.678:-1;}", "ribbon 5.678 0 -1"},
      {"Alluxio", ByOptionsFile, "bloomfilter:10:false\n  index_type=kHashSearch",
       "blocked 10 0 -1"},
      {"BookKeeper, Pulsar", ByOptionsFile,
       "rocksdb.BloomFilter:10:false\n  cache_index_and_filter_blocks=true", "blocked 10 0 -1"},
      {"TiKV, OPTIONS file", ByOptionsFile, "rocksdb.BuiltinBloomFilter", "blocked 10 0 -1"},
  };
  const std::string name = "(?:(?:bloom|ribbon)filter|rocksdb\\.(?:Builtin)?BloomFilter)";
  const std::regex value("\\{id=" + name + "[^}]*\\}|" + name + "[^;}\n]*");
  const std::regex spelling("; in place of ([^ ]*) write (\\{id=bloomline;[^}]*\\})");
  for (const auto& of : kStrings) {
    SCOPED_TRACE(of.program);
    Outcome outcome = of.parse(std::regex_replace(of.text, std::regex(name), "bloomline"));
    ASSERT_NE(outcome.policy, nullptr) << outcome.said;
    if (IsRefused(*outcome.policy)) {
      std::smatch match;
      ASSERT_TRUE(std::regex_search(outcome.said, match, spelling)) << outcome.said;
      EXPECT_NE(of.text.find(match.str(1)), std::string::npos) << outcome.said;
      outcome = of.parse(std::regex_replace(of.text, value, match.str(2)));
    }
    ASSERT_NE(outcome.policy, nullptr) << outcome.said;
    EXPECT_EQ(outcome.said, "");
    EXPECT_EQ(Settings(*outcome.policy) + " " + Value(*outcome.policy, "bloom_before_level"),
              of.settings);
  }
}

// RocksDB 8.7 and later set it from OPTIONS files in a policy that a preload library replaced.
TEST(RocksDBOptionStringsTest, APolicyInPlaceOfRibbonTakesItsBloomLevels) {
  using engine::RibbonOptions;
  const struct {
    RibbonOptions ribbon_options;
    Format format;
    const char* value;
    const char* expected;
  } kCases[] = {{RibbonOptions::kFollowed, Format::kRibbon, "3", "3"},
                {RibbonOptions::kFollowed, Format::kRibbon, "2147483647", "64"},
                {RibbonOptions::kFollowed, Format::kRibbon, "-2", "-1"},
                {RibbonOptions::kFollowed, Format::kBlocked, "3", "-1"},
                {RibbonOptions::kIgnored, Format::kRibbon, "3", "-1"}};
  for (const auto& c : kCases) {
    std::string error;
    const auto policy = engine::MakeRocksDBFilterPolicy(
        RocksDBFilterOptions(FilterOptions{c.format, 10}), &error, c.ribbon_options);
    ASSERT_NE(policy, nullptr) << error;
    EXPECT_TRUE(policy->ConfigureFromMap({}, {{"bloom_before_level", c.value}}).ok());
    EXPECT_EQ(Value(*policy, "bloom_before_level"), c.expected);
    EXPECT_FALSE(policy->ConfigureFromMap({}, {{"bloom_before_level", "x"}}).ok());
  }
}

// What no option string can say.
TEST(RocksDBOptionStringsTest, OptionsOfAProgramAreChecked) {
  const auto refusal = [](void (*change)(RocksDBFilterOptions * options)) {
    RocksDBFilterOptions options;
    EXPECT_EQ(options.Validate(), "");
    change(&options);
    std::string error;
    EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);
    EXPECT_EQ(error, options.Validate());
    return error;
  };
  ExpectReason(refusal([](auto* o) { o->format = Format::kClassic; }),
               {"format is classic, ", "LevelDB only; allowed: blocked, bloom, ribbon"});
  ExpectReason(refusal([](auto* o) { o->flush_format = Format::kClassic; }),
               {"format is classic, ", "LevelDB only; allowed: blocked, bloom, ribbon"});
  const std::string compact =
      "format is compact, which is written in LevelDB only; allowed: blocked, bloom, ribbon "
      "(ribbon takes the place of compact)";
  EXPECT_EQ(refusal([](auto* o) { o->format = Format::kCompact; }), compact);
  EXPECT_EQ(refusal([](auto* o) { o->flush_format = Format::kCompact; }),
            "with flush_format, " + compact);
  ExpectReason(refusal([](auto* o) { o->bits_by_level = {10, -1}; }), {"has -1 for level 1"});
  ExpectReason(refusal([](auto* o) { o->bits_by_level = {std::nan("")}; }), {"has nan for level"});
  ExpectReason(refusal([](auto* o) { o->bits_by_level.assign(65, 10); }),
               {"65 numbers; allowed: at most 64"});
  ExpectReason(refusal([](auto* o) {
                 o->bits_by_level = {10};
                 o->auto_bits_by_level = true;
               }),
               {"allowed: one of the two"});
}

// ConfigOptions::ignore_unknown_options applies only to names, and only to those that RocksDB
// passes on.
TEST(RocksDBOptionStringsTest, UnknownNamesCanBeIgnoredButBadValuesCannot) {
  RegisterBloomline();
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = true;
  Policy policy;
  EXPECT_TRUE(rocksdb::FilterPolicy::CreateFromString(
                  config, "{id=bloomline;bits=10;bits_per_key=12}", &policy)
                  .ok());
  EXPECT_EQ(Settings(*policy), "blocked 12 0");
  Policy refused;
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      config, "{id=bloomline;format=ribon;bits_per_key=12}", &refused);
  EXPECT_NE(status.ToString().find("'ribon'"), std::string::npos) << status.ToString();
  std::unordered_map<std::string, std::string> unused;
  auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  EXPECT_TRUE(changed
                  ->ConfigureFromMap(rocksdb::ConfigOptions(),
                                     {{"bits", "10"}, {"bits_per_key", "13"}}, &unused)
                  .ok());
  EXPECT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused["bits"], "10");
  EXPECT_EQ(Settings(*policy), "blocked 13 0");
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_option_strings_test
