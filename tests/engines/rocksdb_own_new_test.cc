// In a program with an operator new of its own (own_new.cc), filters fit what RocksDB allocates
// without asking malloc for the size of a block that it did not give.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_own_new_test {
namespace {

std::string Key(int number) { return "key" + std::to_string(number); }

TEST(RocksDBOwnNewTest, DatabasesOfEachFormatFitFiltersAndLoseNoKey) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (const Format format : {Format::kBlocked, Format::kRibbon, Format::kBloom}) {
    // Partitions, and a filter that is larger than what glibc takes from its heap.
    for (const int num_keys : {5000, 120000}) {
      const bool is_partitioned = num_keys == 5000;
      const TempDir dir;
      rocksdb::BlockBasedTableOptions table;
      table.filter_policy = NewRocksDBFilterPolicy(FilterOptions{format, 10});
      table.format_version = 5;
      table.optimize_filters_for_memory = true;
      if (is_partitioned) PartitionFilters(4096, &table);
      const auto db = MustOpenRocksDB(WithTable(table), dir.Path("db"));
      for (int i = 0; i < num_keys; ++i) ASSERT_TRUE(db->Put(write, Key(i), "").ok());
      ASSERT_TRUE(db->Flush({}).ok());
      ASSERT_TRUE(CompactAll(db.get()).ok());
      std::string value;
      int num_lost = 0;
      for (int i = 0; i < num_keys; ++i) num_lost += db->Get({}, Key(i), &value).ok() ? 0 : 1;
      EXPECT_EQ(num_lost, 0) << static_cast<int>(format) << ", " << num_keys << " keys";
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_own_new_test
