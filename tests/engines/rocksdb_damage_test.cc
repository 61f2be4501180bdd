// Damage in RocksDB databases: of memory while a flush or a compaction builds a filter
// (detect_filter_construct_corruption), of files, and readers whose policy is gone. Nothing may be
// lost.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "tests/engines/forwarding_policy.h"
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

void Write(rocksdb::DB* db, int first, int step) {
  for (int i = first; i < kKeys; i += step) ASSERT_TRUE(db->Put({}, Key(i), Key(i)).ok());
}

int LostKeys(rocksdb::DB* db) {
  int lost = 0;
  std::string value;
  for (int i = 0; i < kKeys; ++i) {
    lost += db->Get({}, Key(i), &value).ok() && value == Key(i) ? 0 : 1;
  }
  return lost;
}

// Damages each finished filter before it is written. The trailer at the end stays.
class DamagedBuilder : public tests::ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    std::memset(const_cast<char*>(filter.data()), 0, filter.size() / 2);
    return filter;
  }
};

class DamagingPolicy : public tests::ForwardingPolicy {
 public:
  using ForwardingPolicy::ForwardingPolicy;
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* const builder = ForwardingPolicy::GetBuilderWithContext(context);
    return damages ? new DamagedBuilder(builder) : builder;
  }
  bool damages = false;
};

TEST(RocksDBDamageTest, DamageDuringConstructionIsReportedAndLosesNothing) {
  constexpr struct {
    Format format;
    bool is_partitioned;
    bool detects;
  } kCases[] = {
      {Format::kBlocked, true, true},
      {Format::kCompact, false, true},
      // The controls: the damage is of a kind that matters.
      {Format::kBlocked, true, false},
      {Format::kCompact, false, false},
  };
  for (const auto& c : kCases) {
    for (const bool is_flush : {true, false}) {
      SCOPED_TRACE(testing::Message() << &c - kCases << (is_flush ? ", flush" : ", compaction"));
      const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
      const auto policy = std::make_shared<DamagingPolicy>(NewPolicy(c.format));
      rocksdb::BlockBasedTableOptions table;
      table.filter_policy = policy;
      table.detect_filter_construct_corruption = c.detects;
      if (c.is_partitioned) Partition(&table);
      rocksdb::Options options;
      options.env = env.get();
      options.create_if_missing = true;
      options.disable_auto_compactions = true;
      options.max_bgerror_resume_count = 0;
      options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
      std::unique_ptr<rocksdb::DB> db;
      ASSERT_TRUE(tests::OpenRocksDB(options, "/db", &db).ok());
      for (const int first : {0, 1}) {
        Write(db.get(), first, 2);
        if (!is_flush) {
          ASSERT_TRUE(db->Flush({}).ok());
        }
      }
      ASSERT_EQ(LostKeys(db.get()), 0);
      policy->damages = true;
      const rocksdb::Status status =
          is_flush ? db->Flush({}) : db->CompactRange({}, nullptr, nullptr);
      policy->damages = false;
      if (!c.detects) {
        EXPECT_TRUE(status.ok()) << status.ToString();
        EXPECT_GT(LostKeys(db.get()), 0);
        continue;
      }
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_NE(status.ToString().find("filter lost"), std::string::npos) << status.ToString();
      EXPECT_EQ(LostKeys(db.get()), 0);
      db.reset();
      ASSERT_TRUE(tests::OpenRocksDB(options, "/db", &db).ok());
      EXPECT_EQ(LostKeys(db.get()), 0);
      EXPECT_TRUE(db->Flush({}).ok());
      EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      EXPECT_EQ(LostKeys(db.get()), 0);
      EXPECT_TRUE(db->Put({}, "another", "value").ok());
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
    Write(db_.get(), 0, 1);
    ASSERT_TRUE(db_->Flush({}).ok());
  }
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  // Every key is found. Returns how many of as many missing keys a filter excluded.
  uint64_t NumExcluded() {
    EXPECT_EQ(LostKeys(db_.get()), 0);
    const uint64_t before = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
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
