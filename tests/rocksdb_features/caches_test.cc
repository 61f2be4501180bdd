// Filters in block caches of every kind. A cache may outlive the database and the policy that made
// the readers in it.
#include <rocksdb/cache.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

using rocksdb::PinningTier;

class RocksDBCachesTest : public FeatureTest {
 protected:
  rocksdb::BlockBasedTableOptions CachingTable(std::shared_ptr<rocksdb::Cache> cache,
                                               bool partitioned = false) const {
    rocksdb::BlockBasedTableOptions table = partitioned ? PartitionedTable() : Table();
    table.block_cache = std::move(cache);
    table.cache_index_and_filter_blocks = true;
    return table;
  }
  double RateOf(bool partitioned) const {
    return partitioned ? std::max(max_rate(), kMaxSmallRate) : max_rate();
  }

  // Writes, and reads in a database that is opened anew.
  void ExpectRightWith(const rocksdb::BlockBasedTableOptions& table, const std::string& name) {
    const rocksdb::Options options = MakeOptions(table);
    { PutRuns(Open(options, name).get(), 2); }
    const auto db = Open(options, name);
    const uint64_t added = Ticker(rocksdb::BLOCK_CACHE_FILTER_ADD);
    for (int round = 0; round < 2; ++round) {
      ExpectAllRight(From(db.get()), 0, kNumKeys, RateOf(table.partition_filters));
    }
    // Those that are read when the database is opened were added before.
    EXPECT_GT(added + Ticker(rocksdb::BLOCK_CACHE_FILTER_ADD), 0u) << "filters are not cached";
    EXPECT_GT(Ticker(rocksdb::BLOCK_CACHE_FILTER_HIT), 0u);
    Compact(db.get());
    ExpectAllRight(From(db.get()), 0, kNumKeys, RateOf(table.partition_filters));
  }
};

TEST_P(RocksDBCachesTest, FiltersInABlockCache) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(testing::Message() << "partitioned " << partitioned);
    ExpectRightWith(CachingTable(rocksdb::NewLRUCache(1 << 20), partitioned),
                    "roomy" + std::to_string(partitioned));
    // So small that filters are thrown out all the time.
    ExpectRightWith(CachingTable(rocksdb::NewLRUCache(4 << 10, 0), partitioned),
                    "small" + std::to_string(partitioned));
  }
}

TEST_P(RocksDBCachesTest, PinnedFilters) {
  for (const bool partitioned : {false, true}) {
    for (const PinningTier tier :
         {PinningTier::kNone, PinningTier::kFlushedAndSimilar, PinningTier::kAll}) {
      SCOPED_TRACE(testing::Message()
                   << "partitioned " << partitioned << ", tier " << static_cast<int>(tier));
      auto table = CachingTable(rocksdb::NewLRUCache(4 << 10, 0), partitioned);
      table.metadata_cache_options.top_level_index_pinning = tier;
      table.metadata_cache_options.partition_pinning = tier;
      table.metadata_cache_options.unpartitioned_pinning = tier;
      ExpectRightWith(table,
                      std::to_string(partitioned) + "." + std::to_string(static_cast<int>(tier)));
    }
  }
}

TEST_P(RocksDBCachesTest, FiltersThatAFlushPutsIntoTheCache) {
  auto table = CachingTable(rocksdb::NewLRUCache(1 << 20));
  table.prepopulate_block_cache =
      rocksdb::BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  const auto db = Open(MakeOptions(table));
  PutRuns(db.get(), 2);
  EXPECT_EQ(Ticker(rocksdb::BLOCK_CACHE_FILTER_ADD), 2u);
  ExpectAllRight(db.get());
  EXPECT_EQ(Ticker(rocksdb::BLOCK_CACHE_FILTER_MISS), 0u);
}

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 708
TEST_P(RocksDBCachesTest, HyperClockCache) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(testing::Message() << "partitioned " << partitioned);
    ExpectRightWith(
        CachingTable(rocksdb::HyperClockCacheOptions(1 << 20, 4096).MakeSharedCache(), partitioned),
        "db" + std::to_string(partitioned));
  }
}

// What the small cache drops, the second one keeps, compressed. It makes readers anew.
TEST_P(RocksDBCachesTest, CompressedSecondaryCache) {
  rocksdb::CompressedSecondaryCacheOptions second;
  second.capacity = 4 << 20;
  second.compression_type = rocksdb::kNoCompression;
  rocksdb::LRUCacheOptions first;
  first.capacity = 8 << 10;
  first.num_shard_bits = 0;
  first.secondary_cache = rocksdb::NewCompressedSecondaryCache(second);
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(testing::Message() << "partitioned " << partitioned);
    ExpectRightWith(CachingTable(rocksdb::NewLRUCache(first), partitioned),
                    "db" + std::to_string(partitioned));
  }
  EXPECT_GT(Ticker(rocksdb::SECONDARY_CACHE_HITS), 0u);
}
#endif

#if ROCKSDB_MAJOR < 8
TEST_P(RocksDBCachesTest, CompressedBlockCache) {
  auto table = CachingTable(rocksdb::NewLRUCache(4 << 10, 0));
  table.block_cache_compressed = rocksdb::NewLRUCache(1 << 20);
  ExpectRightWith(table, "db");
}
#endif

TEST_P(RocksDBCachesTest, RowCache) {
  rocksdb::Options options = MakeOptions();
  options.row_cache = rocksdb::NewLRUCache(4 << 20);
  const auto db = Open(options);
  PutRuns(db.get(), 2);
  ExpectAllRight(db.get());
  const uint64_t hits = Ticker(rocksdb::ROW_CACHE_HIT);
  // Rows are served from the cache, which does not stop RocksDB from asking the filters of files
  // for keys that it lacks.
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_GE(Ticker(rocksdb::ROW_CACHE_HIT), hits + kNumKeys);
  EXPECT_GE(answers.rejected, kNumKeys * 9 / 10) << answers;
}

// The cache keeps readers of filters after the database is closed and its policy is gone, and gives
// them to a database that is opened with another policy.
TEST_P(RocksDBCachesTest, ReadersOutliveTheirPolicy) {
  for (const bool partitioned : {false, true}) {
    for (const char* next : {"bloomline:10", "bloomfilter:10:false"}) {
      SCOPED_TRACE(testing::Message() << "partitioned " << partitioned << ", then " << next);
      const std::string name = std::to_string(partitioned) + next;
      std::weak_ptr<const rocksdb::FilterPolicy> first_policy;
      auto cache = rocksdb::NewLRUCache(4 << 20);
      {
        auto table = CachingTable(cache, partitioned);
        first_policy = table.filter_policy;
        const auto db = Open(MakeOptions(table), name);
        PutRuns(db.get(), 2);
        ExpectAllRight(From(db.get()), 0, kNumKeys, RateOf(partitioned));
      }
      ASSERT_TRUE(first_policy.expired());
      auto table = CachingTable(cache, partitioned);
      table.filter_policy = PolicyOf(next);
      const uint64_t misses = Ticker(rocksdb::BLOCK_CACHE_FILTER_MISS);
      const auto db = Open(MakeOptions(table), name);
      // The second policy may be one to whose readers bloomline's filters say nothing. Filters that
      // it finds in the cache have the readers of the first.
      ExpectAllRight(From(db.get()), 0, kNumKeys, RateOf(partitioned));
      EXPECT_EQ(Ticker(rocksdb::BLOCK_CACHE_FILTER_MISS), misses) << "new readers";
      cache.reset();
    }
  }
}

// Two databases with other policies, open at once; one is closed first.
TEST_P(RocksDBCachesTest, TwoDatabasesShareACache) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(testing::Message() << "partitioned " << partitioned);
    const auto cache = rocksdb::NewLRUCache(4 << 20);
    const auto table = CachingTable(cache, partitioned);
    auto other = CachingTable(cache, partitioned);
    other.filter_policy = PolicyOf("{id=bloomline;format=compact;bits_per_key=14;seed=random}");
    const std::string name = std::to_string(partitioned);
    auto first = Open(MakeOptions(table), "first" + name);
    const auto second = Open(MakeOptions(other), "second" + name);
    PutRuns(first.get(), 2);
    PutRuns(second.get(), 3);
    for (int round = 0; round < 2; ++round) {
      ExpectAllRight(From(first.get()), 0, kNumKeys, RateOf(partitioned));
      ExpectAllRight(From(second.get()), 0, kNumKeys, std::max(0.003, RateOf(partitioned)));
    }
    first.reset();
    ExpectAllRight(From(second.get()), 0, kNumKeys, std::max(0.003, RateOf(partitioned)));
  }
}

BLOOMLINE_FEATURE_TESTS(RocksDBCachesTest);

}  // namespace
}  // namespace bloomline
