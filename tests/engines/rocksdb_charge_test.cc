// Memory of filter construction, charged to RocksDB's block cache.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>
#endif

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using rocksdb::Cache;
using rocksdb::FilterBitsBuilder;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

constexpr size_t kEntry = 256 << 10;
constexpr size_t kHashesPerEntry = kEntry / 8;

void Charge(rocksdb::BlockBasedTableOptions* table) {
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 703
  table->cache_usage_options.options_overrides.insert(
      {rocksdb::CacheEntryRole::kFilterConstruction,
       {rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
#else
  table->reserve_table_builder_memory = true;
#endif
}

// One shard, so that its capacity is exact.
std::shared_ptr<Cache> NewCache(size_t capacity, bool strict) {
  return rocksdb::NewLRUCache(capacity, 0, strict);
}

std::string Key(size_t i) { return "key" + std::to_string(i); }

class RocksDBChargeTest : public testing::TestWithParam<Format> {
 protected:
  RocksDBChargeTest() {
    table_.filter_policy = NewRocksDBFilterPolicy(tests::Options(GetParam(), 10));
    table_.block_cache = cache_ = NewCache(64 << 20, true);
    table_.optimize_filters_for_memory = false;  // sizes would depend on the filters before
    Charge(&table_);
  }

  std::unique_ptr<FilterBitsBuilder> NewBuilder() const {
    const rocksdb::FilterBuildingContext context(table_);
    return std::unique_ptr<FilterBitsBuilder>(table_.filter_policy->GetBuilderWithContext(context));
  }
  size_t Charged() const { return cache_->GetPinnedUsage() / kEntry; }
  void SetCache(std::shared_ptr<Cache> cache) { table_.block_cache = cache_ = std::move(cache); }

  static void Add(size_t first, size_t end, FilterBitsBuilder* builder) {
    for (size_t i = first; i < end; ++i) builder->AddKey(Key(i));
  }
  size_t LostKeys(size_t num_keys, const Slice& filter) const {
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        table_.filter_policy->GetFilterBitsReader(filter));
    size_t lost = 0;
    for (size_t i = 0; i < num_keys; ++i) lost += reader->MayMatch(Key(i)) ? 0 : 1;
    return lost;
  }

  rocksdb::BlockBasedTableOptions table_;
  std::shared_ptr<Cache> cache_;
};

TEST_P(RocksDBChargeTest, HashesAreChargedInHalvesOfEntries) {
  const auto builder = NewBuilder();
  size_t added = 0;
  for (size_t entries = 0; entries < 20; ++entries) {
    const size_t end = entries * kHashesPerEntry + kHashesPerEntry / 2;
    Add(added, end, builder.get());
    EXPECT_EQ(Charged(), entries) << end;
    Add(end, end + 1, builder.get());
    EXPECT_EQ(Charged(), entries + 1) << end + 1;
    added = end + 1;
  }
}

TEST_P(RocksDBChargeTest, FiltersStayChargedUntilTheBuilderIsGone) {
  auto builder = NewBuilder();
  std::vector<std::unique_ptr<const char[]>> buffers(3);
  size_t bytes = 0;
  for (auto& buffer : buffers) {
    Add(0, 300000, builder.get());
    EXPECT_EQ(Charged(), 9 + (bytes + kEntry - 1) / kEntry);
    bytes += builder->Finish(&buffer).size() + 63;
    EXPECT_EQ(Charged(), (bytes + kEntry - 1) / kEntry);
  }
  builder.reset();
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(RocksDBChargeTest, HashesToBeVerifiedStayCharged) {
  table_.detect_filter_construct_corruption = true;
  const auto builder = NewBuilder();
  Add(0, 300000, builder.get());
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const Slice filter = builder->Finish(&buffer, &status);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(Charged(), 9u + 2u);
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());
  EXPECT_EQ(Charged(), 2u);
  // What is kept for it is what was added, also where the filter was built in its memory.
  Add(0, 300000, builder.get());
  std::string damaged = builder->Finish(&buffer, &status).ToString();
  std::fill(damaged.begin() + 1000, damaged.begin() + 1064, '\0');
  EXPECT_TRUE(builder->MaybePostVerify(damaged).IsCorruption());
}

TEST_P(RocksDBChargeTest, NothingIsChargedUnlessTheOptionsSaySo) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = table_.filter_policy;
  table.block_cache = cache_;
  table_ = table;
  const auto builder = NewBuilder();
  Add(0, 100000, builder.get());
  std::unique_ptr<const char[]> buffer;
  builder->Finish(&buffer);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  // No cache: nothing to charge to.
  Charge(&table_);
  table_.block_cache = nullptr;
  const auto other = NewBuilder();
  Add(0, 100000, other.get());
  EXPECT_EQ(LostKeys(100000, other->Finish(&buffer)), 0u);
}

// As with RocksDB's Bloom filters, a full cache changes no filter.
TEST_P(RocksDBChargeTest, AFullStrictCacheChangesNoFilter) {
  constexpr size_t kKeys = 400000;
  std::unique_ptr<const char[]> buffer, expected_buffer;
  std::string expected;
  {
    const auto builder = NewBuilder();
    Add(0, kKeys, builder.get());
    expected = builder->Finish(&expected_buffer).ToString();
  }
  for (const size_t entries : {size_t{0}, size_t{3}}) {
    SetCache(NewCache(entries * (kEntry + 200), true));
    auto builder = NewBuilder();
    Add(0, kKeys, builder.get());
    EXPECT_EQ(Charged(), entries);
    const Slice filter = builder->Finish(&buffer);
    EXPECT_LE(cache_->GetUsage(), cache_->GetCapacity());
    EXPECT_TRUE(filter.ToStringView() == expected);
    builder.reset();
    EXPECT_EQ(cache_->GetUsage(), 0u);
  }
}

TEST_P(RocksDBChargeTest, BuildersOfManyThreadsShareACache) {
  SetCache(NewCache(2 << 20, true));
  std::atomic<size_t> lost{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const auto builder = NewBuilder();
        Add(0, 100000, builder.get());
        if (cache_->GetUsage() > most) most = cache_->GetUsage();
        std::unique_ptr<const char[]> buffer;
        lost += LostKeys(100000, builder->Finish(&buffer));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 0u);
  EXPECT_GE(most, kEntry);
  EXPECT_LE(most, cache_->GetCapacity());
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 702
TEST_P(RocksDBChargeTest, StatisticsOfTheCacheNameTheRole) {
  const auto builder = NewBuilder();
  Add(0, 100000, builder.get());
  tests::TempDir folder;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_));
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(tests::OpenRocksDB(options, folder.Path("db"), &db).ok());
  std::map<std::string, std::string> statistics;
  ASSERT_TRUE(db->GetMapProperty(rocksdb::DB::Properties::kBlockCacheEntryStats, &statistics));
  EXPECT_EQ(statistics["bytes.filter-construction"], std::to_string(3 * kEntry));
  EXPECT_EQ(statistics["count.filter-construction"], "3");
}
#endif

INSTANTIATE_TEST_SUITE_P(Formats, RocksDBChargeTest,
                         testing::Values(Format::kBlocked, Format::kCompact), [](const auto& info) {
                           return info.param == Format::kBlocked ? "Blocked" : "Compact";
                         });

}  // namespace
}  // namespace bloomline
