// Filters by level in RocksDB databases: of files that RocksDB itself makes, merges and moves, and
// in five full levels against the model.
//
// BLOOMLINE_TEST_KEYS in the environment: the keys of each database. With it, tests print what the
// filters of each level cost and save (docs/rocksdb.md; five levels: db_bench_ext/run --part
// levels):
//
//   BLOOMLINE_TEST_KEYS=1000000 build/dev/tests/rocksdb_tests --gtest_filter=*Uniform*
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/level_sizing.h"
#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/five_levels.h"
#include "src/filter/container/table_bytes.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/level_life.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_levels_test {
namespace {

using bench::FiveLevels;

// As much memory as 10 bits per key.
constexpr double kRibbonBits = 14.53;

RocksDBFilterOptions Uniform() {
  return RocksDBFilterOptions(FilterOptions{Format::kRibbon, kRibbonBits});
}

RocksDBFilterOptions ByLevel() {
  RocksDBFilterOptions options = Uniform();
  options.auto_bits_by_level = true;
  return options;
}

const char* const wanted_keys = std::getenv("BLOOMLINE_TEST_KEYS");
const uint64_t kKeys = wanted_keys == nullptr ? 90000 : std::strtoull(wanted_keys, nullptr, 10);

std::string Ascending(uint64_t i) { return std::to_string(1000000000 + i); }

class Database : public AccountedDatabase {
 public:
  explicit Database(const std::string& path, const RocksDBFilterOptions& filter = ByLevel())
      : AccountedDatabase(path, NewFilterAccount(), filter) {
    options().write_buffer_size = 128 << 10;
    options().target_file_size_base = 64 << 10;
    options().max_bytes_for_level_base = 256 << 10;
    options().statistics = rocksdb::CreateDBStatistics();
  }

  // Prints what the filters cost, and save in lookups of missing keys, if that is wanted.
  void Print(const char* what) {
    if (wanted_keys == nullptr) return;
    constexpr uint64_t kLookups = 500000;
    std::string value;
    EXPECT_TRUE(options().statistics->Reset().ok());
    for (uint64_t i = 0; i < kLookups; ++i) {
      EXPECT_TRUE(db()->Get({}, Key(kKeys + 1000000 + i), &value).IsNotFound());
    }
    const uint64_t positives =
        options().statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    std::printf("%s: %.3f %% wasted reads\n", what,
                100.0 * static_cast<double>(positives) / kLookups);
    std::printf("%s\n", MemoryOf(db()).text().c_str());
  }
};

class LevelStyleTest : public testing::TestWithParam<bool> {
#ifdef __SANITIZE_ADDRESS__
  void SetUp() override {
    GTEST_SKIP() << "most of its time is RocksDB's, which is not instrumented";
  }
#endif
};
INSTANTIATE_TEST_SUITE_P(, LevelStyleTest, testing::Bool(), [](const auto& dynamic) {
  return dynamic.param ? "DynamicLevels" : "StaticLevels";
});

TEST_P(LevelStyleTest, MergedLevelsTakeAboutTheMemoryOfUniformBits) {
  TempDir dir;
  Database database(dir.Path("db"));
  database.options().level_compaction_dynamic_level_bytes = GetParam();
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, kKeys);
  if (HasFatalFailure()) return;
  database.Print("by level");
  if (wanted_keys != nullptr) {
    Database compared(dir.Path("uniform"), Uniform());
    compared.options().level_compaction_dynamic_level_bytes = GetParam();
    ASSERT_TRUE(compared.Open().ok());
    compared.Fill(0, kKeys);
    compared.Print("uniform");
  }
  FamilyMemory filters = MemoryOf(database.db());
  uint64_t num_keys = kKeys;
  // On a busy machine, compactions sometimes leave the bottom alone.
  const auto has_bottom = [&] {
    return filters.levels.size() >= 2 &&
           filters.levels.rbegin()->second.keys > filters.all.keys / 5;
  };
  for (int tries = 0; !has_bottom() && tries < 8; ++tries, num_keys += 2000) {
    database.Fill(num_keys, 2000);
    filters = MemoryOf(database.db());
  }
  EXPECT_TRUE(has_bottom()) << "too few levels for the test";
  EXPECT_GT(filters.all.mean(), 9.4);
  EXPECT_LE(filters.all.mean(), kMostOverPromise * 10);
  const double bottom = filters.levels.rbegin()->second.mean();
  double most = 0;
  for (const auto& [level, of_level] : filters.levels) most = std::max(most, of_level.mean());
  EXPECT_GT(most, bottom + 2);
  database.ExpectNoKeyLost(num_keys);
  database.Close();
  ASSERT_TRUE(database.Open().ok());
  database.ExpectNoKeyLost(num_keys);
  // The whole database is one level then.
  database.Compact();
  EXPECT_NEAR(MemoryOf(database.db()).all.mean(), 10, 0.2);
  database.ExpectNoKeyLost(num_keys);
}

// RocksDB moves files of ascending keys from level to level as they are.
TEST_P(LevelStyleTest, MovedFilesTakeTheMemoryOfUniformBits) {
  TempDir dir;
  Database database(dir.Path("db"));
  database.options().level_compaction_dynamic_level_bytes = GetParam();
  ASSERT_TRUE(database.Open().ok());
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(database.db()->Put({}, Ascending(i), "a value of some length").ok());
    if (i % 9000 != 8999) continue;
    // On a busy machine, one late compaction could merge everything into the last level.
    database.Flush();
    database.Wait();
  }
  const FamilyMemory filters = MemoryOf(database.db());
  EXPECT_GE(filters.levels.size(), 2u) << "nothing was moved";
  EXPECT_NEAR(filters.all.mean(), 10, 0.5);
  std::string value;
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(database.db()->Get({}, Ascending(i), &value).ok()) << "lost key " << i;
  }
}

// A filter of 1000 keys in a new file of level 3.
std::string FilterOf(const RocksDBFilterOptions& options, rocksdb::TableFileCreationReason reason,
                     rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 3;
  context.num_levels = 7;
  context.reason = reason;
  context.compaction_style = style;
  const Builder builder(NewRocksDBFilterPolicy(options)->GetBuilderWithContext(context));
  for (int i = 0; i < 1000; ++i) builder->AddKey(std::to_string(i));
  return Finished(builder.get());
}

using rocksdb::TableFileCreationReason;

TEST(RocksDBLevelsTest, FlushesAndRecoveryHaveTheirOwnFormat) {
  RocksDBFilterOptions options = ByLevel();
  options.flush_format = Format::kBlocked;
  const auto layout = [&](TableFileCreationReason reason) {
    return filter::DecodeTableBytes(FilterOf(options, reason)).layout;
  };
  EXPECT_EQ(layout(TableFileCreationReason::kFlush), filter::Layout::kBlocked);
  EXPECT_EQ(layout(TableFileCreationReason::kRecovery), filter::Layout::kBlocked);
  EXPECT_EQ(layout(TableFileCreationReason::kCompaction), filter::Layout::kRocksDBRibbon);
  EXPECT_EQ(layout(TableFileCreationReason::kMisc), filter::Layout::kRocksDBRibbon);
}

TEST(RocksDBLevelsTest, StylesWithoutLevelsHaveUniformBitsWithoutAnAccount) {
  const auto bytes = [](const RocksDBFilterOptions& options, rocksdb::CompactionStyle style) {
    return FilterOf(options, TableFileCreationReason::kCompaction, style).size();
  };
  for (const auto style : {rocksdb::kCompactionStyleUniversal, rocksdb::kCompactionStyleFIFO}) {
    EXPECT_EQ(bytes(ByLevel(), style), bytes(Uniform(), style));
  }
}

// A filter without every hundredth key.
class ForgetfulBuilder : public ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  void AddKey(const Slice& key) override {
    if (++num_keys_ % 100 != 0) ForwardingBuilder::AddKey(key);
  }

 private:
  int num_keys_ = 0;
};

class ForgetfulPolicy : public ForwardingPolicy {
 public:
  using ForwardingPolicy::ForwardingPolicy;
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return new ForgetfulBuilder(ForwardingPolicy::GetBuilderWithContext(context));
  }
};

// What the tests below and db_bench_ext/run, which then ends with exit status 1, rely on.
TEST(FiveLevelsTest, LostKeysAreCounted) {
  const TempDir dir;
  const Policy bloom = PolicyOf("bloomfilter:10:false");
  FiveLevels database(dir.Path("db"), bloom, 30000);
  EXPECT_EQ(database.CountLostKeys(), 0u);
  database.Rewrite(std::make_shared<ForgetfulPolicy>(bloom));
  const double lost = static_cast<double>(database.CountLostKeys());
  // One of a hundred of them is a false positive.
  EXPECT_NEAR(lost, static_cast<double>(database.num_keys()) / 100, 15);
}

// The first choice of `bloomline db advise` where Bloom filters have 10 bits per key (advice_test).
// RocksDB's own policy reads it.
TEST(FiveLevelsTest, RocksDBAloneReadsRibbonByLevel) {
  const TempDir dir;
  FiveLevels database(dir.Path("db"), PolicyOf("bloomfilter:10:false"), 510000);
  const uint64_t bloom_bytes = database.filters().bytes;
  database.Rewrite(
      PolicyOf("{id=bloomline;format=ribbon;bits_per_key=14.53;bits_by_level=auto;stock_id=true}"),
      NewFilterAccount());
  EXPECT_LE(database.filters().bytes, bloom_bytes + bloom_bytes / 100);
  database.ReopenWith(PolicyOf("bloomfilter:10:false"));
  const FiveLevels::Reads reads = database.ReadMissing(500000);
  EXPECT_LE(reads.positives, 0.0020);
  EXPECT_GE(reads.positives, 0.0010) << "the measurement says nothing";
  EXPECT_NEAR(reads.positives + reads.rejections, FiveLevels::kNumLevels, 0.1);
  EXPECT_EQ(reads.wrong_answers, 0u);
  EXPECT_EQ(database.CountLostKeys(), 0u);
}

// Five full levels, against what the sizing header promises for them.
TEST(FiveLevelsTest, BitsByLevelWasteAsFewReadsAsTheModelSays) {
  constexpr int kNumLevels = FiveLevels::kNumLevels;
  const TempDir dir;
  // 51 in level 1: with fewer, RocksDB's own filter has more bits than it should, and is better
  // than in databases of real size.
  FiveLevels database(dir.Path("db"), PolicyOf("bloomfilter:10:false"), 510000);
  const auto measure = [&] {
    EXPECT_EQ(database.CountLostKeys(), 0u);
    const FiveLevels::Reads reads = database.ReadMissing(300000);
    EXPECT_EQ(reads.wrong_answers, 0u);
    // All five filters are queried: but for missing keys outside the range of a small level.
    EXPECT_NEAR(reads.positives + reads.rejections, kNumLevels, 0.1);
    return reads;
  };
  const double bloom = measure().positives;
  // The measurement tells filters apart: this is what RocksDB's own filter wastes.
  EXPECT_NEAR(bloom, 0.0475, 0.003);
  database.Rewrite(NewRocksDBFilterPolicy(ByLevel()), NewFilterAccount());
  const FiveLevels::Reads reads = measure();
  const FiveLevels::Filters filters = database.filters();
  EXPECT_LE(filters.average, 1.01 * 10);
  double keys[kNumLevels], bits[kNumLevels];
  EXPECT_TRUE(KeysOfLevels(kNumLevels, 10, keys));
  EXPECT_TRUE(SpreadBitsByLevel(Format::kRibbon, kRibbonBits, keys, nullptr, kNumLevels, bits));
  const double model = WastedReads(Format::kRibbon, bits, nullptr, kNumLevels);
  EXPECT_NEAR(reads.positives, model, 0.1 * model);
  EXPECT_LE(reads.positives, bloom / 20);
  // A false positive is the read of a data block, and rarely of the next one, too.
  EXPECT_NEAR(reads.per_get, reads.positives, 0.03 * model);
  for (int level = FiveLevels::kTop; level < FiveLevels::kBottom; ++level) {
    EXPECT_GT(filters.bits_per_key[level], filters.bits_per_key[level + 1] + 1);
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_levels_test
