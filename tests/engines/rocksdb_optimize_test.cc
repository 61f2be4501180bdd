// OptimizeForMissingKeys: one call sets a policy and the account that it needs.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/kept_log.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_optimize_test {
namespace {

RocksDBFilterOptions RibbonByLevel() {
  RocksDBFilterOptions filter(FilterOptions{Format::kRibbon, 14.5});
  filter.auto_bits_by_level = true;
  return filter;
}

const rocksdb::BlockBasedTableOptions& TableOf(const rocksdb::ColumnFamilyOptions& family) {
  return *family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}

TEST(RocksDBOptimizeTest, SetsThePolicyAndTheAccountAndNothingElse) {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 12345;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::string error = "untouched";
  ASSERT_TRUE(OptimizeForMissingKeys(&options, RibbonByLevel(), &error));
  EXPECT_EQ(error, "untouched");
  EXPECT_EQ(TableOf(options).block_size, 12345u);
  EXPECT_EQ(TableOf(options).block_cache, table.block_cache);
  EXPECT_EQ(Settings(*PolicyOf(options)) + Value(*PolicyOf(options), "bits_by_level"),
            "ribbon 14.5 0auto");
  ASSERT_EQ(options.listeners.size(), 1u);
  EXPECT_NE(options.listeners[0]->CheckedCast<FilterAccount>(), nullptr);
  options.info_log = std::make_shared<KeptLog>();
  options.create_if_missing = true;
  const TempDir dir;
  const auto db = MustOpenRocksDB(options, dir.Path("db"));
  EXPECT_TRUE(db->Put({}, "key", "value").ok());
  EXPECT_TRUE(db->Flush({}).ok());
  EXPECT_FALSE(static_cast<KeptLog*>(options.info_log.get())->Has("FilterAccount"));
}

TEST(RocksDBOptimizeTest, FamiliesShareTheAccountOfTheDatabase) {
  rocksdb::DBOptions database;
  rocksdb::ColumnFamilyOptions one, two;
  two.table_factory.reset(rocksdb::NewBlockBasedTableFactory());
  ASSERT_TRUE(OptimizeForMissingKeys(&database, &one, RibbonByLevel()));
  ASSERT_TRUE(OptimizeForMissingKeys(&database, &two,
                                     RocksDBFilterOptions(FilterOptions{Format::kBloom, 10})));
  EXPECT_EQ(database.listeners.size(), 1u);
  EXPECT_EQ(Settings(*PolicyOf(one)), "ribbon 14.5 0");
  EXPECT_EQ(Settings(*PolicyOf(two)), "bloom 10 0");
}

TEST(RocksDBOptimizeTest, WhatIsRefusedChangesNothing) {
  rocksdb::Options options;
  const auto factory = options.table_factory;
  std::string error;
  EXPECT_FALSE(OptimizeForMissingKeys(
      &options, RocksDBFilterOptions(FilterOptions{Format::kRibbon, 1000}), &error));
  EXPECT_NE(error.find("bits_per_key is 1000"), error.npos) << error;
  EXPECT_EQ(options.table_factory, factory);
  EXPECT_TRUE(options.listeners.empty());
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_FALSE(OptimizeForMissingKeys(&options, RibbonByLevel(), &error));
  EXPECT_EQ(error, "the table factory is PlainTable; allowed: BlockBasedTable");
  EXPECT_TRUE(options.listeners.empty());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(OptimizeForMissingKeys(&options, RibbonByLevel()));
  EXPECT_EQ(TakeStderr(), "bloomline: no RocksDB filter policy: " + error + "\n");
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_optimize_test
