// Real RocksDB databases, written and read by stock RocksDB and by bloomline in every combination.
// Their comparator ignores case: with a canonicalizer each stored key is found in every spelling,
// and missing keys are excluded; without, keys are found in the spelling in which they were
// written, and a warning names the comparator. tests/engines/matrix reads more, in more kinds of
// databases.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/case_folding.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_canonicalizer_test {
namespace {

constexpr uint64_t kKeys = Repetitions(1000, 2);

class IgnoresCase : public rocksdb::Comparator {
 public:
  explicit IgnoresCase(std::string name = "test.IgnoresCase", bool is_exact = false)
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

const IgnoresCase ignores_case;

Policy Plain(Format format = Format::kBlocked) {
  return NewRocksDBFilterPolicy(FilterOptions{format, 10});
}
Policy Folding(Policy policy = Plain(), const std::string& name = "test.CaseFolding") {
  return NewCanonicalRocksDBFilterPolicy(std::move(policy), CaseFolding::Named(name));
}
Policy Stock() { return Policy(rocksdb::NewBloomFilterPolicy(10)); }

rocksdb::Options IgnoringCase(const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::Options options = WithTable(table);
  options.comparator = &ignores_case;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}
rocksdb::Options IgnoringCase(Policy policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  return IgnoringCase(table);
}

// A database of keys with even numbers, in memory.
class SpelledDatabase {
 public:
  void Open(const rocksdb::Options& options) {
    db_.reset();
    options_ = options;
    options_.env = env_.get();
    db_ = MustOpenRocksDB(options_, "/db");
  }

  void Write(uint64_t first, uint64_t spelling) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = first; i < kKeys; ++i) {
      ASSERT_TRUE(db_->Put(write, SpelledKey(2 * i, spelling), std::to_string(i)).ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
  }

  void Compact() { ASSERT_TRUE(CompactAll(db_.get()).ok()); }

  // Each key is found by Get, MultiGet and Seek.
  void ExpectAllKeys(uint64_t spelling) {
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < kKeys; ++i) keys.push_back(SpelledKey(2 * i, spelling));
    // With arrays, which RocksDB asks filters for in batches; of vectors it makes single Gets.
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(kKeys);
    std::vector<rocksdb::Status> found(kKeys);
    db_->MultiGet({}, db_->DefaultColumnFamily(), kKeys, slices.data(), values.data(),
                  found.data());
    uint64_t lost = 0;
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const std::string written = std::to_string(i);
      lost += found[i].ok() && values[i] == written ? 0 : 1;
      lost += db_->Get({}, keys[i], &value).ok() && value == written ? 0 : 1;
      if (i % 37 != 0) continue;
      // Not prefix_same_as_start: RocksDB then compares the bytes of prefixes.
      const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
      iterator->Seek(keys[i]);
      lost += iterator->Valid() && iterator->value() == written ? 0 : 1;
    }
    EXPECT_EQ(lost, 0u) << "spelling " << spelling;
  }

  // Whether filters exclude missing keys: nearly all of them, or none.
  void ExpectExcluded(bool uses_filters) {
    const uint64_t before = Useful();
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      // Odd keys lie between the stored ones; their groups are missing, for prefix filters.
      EXPECT_TRUE(db_->Get({}, SpelledKey(2 * i + 1, 5), &value).IsNotFound());
    }
    const uint64_t excluded = Useful() - before;
    EXPECT_EQ(excluded > kKeys * 9 / 10, uses_filters) << excluded;
    EXPECT_EQ(excluded == 0, !uses_filters) << excluded;
  }

 private:
  uint64_t Useful() const {
    return options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
           options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  }

  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST(RocksDBCanonicalizerTest, EachSpellingIsFoundAndMissingKeysAreExcluded) {
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    for (const bool has_prefixes : {false, true}) {
      for (const bool is_partitioned : {false, true}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << has_prefixes << is_partitioned);
        rocksdb::BlockBasedTableOptions table;
        table.filter_policy = Folding(Plain(format));
        table.detect_filter_construct_corruption = true;
        table.whole_key_filtering = is_partitioned || !has_prefixes;
        if (is_partitioned) PartitionFilters(512, &table);
        rocksdb::Options options = IgnoringCase(table);
        // "group017/": the prefix varies in spelling as the key does.
        if (has_prefixes) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
        SpelledDatabase db;
        const auto expect_right = [&] {
          for (const uint64_t spelling : {0u, 1u, 7u}) db.ExpectAllKeys(spelling);
          db.ExpectExcluded(true);
        };
        db.Open(options);
        db.Write(0, 1);
        expect_right();
        db.Write(kKeys / 2, 2);  // newer versions, in another spelling
        db.Compact();
        expect_right();
        db.Open(options);
        expect_right();
      }
    }
  }
}

TEST(RocksDBCanonicalizerTest, FiltersOfOthersLoseNoKey) {
  enum class Filters { kNone, kStock, kOurs, kFoldedStock, kFolded, kOther };
  const struct {
    const char* name;
    Policy policy;
    Filters filters;
  } kinds[] = {
      {"folding", Folding(), Filters::kFolded},
      {"other", Folding(Plain(), "test.Other"), Filters::kOther},
      {"Bloom folding", Folding(Stock()), Filters::kFoldedStock},
      {"blocked", Plain(), Filters::kOurs},
      {"Bloom", Stock(), Filters::kStock},
      {"none", nullptr, Filters::kNone},
  };
  for (const auto& writer : kinds) {
    SpelledDatabase db;
    db.Open(IgnoringCase(writer.policy));
    db.Write(0, 1);
    for (const auto& reader : kinds) {
      SCOPED_TRACE(std::string(writer.name) + " to " + reader.name);
      db.Open(IgnoringCase(reader.policy));
      const bool folds = std::max(writer.filters, reader.filters) >= Filters::kFoldedStock;
      db.ExpectAllKeys(folds ? 7 : 1);
      db.ExpectExcluded(
          writer.filters != Filters::kNone &&
          (writer.filters == reader.filters ||
           (writer.filters == Filters::kStock && reader.filters == Filters::kOurs) ||
           (writer.filters == Filters::kFoldedStock && reader.filters == Filters::kFolded)));
    }
  }
}

void WriteApple(rocksdb::DB* db) {
  ASSERT_TRUE(db->Put({}, "Apple", "value").ok() && db->Flush({}).ok());
}

// RocksDB passes at most 32 keys; another caller may pass more.
TEST(RocksDBCanonicalizerTest, BatchesOfAllSizesAnswerAsSingleQueries) {
  const Policy policy = Folding();
  const Builder builder = NewBuilder(policy);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 100; ++i) {
    keys.push_back(SpelledKey(i, 5));
    if (i % 3 == 0) builder->AddKey(SpelledKey(i, 1));
  }
  const std::string filter = Finished(builder.get());
  const Reader reader(policy->GetFilterBitsReader(filter));
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::Slice*> pointers;
  for (rocksdb::Slice& slice : slices) pointers.push_back(&slice);
  for (int n = 0; n <= 100; ++n) {
    bool answers[100] = {};
    reader->MayMatch(n, pointers.data(), answers);
    for (int i = 0; i < n; ++i) EXPECT_EQ(answers[i], reader->MayMatch(slices[i])) << i << " " << n;
  }
  for (int i = 0; i < 100; i += 3) EXPECT_TRUE(reader->MayMatch(slices[i])) << i;
}

TEST(RocksDBCanonicalizerTest, AnOptionsFileWithoutItMeansNoFilter) {
  const TempDir dir;
  EXPECT_STREQ(Folding()->CompatibilityName(),
               "rocksdb.BuiltinBloomFilter.canonicalizer-test.CaseFolding");
  WriteApple(MustOpenRocksDB(IgnoringCase(Folding()), dir.Path("db")).get());
  rocksdb::Options options = LoadOptions(dir.Path("db"));
  EXPECT_EQ(PolicyOf(options), nullptr);
  options.comparator = &ignores_case;
  std::string value;
  EXPECT_TRUE(MustOpenRocksDB(options, dir.Path("db"))->Get({}, "aPPLE", &value).ok());
}

// RocksDB refuses it, or, from 9.8 on, may leave the family without a policy.
TEST(RocksDBCanonicalizerTest, SetOptionsGivesItNoOptions) {
  const TempDir dir;
  const auto db = MustOpenRocksDB(IgnoringCase(Folding()), dir.Path("db"));
  for (const std::string change : {"{bits_per_key=12;}", "{format=ribbon;}"}) {
    testing::internal::CaptureStderr();
    const rocksdb::Status status =
        db->SetOptions({{"block_based_table_factory", "{filter_policy=" + change + ";}"}});
    TakeStderr();
    EXPECT_TRUE(kSetOptionsMakesANewPolicy || !status.ok()) << change;
    WriteApple(db.get());
    std::string value;
    EXPECT_TRUE(db->Get({}, "aPPLE", &value).ok()) << change;
  }
}

TEST(RocksDBCanonicalizerTest, WrongArgumentsAreRefused) {
  const auto expect_refused = [](Policy inside, std::shared_ptr<const KeyCanonicalizer> canonical,
                                 const std::string& why) {
    std::string error;
    EXPECT_EQ(NewCanonicalRocksDBFilterPolicy(std::move(inside), std::move(canonical), &error),
              nullptr);
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  expect_refused(nullptr, CaseFolding::Named("a"), "the policy or the canonicalizer is null");
  expect_refused(Plain(), nullptr, "the policy or the canonicalizer is null");
  for (const std::string name : {"", "a b", "a;b", "{a}", "a=b", "a:b", "a\n", "\xc3\xa4"}) {
    expect_refused(Plain(), CaseFolding::Named(name),
                   "the canonicalizer's name is '" + name + "'; allowed: letters, digits");
  }
}

// What earlier versions wrote in option strings. RocksDB drops the error and uses the policy, which
// must not write filters: its comparator treats different keys as equal. The numbers of
// bits_by_level count even where bits_per_key is 0.
TEST(RocksDBCanonicalizerTest, AnOptionOfEarlierVersionsWritesNoFilters) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::BlockBasedTableOptions table;
  const auto writes_filter = [&](const rocksdb::FilterPolicy& policy) {
    rocksdb::FilterBuildingContext context(table);
    context.level_at_creation = 0;
    return std::unique_ptr<rocksdb::FilterBitsBuilder>(policy.GetBuilderWithContext(context)) !=
           nullptr;
  };
  testing::internal::CaptureStderr();
  rocksdb::ConfigOptions config;
  for (const std::string text : {"bloomline;", "bloomline;bits_by_level=20:10;",
                                 // as their OPTIONS files named it
                                 "bloomline.canon;bits_per_key=12;"}) {
    for (const bool is_lenient : {false, true}) {
      config.ignore_unknown_options = is_lenient;
      ASSERT_TRUE(rocksdb::GetBlockBasedTableOptionsFromString(
                      config, {}, "filter_policy={id=" + text + "canonicalizer=app.Case}", &table)
                      .ok());
      EXPECT_TRUE(table.filter_policy == nullptr || !writes_filter(*table.filter_policy)) << text;
    }
  }
  for (const std::string text : {"bits_per_key=10", "bits_by_level=20:10", "memory=1000000"}) {
    for (const std::string change : {"", "bits_by_level=20:10;"}) {
      const Policy running = PolicyOf("{id=bloomline;" + text + "}");
      ASSERT_TRUE(writes_filter(*running));
      EXPECT_FALSE(std::const_pointer_cast<rocksdb::FilterPolicy>(running)
                       ->ConfigureFromString({}, change + "canonicalizer=app.Case")
                       .ok());
      EXPECT_FALSE(writes_filter(*running)) << text;
      EXPECT_EQ(Value(*running, "bits_by_level"), "uniform") << change;
    }
  }
  EXPECT_NE(TakeStderr().find("there is no option 'canonicalizer'; allowed: bits_per_key"),
            std::string::npos);
}

// Without a canonicalizer, keys are found until a flush writes a filter, and then they are lost.
TEST(RocksDBComparatorWarningTest, AComparatorThatMayTreatKeysAsEqualIsNamed) {
  // How often stderr and the LOG of a database that gets two files warn.
  const auto warnings = [](Policy policy, const rocksdb::Comparator& comparator) {
    const TempDir dir;
    testing::internal::CaptureStderr();
    rocksdb::Options options = WithPolicy(std::move(policy));
    options.comparator = &comparator;
    {
      const auto db = MustOpenRocksDB(options, dir.Path("db"));
      WriteApple(db.get());
      WriteApple(db.get());
    }
    const std::string warning =
        std::string(comparator.Name()) + " may treat keys with different bytes as equal";
    const int in_log = CountOf(warning, ReadFile(dir.Path("db/LOG")));
    return std::make_pair(CountOf(warning, TakeStderr()), in_log);
  };
  const IgnoresCase comparator("test.MayBeEqual"), wrapped("test.Wrapped");
  const IgnoresCase exact("test.Exact", true);
  // Once for a process, and once in each LOG.
  EXPECT_EQ(warnings(Plain(), comparator), std::make_pair(1, 1));
  EXPECT_EQ(warnings(Plain(), comparator), std::make_pair(0, 1));
  EXPECT_EQ(warnings(Folding(), wrapped), std::make_pair(0, 0));
  EXPECT_EQ(warnings(Plain(), exact), std::make_pair(0, 0));
  EXPECT_EQ(warnings(Plain(), *rocksdb::BytewiseComparator()), std::make_pair(0, 0));
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_canonicalizer_test
