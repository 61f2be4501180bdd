// Filter partitions without entries: only prefixes are in the filters, and all keys of a partition
// are outside the prefix extractor's domain.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/rocksdb_matrix/filters.h"
#include "tests/rocksdb_matrix/prefixes.h"

namespace bloomline::matrix {
namespace {

constexpr size_t kKeys = 600;

// Keys of 3 bytes, which have no prefix, and between their halves keys that have.
std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) {
    char key[16];
    const bool has_prefix = i / (kKeys / 3) == 1;
    std::snprintf(key, sizeof(key), "%03zu%s", i, has_prefix ? "prefix" : "");
    keys.emplace_back(key);
  }
  return keys;
}

// Writes the keys, gets each with MultiGet, and returns how many it did not get; kKeys if the
// database does not work.
size_t LostKeys(const Policy& policy) {
  const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.whole_key_filtering = false;
  table.partition_filters = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.block_size = 128;
  table.metadata_block_size = 128;
#if BLOOMLINE_ROCKSDB_VERSION >= 906
  table.decouple_partitioned_filters = false;
#endif
  rocksdb::Options options;
  options.env = env.get();
  options.create_if_missing = true;
  options.prefix_extractor = FirstExtractor(Prefix::kFixed);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  if (!tests::OpenRocksDB(options, "/empty_partitions", &db).ok()) return kKeys;
  const std::vector<std::string> keys = Keys();
  for (const std::string& key : keys) {
    if (!db->Put({}, key, key).ok()) return kKeys;
  }
  if (!db->Flush({}).ok()) return kKeys;
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(kKeys);
  std::vector<rocksdb::Status> statuses(kKeys);
  db->MultiGet({}, db->DefaultColumnFamily(), kKeys, slices.data(), values.data(), statuses.data(),
               true);
  size_t lost = 0;
  for (size_t i = 0; i < kKeys; ++i) lost += statuses[i].ok() && values[i] == keys[i] ? 0 : 1;
  return lost;
}

TEST(EmptyPartitionsTest, MultiGetFindsTheirKeys) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    EXPECT_EQ(LostKeys(NewRocksDBFilterPolicy(options)), 0u);
  }
}

// The control: with RocksDB's own Ribbon filters MultiGet aborts, or loses keys if RocksDB was
// built without assertions.
TEST(EmptyPartitionsTest, RocksDBsOwnFiltersLoseThem) {
  if (BLOOMLINE_ROCKSDB_VERSION > 1109) GTEST_SKIP() << "not tried with this version of RocksDB";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  constexpr int kLost = 3;
  const auto aborts_or_loses = [](int status) {
    return testing::KilledBySignal(SIGABRT)(status) || testing::ExitedWithCode(kLost)(status);
  };
  EXPECT_EXIT(
      {
        const size_t lost = LostKeys(Policy(rocksdb::NewRibbonFilterPolicy(10, -1)));
        std::_Exit(lost > 0 && lost < kKeys ? kLost : 0);
      },
      aborts_or_loses, "");
}

}  // namespace
}  // namespace bloomline::matrix
