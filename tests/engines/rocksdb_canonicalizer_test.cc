// Comparators that treat different keys as equal: the policy with a canonicalizer and OPTIONS
// files, and the warning of a policy without one. rocksdb_db_test.cc has databases of both.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/case_folding.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

class FoldingComparator : public rocksdb::Comparator {
 public:
  explicit FoldingComparator(std::string name, bool is_exact = false)
      : name_(std::move(name)), is_exact_(is_exact) {}
  const char* Name() const override { return name_.c_str(); }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return CompareFolded(a.ToStringView(), b.ToStringView());
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return !is_exact_; }

 private:
  const std::string name_;
  const bool is_exact_;
};

rocksdb::Options OptionsWith(Policy policy, const rocksdb::Comparator* comparator) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.comparator = comparator;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Policy Folding(Policy policy) {
  return NewCanonicalRocksDBFilterPolicy(std::move(policy), CaseFolding::Named("app.Case"));
}

TEST(RocksDBCanonicalizerTest, AnOptionsFileWithoutItMeansNoFilter) {
  const FoldingComparator comparator("test.Folding");
  const TempDir dir;
  std::unique_ptr<rocksdb::DB> db;
  const Policy policy = Folding(NewRocksDBFilterPolicy(FilterOptions()));
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter.canonicalizer-app.Case");
  ASSERT_TRUE(OpenRocksDB(OptionsWith(policy, &comparator), dir.Path("db"), &db).ok());
  ASSERT_TRUE(db->Put({}, "Apple", "value").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  db.reset();
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(
      rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), dir.Path("db"), &db_options, &families)
          .ok());
  rocksdb::Options options(db_options, families[0].options);
  EXPECT_EQ(options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy,
            nullptr);
  options.comparator = &comparator;
  ASSERT_TRUE(OpenRocksDB(options, dir.Path("db"), &db).ok());
  std::string value;
  EXPECT_TRUE(db->Get({}, "aPPLE", &value).ok());
}

// RocksDB refuses it, or, from 9.8 on, may leave the family without a policy.
TEST(RocksDBCanonicalizerTest, SetOptionsGivesItNoOptions) {
  const FoldingComparator comparator("test.Folding");
  const TempDir dir;
  std::unique_ptr<rocksdb::DB> db;
  const Policy policy = Folding(NewRocksDBFilterPolicy(FilterOptions()));
  ASSERT_TRUE(OpenRocksDB(OptionsWith(policy, &comparator), dir.Path("db"), &db).ok());
  for (const char* change : {"{bits_per_key=12;}", "{format=compact;}", "{no_such_option=1;}"}) {
    SCOPED_TRACE(change);
    testing::internal::CaptureStderr();
    const rocksdb::Status status = db->SetOptions(
        {{"block_based_table_factory", "{filter_policy=" + std::string(change) + ";}"}});
    TakeStderr();
    EXPECT_TRUE(kSetOptionsMakesANewPolicy || !status.ok());
    ASSERT_TRUE(db->Put({}, "Apple", "value").ok() && db->Flush({}).ok());
    std::string value;
    EXPECT_TRUE(db->Get({}, "aPPLE", &value).ok());
  }
}

TEST(RocksDBCanonicalizerTest, WrongArgumentsAreRefused) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
  std::string error;
  const auto refusal = [&error](Policy inside, std::shared_ptr<const KeyCanonicalizer> canonical) {
    EXPECT_EQ(NewCanonicalRocksDBFilterPolicy(std::move(inside), std::move(canonical), &error),
              nullptr);
    return error;
  };
  const std::string null = "the policy or the canonicalizer is null; allowed: an object";
  EXPECT_EQ(refusal(nullptr, CaseFolding::Named("a")), null);
  EXPECT_EQ(refusal(policy, nullptr), null);
  for (const std::string name : {"", "a b", "a;b", "{a}", "a=b", "a:b", "a\n", "\xc3\xa4"}) {
    EXPECT_EQ(refusal(policy, CaseFolding::Named(name)),
              "the canonicalizer's name is '" + name +
                  "'; allowed: letters, digits, '.', '_' and '-' of ASCII");
  }
  // A scan's range would be compared with canonical forms, and lose keys.
  RocksDBFilterOptions ranges;
  ranges.range_prefixes = "8";
  EXPECT_EQ(
      refusal(NewRocksDBFilterPolicy(ranges), CaseFolding::Named("a")),
      "the policy has range_prefixes=8; allowed: none, because a range has no canonical form");
}

// What earlier versions wrote in option strings. RocksDB drops the error and uses the policy, which
// must not write filters: its comparator treats different keys as equal.
TEST(RocksDBCanonicalizerTest, AnOptionOfEarlierVersionsWritesNoFilters) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::BlockBasedTableOptions table;
  for (const char* text : {"{id=bloomline;canonicalizer=app.Case;bits_per_key=12}",
                           "{id=bloomline;canonicalizer=app.Case}"}) {
    testing::internal::CaptureStderr();
    ASSERT_TRUE(rocksdb::GetBlockBasedTableOptionsFromString(
                    rocksdb::ConfigOptions(), {}, std::string("filter_policy=") + text, &table)
                    .ok());
    EXPECT_NE(TakeStderr().find("there is no option 'canonicalizer'; allowed: bits_per_key"),
              std::string::npos);
    ASSERT_NE(table.filter_policy, nullptr);
    EXPECT_EQ(table.filter_policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)),
              nullptr);
    rocksdb::ConfigOptions lenient;
    lenient.ignore_unknown_options = true;
    testing::internal::CaptureStderr();
    ASSERT_TRUE(rocksdb::GetBlockBasedTableOptionsFromString(
                    lenient, {}, std::string("filter_policy=") + text, &table)
                    .ok());
    TakeStderr();
    EXPECT_EQ(table.filter_policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)),
              nullptr);
  }
  // As their OPTIONS files named it.
  ASSERT_TRUE(rocksdb::GetBlockBasedTableOptionsFromString(
                  rocksdb::ConfigOptions(), {},
                  "filter_policy={id=bloomline.canon;canonicalizer=app.Case;bits_per_key=12}",
                  &table)
                  .ok());
  EXPECT_EQ(table.filter_policy, nullptr);
}

// The numbers of bits_by_level count even where bits_per_key is 0.
TEST(RocksDBCanonicalizerTest, AnOptionOfEarlierVersionsEndsTheFiltersOfARunningPolicy) {
  RocksDBFilterOptions by_level;
  by_level.bits_by_level = {20, 10};
  const Policy policy = NewRocksDBFilterPolicy(by_level);
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 0;
  const auto writes_filter = [&] {
    return std::unique_ptr<rocksdb::FilterBitsBuilder>(policy->GetBuilderWithContext(context)) !=
           nullptr;
  };
  ASSERT_TRUE(writes_filter());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(std::const_pointer_cast<rocksdb::FilterPolicy>(policy)
                   ->ConfigureFromString(rocksdb::ConfigOptions(), "canonicalizer=app.Case")
                   .ok());
  TakeStderr();
  EXPECT_FALSE(writes_filter());
}

int NumLines(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  int found = 0;
  for (std::string line; std::getline(lines, line);) found += line.find(part) != line.npos ? 1 : 0;
  return found;
}

// stderr and LOG of a database that is opened and gets a file.
struct Said {
  std::string error;
  std::string log;
};

Said OpenAndFlush(Policy policy, const rocksdb::Comparator* comparator) {
  const TempDir dir;
  testing::internal::CaptureStderr();
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(OpenRocksDB(OptionsWith(std::move(policy), comparator), dir.Path("db"), &db).ok());
  EXPECT_TRUE(db->Put({}, "Apple", "value").ok() && db->Flush({}).ok());
  EXPECT_TRUE(db->Put({}, "Pear", "value").ok() && db->Flush({}).ok());
  db.reset();
  std::ostringstream log;
  log << std::ifstream(dir.Path("db") + "/LOG").rdbuf();
  return {TakeStderr(), log.str()};
}

// Such keys are found until a flush writes a filter, and then they are lost.
TEST(RocksDBComparatorWarningTest, AComparatorThatMayTreatKeysAsEqualIsNamed) {
  const FoldingComparator comparator("test.MayBeEqual");
  const Policy plain = NewRocksDBFilterPolicy(FilterOptions());
  const Said said = OpenAndFlush(plain, &comparator);
  for (const std::string& text : {said.error, said.log}) {
    EXPECT_EQ(NumLines(text, "test.MayBeEqual may treat keys with different bytes as equal"), 1)
        << text;
    EXPECT_EQ(NumLines(text, "NewCanonicalRocksDBFilterPolicy"), 1) << text;
  }
  // Once for a process, and once in each LOG.
  const Said again = OpenAndFlush(plain, &comparator);
  EXPECT_EQ(NumLines(again.error, "may treat"), 0);
  EXPECT_EQ(NumLines(again.log, "may treat"), 1);
}

TEST(RocksDBComparatorWarningTest, OthersAreNot) {
  const FoldingComparator folded("test.Wrapped");
  const FoldingComparator exact("test.Exact", true);
  const Policy plain = NewRocksDBFilterPolicy(FilterOptions());
  for (const Said& said : {OpenAndFlush(Folding(plain), &folded), OpenAndFlush(plain, &exact),
                           OpenAndFlush(plain, rocksdb::BytewiseComparator()),
                           OpenAndFlush(plain, rocksdb::ReverseBytewiseComparator())}) {
    EXPECT_EQ(NumLines(said.error + said.log, "may treat"), 0);
  }
}

}  // namespace
}  // namespace bloomline::tests
