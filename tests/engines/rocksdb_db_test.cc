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
#include <rocksdb/utilities/options_util.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/case_folding.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

constexpr char kName[] = "test.CaseFolding";
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

struct Mode {
  const char* name;
  bool partitioned;
  bool prefix;
  bool whole_key;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

constexpr Mode kModes[] = {{"Full", false, false, true},
                           {"FullPrefixOnly", false, true, false},
                           {"PartitionedPrefix", true, true, true}};

rocksdb::Options MakeOptions(Policy policy, const Mode& mode = kModes[0]) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.whole_key_filtering = mode.whole_key;
  table.detect_filter_construct_corruption = true;
  table.optimize_filters_for_memory = mode.whole_key;
  if (mode.partitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 512;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  static const IgnoresCase comparator;
  options.comparator = &comparator;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = rocksdb::CreateDBStatistics();
  // "group017/": the prefix varies in spelling as the key does.
  if (mode.prefix) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
  return options;
}

Policy NewPolicy(std::shared_ptr<const KeyCanonicalizer> canonicalizer,
                 Format format = Format::kBlocked) {
  RocksDBFilterOptions options;
  options.format = format;
  const Policy policy = NewRocksDBFilterPolicy(options);
  if (canonicalizer == nullptr) return policy;
  return NewCanonicalRocksDBFilterPolicy(policy, std::move(canonicalizer));
}

Policy Folding(Format format = Format::kBlocked) {
  return NewPolicy(CaseFolding::Named(kName), format);
}

// The files of one database, in memory: the tests open many, and disks are slow to sync.
using Files = std::unique_ptr<rocksdb::Env>;
Files NewFiles() { return Files(rocksdb::NewMemEnv(rocksdb::Env::Default())); }

class Database {
 public:
  Database(const Files& files, const rocksdb::Options& options) : options_(options) {
    options_.env = files.get();
    const rocksdb::Status status = OpenRocksDB(options_, "/db", &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  // Even keys from `first` on.
  void Write(uint64_t first, uint64_t last, uint64_t spelling) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = first; i < last; ++i) {
      ASSERT_TRUE(db_->Put(write, SpelledKey(2 * i, spelling), std::to_string(i)).ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
  }

  void Compact() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(options, nullptr, nullptr).ok());
  }

  // How many of the written keys Get and MultiGet do not find.
  uint64_t NumLost(uint64_t spelling) {
    uint64_t lost = 0;
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const bool found = db_->Get({}, SpelledKey(2 * i, spelling), &value).ok();
      lost += found && value == std::to_string(i) ? 0 : 1;
    }
    constexpr size_t kBatch = 64;
    for (uint64_t start = 0; start + kBatch <= kKeys; start += kBatch) {
      std::vector<std::string> keys;
      for (size_t i = 0; i < kBatch; ++i) keys.push_back(SpelledKey(2 * (start + i), spelling));
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(kBatch);
      std::vector<rocksdb::Status> statuses(kBatch);
      db_->MultiGet({}, db_->DefaultColumnFamily(), kBatch, slices.data(), values.data(),
                    statuses.data());
      for (const rocksdb::Status& status : statuses) lost += status.ok() ? 0 : 1;
    }
    return lost;
  }

  // Seeks of stored keys that find another one or none.
  uint64_t NumLostBySeek(uint64_t spelling) {
    // Not prefix_same_as_start: RocksDB then compares the bytes of prefixes.
    const rocksdb::ReadOptions read;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < kKeys; i += 37) {
      const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
      iterator->Seek(SpelledKey(2 * i, spelling));
      lost += iterator->Valid() && iterator->value() == std::to_string(i) ? 0 : 1;
    }
    return lost;
  }

  // Lookups of missing keys that a filter answered.
  uint64_t NumExcluded(uint64_t spelling) {
    const uint64_t before = Useful();
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      // Odd keys lie between the stored ones; their groups are missing, for prefix filters.
      EXPECT_TRUE(db_->Get({}, SpelledKey(2 * i + 1, spelling), &value).IsNotFound());
    }
    return Useful() - before;
  }

  void ExpectRight(bool uses_filters) {
    for (const uint64_t spelling : {0u, 1u, 7u}) {
      EXPECT_EQ(NumLost(spelling), 0u) << spelling;
      EXPECT_EQ(NumLostBySeek(spelling), 0u) << spelling;
    }
    const uint64_t excluded = NumExcluded(5);
    if (uses_filters) {
      EXPECT_GT(excluded, kKeys * 9 / 10);
    } else {
      EXPECT_EQ(excluded, 0u);
    }
  }

 private:
  uint64_t Useful() const {
    return options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
           options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  }

  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

class RocksDBComparatorTest : public testing::TestWithParam<Mode> {};

TEST_P(RocksDBComparatorTest, EachSpellingIsFoundAndMissingKeysAreExcluded) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    SCOPED_TRACE(FormatName(format));
    const Files files = NewFiles();
    {
      Database db(files, MakeOptions(Folding(format), GetParam()));
      db.Write(0, kKeys, 1);
      db.ExpectRight(true);
      db.Write(kKeys / 2, kKeys, 2);  // newer versions, in another spelling
      db.Compact();
      db.ExpectRight(true);
    }
    Database db(files, MakeOptions(Folding(format), GetParam()));
    db.ExpectRight(true);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RocksDBComparatorTest, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RocksDBCanonicalizerTest, FiltersOfOthersLoseNoKey) {
  enum class Filters { kNone, kStock, kOurs, kFoldedStock, kFolded, kOther };
  const struct {
    const char* name;
    std::function<Policy()> make;
    Filters filters;
  } kinds[] = {
      {"folding", [] { return Folding(); }, Filters::kFolded},
      {"other", [] { return NewPolicy(CaseFolding::Named("test.Other")); }, Filters::kOther},
      {"Bloom folding",
       [] {
         return NewCanonicalRocksDBFilterPolicy(
             std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)),
             CaseFolding::Named(kName));
       },
       Filters::kFoldedStock},
      {"blocked", [] { return NewPolicy(nullptr); }, Filters::kOurs},
      {"Bloom", [] { return Policy(rocksdb::NewBloomFilterPolicy(10)); }, Filters::kStock},
      {"none", [] { return Policy(); }, Filters::kNone},
  };
  for (const auto& writer : kinds) {
    const Files files = NewFiles();
    {
      Database db(files, MakeOptions(writer.make()));
      db.Write(0, kKeys, 1);
    }
    for (const auto& reader : kinds) {
      SCOPED_TRACE(std::string(writer.name) + " to " + reader.name);
      Database db(files, MakeOptions(reader.make()));
      const auto has_canonicalizer = [&](const auto& kind) {
        return kind.filters >= Filters::kFoldedStock;
      };
      const bool folds = has_canonicalizer(writer) || has_canonicalizer(reader);
      EXPECT_EQ(db.NumLost(folds ? 7 : 1), 0u);
      const bool uses_filters =
          writer.filters != Filters::kNone &&
          (writer.filters == reader.filters ||
           (writer.filters == Filters::kStock && reader.filters == Filters::kOurs) ||
           (writer.filters == Filters::kFoldedStock && reader.filters == Filters::kFolded));
      if (uses_filters) {
        EXPECT_GT(db.NumExcluded(5), kKeys * 9 / 10);
      } else {
        EXPECT_EQ(db.NumExcluded(5), 0u);
      }
    }
  }
}

std::unique_ptr<rocksdb::DB> Open(const TempDir& dir, rocksdb::Options options) {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status = OpenRocksDB(options, dir.Path("db"), &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return db;
}

void WriteApple(rocksdb::DB* db) {
  ASSERT_TRUE(db->Put({}, "Apple", "value").ok() && db->Flush({}).ok());
}

TEST(RocksDBCanonicalizerTest, AnOptionsFileWithoutItMeansNoFilter) {
  const TempDir dir;
  const Policy policy = NewPolicy(CaseFolding::Named("app.Case"));
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter.canonicalizer-app.Case");
  const rocksdb::Options written = MakeOptions(policy);
  WriteApple(Open(dir, written).get());
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(rocksdb::LoadLatestOptions({}, dir.Path("db"), &db_options, &families).ok());
  rocksdb::Options options(db_options, families[0].options);
  EXPECT_EQ(options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy,
            nullptr);
  options.comparator = written.comparator;
  std::string value;
  EXPECT_TRUE(Open(dir, options)->Get({}, "aPPLE", &value).ok());
}

// RocksDB refuses it, or, from 9.8 on, may leave the family without a policy.
TEST(RocksDBCanonicalizerTest, SetOptionsGivesItNoOptions) {
  const TempDir dir;
  const auto db = Open(dir, MakeOptions(Folding()));
  for (const std::string change : {"{bits_per_key=12;}", "{format=compact;}"}) {
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
  const Policy policy = NewPolicy(nullptr);
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
// must not write filters: its comparator treats different keys as equal. The numbers of
// bits_by_level count even where bits_per_key is 0.
TEST(RocksDBCanonicalizerTest, AnOptionOfEarlierVersionsWritesNoFilters) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::BlockBasedTableOptions table;
  const auto read = [&](const std::string& text, bool is_lenient) {
    rocksdb::ConfigOptions config;
    config.ignore_unknown_options = is_lenient;
    testing::internal::CaptureStderr();
    EXPECT_TRUE(
        rocksdb::GetBlockBasedTableOptionsFromString(config, {}, "filter_policy=" + text, &table)
            .ok());
    return TakeStderr();
  };
  const auto writes_filter = [&](const rocksdb::FilterPolicy& policy) {
    rocksdb::FilterBuildingContext context(table);
    context.level_at_creation = 0;
    return std::unique_ptr<rocksdb::FilterBitsBuilder>(policy.GetBuilderWithContext(context)) !=
           nullptr;
  };
  for (const std::string more : {"", ";bits_per_key=12", ";bits_by_level=20:10"}) {
    const std::string text = "{id=bloomline;canonicalizer=app.Case" + more + "}";
    EXPECT_NE(read(text, false).find("there is no option 'canonicalizer'; allowed: bits_per_key"),
              std::string::npos);
    ASSERT_NE(table.filter_policy, nullptr);
    EXPECT_FALSE(writes_filter(*table.filter_policy)) << text;
    read(text, true);
    EXPECT_FALSE(writes_filter(*table.filter_policy)) << text;
  }
  // As their OPTIONS files named it.
  read("{id=bloomline.canon;canonicalizer=app.Case;bits_per_key=12}", false);
  EXPECT_EQ(table.filter_policy, nullptr);
  const Policy running = NewPolicy(nullptr);
  ASSERT_TRUE(writes_filter(*running));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(std::const_pointer_cast<rocksdb::FilterPolicy>(running)
                   ->ConfigureFromString({}, "canonicalizer=app.Case")
                   .ok());
  TakeStderr();
  EXPECT_FALSE(writes_filter(*running));
}

// How often stderr and the LOG of a database that gets two files have `part`.
std::pair<int, int> Said(Policy policy, const rocksdb::Comparator* comparator,
                         const std::string& part) {
  const TempDir dir;
  testing::internal::CaptureStderr();
  rocksdb::Options options = MakeOptions(std::move(policy));
  options.comparator = comparator;
  {
    const auto db = Open(dir, options);
    WriteApple(db.get());
    WriteApple(db.get());
  }
  const auto count = [&part](const std::string& text) {
    int found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
    return found;
  };
  return {count(TakeStderr()), count(ReadFile(dir.Path("db/LOG")))};
}

// Without a canonicalizer, keys are found until a flush writes a filter, and then they are lost.
TEST(RocksDBComparatorWarningTest, AComparatorThatMayTreatKeysAsEqualIsNamed) {
  const IgnoresCase comparator("test.MayBeEqual");
  const std::string warning = "test.MayBeEqual may treat keys with different bytes as equal";
  // Once for a process, and once in each LOG.
  EXPECT_EQ(Said(NewPolicy(nullptr), &comparator, warning), std::make_pair(1, 1));
  EXPECT_EQ(Said(NewPolicy(nullptr), &comparator, "NewCanonicalRocksDBFilterPolicy"),
            std::make_pair(0, 1));
  const IgnoresCase folded("test.Wrapped");
  const IgnoresCase exact("test.Exact", true);
  EXPECT_EQ(Said(Folding(), &folded, "may treat"), std::make_pair(0, 0));
  for (const rocksdb::Comparator* other : std::initializer_list<const rocksdb::Comparator*>{
           &exact, rocksdb::BytewiseComparator(), rocksdb::ReverseBytewiseComparator()}) {
    EXPECT_EQ(Said(NewPolicy(nullptr), other, "may treat"), std::make_pair(0, 0));
  }
}

}  // namespace
}  // namespace bloomline::tests
