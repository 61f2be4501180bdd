// Damage of memory while RocksDB builds a filter (detect_filter_construct_corruption), and readers
// whose policy is gone. Nothing may be lost.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

constexpr int kKeys = 3000;

std::string Key(int i) { return "key" + std::to_string(100000 + 2 * i); }
std::string MissingKey(int i) { return "key" + std::to_string(100001 + 2 * i); }

Policy NewPolicy(Format format) {
  FilterOptions options;
  options.format = format;
  return NewRocksDBFilterPolicy(options);
}

void Partition(rocksdb::BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->metadata_block_size = 512;
}

// The damage is of memory: the trailer at the end stays. RocksDB fails the flush or compaction.
TEST(RocksDBDamageTest, DamageDuringConstructionIsReported) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const bool is_partitioned : {false, true}) {
      for (const bool detects : {false, true}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << is_partitioned << detects);
        rocksdb::BlockBasedTableOptions table;
        table.detect_filter_construct_corruption = detects;
        if (is_partitioned) Partition(&table);
        const Policy policy = NewPolicy(format);
        const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
            policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
        for (const bool is_damaged : {false, true, false}) {
          for (int i = 0; i < kKeys; ++i) builder->AddKey(Key(i));
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
          const std::unique_ptr<rocksdb::FilterBitsReader> reader(
              policy->GetFilterBitsReader(filter));
          int lost = 0;
          for (int i = 0; i < kKeys; ++i) lost += reader->MayMatch(Key(i)) ? 0 : 1;
          EXPECT_EQ(lost > 0, is_damaged);
        }
      }
    }
  }
}

// A database of one table on disk, and what its filters answer.
class Database {
 public:
  Database(const std::string& path, const rocksdb::BlockBasedTableOptions& table) {
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.paranoid_checks = false;
    options_.compression = rocksdb::kNoCompression;
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    const rocksdb::Status status = tests::OpenRocksDB(options_, path, &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  void WriteTable() {
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db_->Put({}, Key(i), Key(i)).ok());
    ASSERT_TRUE(db_->Flush({}).ok());
  }
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  // Every key is found. Returns how many of as many missing keys a filter excluded.
  uint64_t NumExcluded() {
    const uint64_t before = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(db_->Get({}, Key(i), &value).ok() && value == Key(i)) << "lost key " << i;
      EXPECT_TRUE(db_->Get({}, MissingKey(i), &value).IsNotFound());
    }
    return Ticker(rocksdb::BLOOM_FILTER_USEFUL) - before;
  }

 private:
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

// A block cache keeps readers after the database is closed and its policy is gone, and gives them
// to a database that is opened with another policy.
TEST(RocksDBDamageTest, ReadersOutliveTheirPolicy) {
  for (const bool is_partitioned : {false, true}) {
    for (const bool is_stock : {false, true}) {
      SCOPED_TRACE(testing::Message() << is_partitioned << ", " << is_stock);
      const tests::TempDir dir;
      rocksdb::BlockBasedTableOptions table;
      table.block_cache = rocksdb::NewLRUCache(4 << 20);
      table.cache_index_and_filter_blocks = true;
      if (is_partitioned) Partition(&table);
      table.filter_policy = NewPolicy(Format::kCompact);
      const std::weak_ptr<const rocksdb::FilterPolicy> first(table.filter_policy);
      {
        Database db(dir.Path("db"), table);
        db.WriteTable();
        EXPECT_GT(db.NumExcluded(), 0.95 * kKeys);
        table.filter_policy.reset();
      }
      ASSERT_TRUE(first.expired());
      table.filter_policy =
          is_stock ? Policy(rocksdb::NewBloomFilterPolicy(10)) : NewPolicy(Format::kBlocked);
      Database db(dir.Path("db"), table);
      EXPECT_GT(db.NumExcluded(), 0.95 * kKeys);
      EXPECT_EQ(db.Ticker(rocksdb::BLOCK_CACHE_FILTER_MISS), 0u) << "new readers";
    }
  }
}

}  // namespace
}  // namespace bloomline
