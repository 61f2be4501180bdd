// The RocksDB policy: random seeds, filters without keys, damage while a filter is built, and
// readers that outlive their policy.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/container/trailer.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/metric_value.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_policy_test {
namespace {

std::vector<std::string> Keys(int n) {
  std::vector<std::string> keys;
  for (int i = 0; i < n; ++i) keys.push_back("key" + std::to_string(i));
  return keys;
}

std::string Build(const Policy& policy, const std::vector<std::string>& keys) {
  const Builder builder = NewBuilder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  return Finished(builder.get());
}

int Matches(const Policy& policy, const std::string& filter, const char* prefix, int n) {
  const Reader reader(policy->GetFilterBitsReader(filter));
  int matches = 0;
  for (int i = 0; i < n; ++i) matches += reader->MayMatch(prefix + std::to_string(i));
  return matches;
}

// An empty filter means that there are no keys, and RocksDB's MultiGet loses the keys of a
// partition without bytes (bits_builder.h). Without a seed, a filter matches every key.
TEST(RocksDBPolicyTest, AFullFilterWithoutKeysIsEmptyAndAPartitionIsNot) {
  const Policy stock(rocksdb::NewBloomFilterPolicy(10));
  FilterOptions blocked, seedless;
  seedless.random_seed = true;
  for (const FilterOptions& options : {blocked, seedless}) {
    const bool is_valid = !options.random_seed;
    std::optional<InjectedEntropy> failing;
    if (!is_valid) failing.emplace();
    for (const bool is_partition : {false, true}) {
      rocksdb::BlockBasedTableOptions table;
      table.partition_filters = is_partition;
      engine::RocksDBBitsBuilder builder(options);
      builder.UseTableOptions(table);
      EXPECT_EQ(builder.EstimateEntriesAdded(), is_valid ? 0u : 1u);
      for (const bool has_key : {false, true, false}) {
        if (has_key) builder.AddKey(std::string("key0"));
        const std::string filter = Finished(&builder);
        EXPECT_EQ(filter.empty(), is_valid && !is_partition && !has_key);
        const int matches = Matches(NewRocksDBFilterPolicy(blocked), filter, "key", 100);
        EXPECT_GE(matches, is_valid ? has_key : 100);
        EXPECT_LE(matches, is_valid ? 20 * has_key : 100);
        if (!filter.empty()) {
          EXPECT_EQ(Matches(stock, filter, "key", 10), 10);
        }
      }
    }
  }
}

TEST(RocksDBPolicyTest, OtherThreadsMayReadTheNumberOfEntries) {
  const Builder builder = NewBuilder(NewRocksDBFilterPolicy(FilterOptions()));
  constexpr size_t kKeys = 200000;
  std::thread adding([&] {
    for (size_t i = 0; i < kKeys; ++i) builder->AddKey(std::to_string(i));
  });
  size_t last = 0;
  bool falls = false;
  while (last < kKeys) {
    const size_t entries = builder->EstimateEntriesAdded();
    falls |= entries < last;
    last = entries;
  }
  adding.join();
  EXPECT_FALSE(falls);
  EXPECT_EQ(last, kKeys);
}

// The damage is of memory: the trailer at the end stays. RocksDB fails the flush or compaction.
TEST(RocksDBPolicyTest, DamageDuringConstructionIsReported) {
  const std::vector<std::string> keys = Keys(3000);
  for (const bool is_partitioned : {false, true}) {
    for (const bool detects : {false, true}) {
      SCOPED_TRACE(testing::Message() << is_partitioned << detects);
      rocksdb::BlockBasedTableOptions table;
      table.detect_filter_construct_corruption = detects;
      table.partition_filters = is_partitioned;
      const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
      const Builder builder = NewBuilder(policy, table);
      for (const bool is_damaged : {false, true, false}) {
        for (const std::string& key : keys) builder->AddKey(key);
        std::unique_ptr<const char[]> buffer;
        rocksdb::Status status;
        const rocksdb::Slice filter = builder->Finish(&buffer, &status);
        ASSERT_TRUE(status.ok()) << status.ToString();
        if (is_damaged) std::memset(const_cast<char*>(filter.data()), 0, filter.size() / 2);
        const rocksdb::Status verified = builder->MaybePostVerify(filter);
        EXPECT_EQ(verified.IsCorruption(), is_damaged && detects) << verified.ToString();
        EXPECT_EQ(verified.ToString().find("filter lost") != std::string::npos,
                  is_damaged && detects)
            << verified.ToString();
        // The control: the damage is of a kind that matters.
        EXPECT_EQ(Matches(policy, filter.ToString(), "key", 3000) < 3000, is_damaged);
      }
    }
  }
}

// A block cache keeps readers after the database is closed and its policy is gone, and gives them
// to a database that is opened with another policy.
TEST(RocksDBPolicyTest, ReadersOutliveTheirPolicy) {
  constexpr uint64_t kKeys = 3000;
  const auto key = [](uint64_t i) { return "key" + std::to_string(100000 + i); };
  // Every even key is found. Returns how many of as many missing keys a filter excluded.
  const auto num_excluded = [&](rocksdb::DB* db, const rocksdb::Statistics& statistics) {
    const uint64_t before = statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
    std::string value;
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      EXPECT_EQ(db->Get({}, key(i), &value).ok(), i % 2 == 0) << "key " << i;
    }
    return statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) - before;
  };
  for (const bool is_partitioned : {false, true}) {
    for (const bool is_stock : {false, true}) {
      SCOPED_TRACE(testing::Message() << is_partitioned << ", " << is_stock);
      const TempDir dir;
      rocksdb::BlockBasedTableOptions table;
      table.block_cache = rocksdb::NewLRUCache(4 << 20);
      table.cache_index_and_filter_blocks = true;
      if (is_partitioned) PartitionFilters(512, &table);
      table.filter_policy = NewRocksDBFilterPolicy(FilterOptions{Format::kRibbon, 10});
      const std::weak_ptr<const rocksdb::FilterPolicy> first(table.filter_policy);
      {
        rocksdb::Options options = WithTable(table);
        table.filter_policy.reset();
        options.statistics = rocksdb::CreateDBStatistics();
        const auto db = MustOpenRocksDB(options, dir.Path("db"));
        for (uint64_t i = 0; i < 2 * kKeys; i += 2) ASSERT_TRUE(db->Put({}, key(i), "").ok());
        ASSERT_TRUE(db->Flush({}).ok());
        EXPECT_GT(num_excluded(db.get(), *options.statistics), kKeys * 95 / 100);
      }
      ASSERT_TRUE(first.expired());
      table.filter_policy = is_stock ? Policy(rocksdb::NewBloomFilterPolicy(10))
                                     : NewRocksDBFilterPolicy(FilterOptions{Format::kBlocked, 10});
      rocksdb::Options options = WithTable(table);
      options.statistics = rocksdb::CreateDBStatistics();
      const auto db = MustOpenRocksDB(options, dir.Path("db"));
      EXPECT_GT(num_excluded(db.get(), *options.statistics), kKeys * 95 / 100);
      EXPECT_EQ(options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_MISS), 0u)
          << "new readers";
    }
  }
}

uint64_t SeedOf(const std::string& filter) { return filter::DecodeTrailer(filter).seed; }

TEST(RocksDBSeedTest, ARandomSeedCanBeSetAndUnset) {
  const Policy policy = PolicyOf("{id=bloomline;seed=random}");
  const auto seed = [&] { return SeedOf(Build(policy, Keys(100))); };
  EXPECT_NE(seed(), seed());
  const std::string text = policy->ToString(rocksdb::ConfigOptions());
  EXPECT_NE(text.find("seed=random"), std::string::npos) << text;
  const Policy again = PolicyOf(text);
  std::string mismatch;
  EXPECT_TRUE(policy->AreEquivalent(rocksdb::ConfigOptions(), again.get(), &mismatch)) << mismatch;
  const Policy unseeded = PolicyOf("{id=bloomline}");
  EXPECT_FALSE(policy->AreEquivalent(rocksdb::ConfigOptions(), unseeded.get(), &mismatch));
  EXPECT_EQ(mismatch, "seed");

  const auto set = [&](const char* name, const char* value) {
    return const_cast<rocksdb::FilterPolicy*>(policy.get())
        ->ConfigureFromMap(rocksdb::ConfigOptions(), {{name, value}})
        .ok();
  };
  EXPECT_TRUE(set("seed", "78"));
  EXPECT_EQ(seed(), 78u);
  for (const char* text : {"Random", "random ", "rand", ""})
    EXPECT_FALSE(set("seed", text)) << text;
  EXPECT_EQ(seed(), 78u);
  EXPECT_TRUE(set("seed", "random"));
  EXPECT_FALSE(set("format", "classic")) << "for LevelDB alone";
  EXPECT_NE(seed(), seed());
}

TEST(RocksDBSeedTest, WithoutAGeneratorNoPolicyAndNoFalseNegative) {
  const FilterOptions options{Format::kBlocked, 10, 0, /*random_seed=*/true};
  const Policy policy = NewRocksDBFilterPolicy(options);
  ASSERT_NE(policy, nullptr);
  const InjectedEntropy failing;
  std::string error;
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);
  EXPECT_NE(error.find("generator failed"), std::string::npos) << error;
  const auto num_counted = [] {
    return MetricValue("bloomline_filters_built_matching_everything_total",
                       R"(,reason="random_seed")");
  };
  const double before = num_counted();
  const std::string filter = Build(policy, Keys(1000));
  EXPECT_EQ(num_counted(), before + 1);
  EXPECT_EQ(Matches(policy, filter, "key", 1000), 1000);
  EXPECT_EQ(Matches(policy, filter, "absent", 1000), 1000);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_policy_test
