// Filters and indexes that do not fit in the block cache: what Gets of missing keys then load, and
// what helps. `bloomline db advise` must say so.
//
// BLOOMLINE_TEST_KEYS in the environment: that many keys, and a table of the figures.
//
//   BLOOMLINE_TEST_KEYS=1000000 build/dev/tests/cache_thrash_test
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "tests/cli/tool_run.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

std::string KeyOf(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIx64, number * 0x9e3779b97f4a7c15);
  return text;
}

struct Case {
  const char* name;
  const char* policy = "bloomfilter:10";
  bool is_partitioned = false;
  rocksdb::PinningTier pinning = rocksdb::PinningTier::kNone;
  double cache_bytes_per_key = 1;
};

// Of one Get of a missing key.
struct Loads {
  double blocks = 0;  // filters and indexes that were put into the cache
  double bytes = 0;
  double microseconds = 0;
  uint64_t filter_bytes = 0;  // of the database
};

class CacheThrashTest : public testing::Test {
 protected:
  CacheThrashTest() {
    if (const char* wanted = std::getenv("BLOOMLINE_TEST_KEYS")) {
      keys_ = std::strtoull(wanted, nullptr, 10);
      is_long_ = true;
    }
  }

  // Three quarters of the keys in the last level, the others in newer files of level 0.
  void Write(const Case& c, const std::string& folder) {
    std::unique_ptr<rocksdb::DB> db;
    Open(c, folder, &db);
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    const std::string value(20, 'v');
    for (uint64_t i = 0; i < keys_; ++i) {
      ASSERT_TRUE(db->Put(write, KeyOf(i), value).ok());
      if (i == keys_ / 4 * 3) {
        ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      }
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }

  void Open(const Case& c, const std::string& folder, std::unique_ptr<rocksdb::DB>* db) {
    RegisterBloomline();
    rocksdb::BlockBasedTableOptions table;
    rocksdb::ConfigOptions strict;
    strict.ignore_unsupported_options = false;
    ASSERT_TRUE(
        rocksdb::FilterPolicy::CreateFromString(strict, c.policy, &table.filter_policy).ok());
    table.cache_index_and_filter_blocks = true;
    table.metadata_cache_options.unpartitioned_pinning = c.pinning;
    table.metadata_cache_options.partition_pinning = c.pinning;
    if (c.is_partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    // One shard: a small cache of several would be too small for one filter.
    table.block_cache = rocksdb::NewLRUCache(CacheBytes(c), 0);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.disable_auto_compactions = true;
    options.write_buffer_size = size_t{1} << 30;
    options.target_file_size_base = keys_ * 45 / 30;
    options.statistics = statistics_;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    ASSERT_TRUE(OpenRocksDB(options, folder, db).ok());
  }

  size_t CacheBytes(const Case& c) const {
    return static_cast<size_t>(static_cast<double>(keys_) * c.cache_bytes_per_key);
  }

  Loads Measure(const Case& c) {
    const std::string folder = dir_.Path(c.name);
    Write(c, folder);
    std::unique_ptr<rocksdb::DB> db;
    Loads loads;
    Open(c, folder, &db);
    if (HasFatalFailure()) return loads;
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
    for (const auto& [name, table] : tables) loads.filter_bytes += table->filter_size;
    std::string value;
    const uint64_t gets = is_long_ ? 20000 : 2000;
    uint64_t next = keys_;
    const auto get = [&] { EXPECT_TRUE(db->Get({}, KeyOf(next++), &value).IsNotFound()); };
    for (uint64_t i = 0; i < gets / 4; ++i) get();  // until the cache is full
    EXPECT_TRUE(statistics_->Reset().ok());
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < gets; ++i) get();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    const auto per_get = [&](rocksdb::Tickers a, rocksdb::Tickers b) {
      return static_cast<double>(statistics_->getTickerCount(a) + statistics_->getTickerCount(b)) /
             static_cast<double>(gets);
    };
    loads.blocks = per_get(rocksdb::BLOCK_CACHE_FILTER_ADD, rocksdb::BLOCK_CACHE_INDEX_ADD);
    loads.bytes =
        per_get(rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT, rocksdb::BLOCK_CACHE_INDEX_BYTES_INSERT);
    loads.microseconds = took.count() / static_cast<double>(gets);
    if (is_long_) {
      std::printf("| %s | %.1f MiB | %.2f | %.1f KiB | %.1f us |\n", c.name,
                  static_cast<double>(loads.filter_bytes) / (1 << 20), loads.blocks,
                  loads.bytes / 1024, loads.microseconds);
    }
    return loads;
  }

  // What `advise` says of a cache of that size.
  std::string Remark(const Case& c, size_t cache_bytes) {
    const ToolRun run =
        RunTool("db advise --no-measure --json --block-cache " + std::to_string(cache_bytes) + "B",
                dir_.Path(c.name));
    EXPECT_EQ(run.exit_code, 0) << run.text;
    for (const auto& remark : run.json["databases"][0]["column_families"][0]["remarks"]) {
      const std::string text = remark;
      if (text.find("block cache") != std::string::npos) return text;
    }
    return "";
  }

  const TempDir dir_;
  uint64_t keys_ = 60000;
  bool is_long_ = false;
  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
};

TEST_F(CacheThrashTest, WhatDoesNotFitIsLoadedAgainAndAgain) {
  constexpr auto kPinAll = rocksdb::PinningTier::kAll;
  constexpr auto kPinLevel0 = rocksdb::PinningTier::kFlushedAndSimilar;
  const char* const compact = "{id=bloomline;format=compact;bits_per_key=7.1}";
  const char* const few_bits = "{id=bloomline;format=compact;bits_per_key=4}";
  const Case full{"whole filters"};
  const Case partitioned{"partitions", "bloomfilter:10", true};
  const Case pinned{"level 0 pinned", "bloomfilter:10", false, kPinLevel0};
  const Case pinned_partitions{"partitions, level 0 pinned", "bloomfilter:10", true, kPinLevel0};
  const Case saving{"compact, 7.1 bits", compact};
  const Case least{"compact, 4 bits", few_bits};
  const Case large{"a cache of twice their size", "bloomfilter:10", false,
                   rocksdb::PinningTier::kNone, 6};
  const Case all_pinned{"all pinned", "bloomfilter:10", false, kPinAll};

  const Loads now = Measure(full);
  EXPECT_GT(now.blocks, 0.3);
  // Partitions: as many blocks or more, but each is small.
  EXPECT_LT(Measure(partitioned).bytes, now.bytes / 3);
  EXPECT_LT(Measure(pinned).blocks, 1.1 * now.blocks);
  Measure(pinned_partitions);
  EXPECT_LT(Measure(saving).bytes, now.bytes);
  EXPECT_LT(Measure(least).bytes, now.bytes / 2);
  EXPECT_EQ(Measure(large).blocks, 0);
  EXPECT_EQ(Measure(all_pinned).blocks, 0);  // outside the cache's limit

  const std::string remark = Remark(full, CacheBytes(full));
  EXPECT_NE(remark.find(" % of the block cache of "), std::string::npos) << remark;
  EXPECT_NE(remark.find("says what helps"), std::string::npos) << remark;
  EXPECT_EQ(Remark(large, CacheBytes(large)).find("says what helps"), std::string::npos);
}

}  // namespace
}  // namespace bloomline::tests
