// Partitions of a filter without entries: with whole_key_filtering=false, those none of whose keys
// is in the prefix extractor's domain. RocksDB's MultiGet takes the keys of a partition without
// bytes for missing, or aborts if RocksDB was compiled with assertions.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/stock/own_builder.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_stock_filters.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::Slice;

constexpr Format kFormats[] = {Format::kBlocked, Format::kCompact, Format::kBloom, Format::kRibbon};
constexpr int kKeys = 4000;

constexpr size_t kPrefixBytes = 8;

// The first half is shorter than the prefix.
std::string Key(int i) { return (i < kKeys / 2 ? "a" : "bprefix") + std::to_string(100000 + i); }

BlockBasedTableOptions Partitioned() {
  BlockBasedTableOptions table;
  table.partition_filters = true;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.block_size = 256;
  table.metadata_block_size = 256;
  table.whole_key_filtering = false;
  return table;
}

// What MultiGet finds of all keys, in batches.
int NumFound(rocksdb::DB* db) {
  constexpr size_t kBatch = 32;
  int num_found = 0;
  for (int first = 0; first < kKeys; first += static_cast<int>(kBatch)) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < kBatch; ++i) keys.push_back(Key(first + static_cast<int>(i)));
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(kBatch);
    std::vector<rocksdb::Status> statuses(kBatch);
    db->MultiGet(rocksdb::ReadOptions(), db->DefaultColumnFamily(), kBatch, slices.data(),
                 values.data(), statuses.data());
    for (size_t i = 0; i < kBatch; ++i) num_found += statuses[i].ok() && values[i] == keys[i];
  }
  return num_found;
}

// Gives its keys a trailer without blocks, as RocksDB's may with optimize_filters_for_memory.
class BlocklessBuilder : public rocksdb::FilterBitsBuilder {
 public:
  void AddKey(const Slice&) override { ++num_keys_; }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice&, const Slice&) override { num_keys_ += 2; }
#endif
  size_t EstimateEntriesAdded() override { return num_keys_; }
  Slice Finish(std::unique_ptr<const char[]>*) override {
    num_keys_ = 0;
    return Slice("\xff\x00\x06\x00\x00", kStockTrailerBytes);
  }
  Slice Finish(std::unique_ptr<const char[]>* buffer, rocksdb::Status*) override {
    return Finish(buffer);
  }
  rocksdb::Status MaybePostVerify(const Slice&) override { return rocksdb::Status::OK(); }
  size_t ApproximateNumEntries(size_t) override { return 1; }
  size_t CalculateSpace(size_t) BLOOMLINE_OVERRIDE_SINCE_10_9 { return kStockTrailerBytes; }
  double EstimatedFpRate(size_t, size_t) BLOOMLINE_OVERRIDE_SINCE_10_9 { return 1; }

 private:
  size_t num_keys_ = 0;
};

TEST(RocksDBOwnBuilderTest, KeysGetNoFilterWithoutBlocks) {
  const auto policy = tests::Own("bloomfilter:1:false");
  for (const bool is_partition : {false, true}) {
    OwnBuilder builder(policy, std::make_unique<BlocklessBuilder>(), is_partition);
    std::unique_ptr<const char[]> buffer;
    EXPECT_EQ(builder.Finish(&buffer).size(), kStockTrailerBytes) << "no keys: right";
    builder.AddKey("key");
    const Slice filter = builder.Finish(&buffer);
    for (const auto& reader_policy : {policy, tests::Bloomline(Format::kBloom, 1)}) {
      const std::unique_ptr<rocksdb::FilterBitsReader> reader(
          reader_policy->GetFilterBitsReader(filter));
      EXPECT_TRUE(reader->MayMatch("key"));
    }
  }
}

class RocksDBEmptyPartitionsTest : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, RocksDBEmptyPartitionsTest, testing::ValuesIn(kFormats));

TEST_P(RocksDBEmptyPartitionsTest, EveryKeyIsFound) {
  for (const uint32_t version : {4u, 5u}) {
    const tests::TempDir dir;
    BlockBasedTableOptions table = Partitioned();
    table.format_version = version;
    table.filter_policy = tests::Bloomline(GetParam(), 10);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(tests::OpenRocksDB(options, dir.Path("db"), &db).ok());
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(i), Key(i)).ok());
    ASSERT_TRUE(db->Flush({}).ok());
    EXPECT_EQ(NumFound(db.get()), kKeys) << "flushed";
    rocksdb::CompactRangeOptions compaction;
    compaction.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db->CompactRange(compaction, nullptr, nullptr).ok());
    EXPECT_EQ(NumFound(db.get()), kKeys) << "compacted";
    std::string value;
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Get({}, Key(i), &value).ok()) << Key(i);
    const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
    int num_seen = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++num_seen;
    EXPECT_EQ(num_seen, kKeys);
  }
}

}  // namespace
}  // namespace bloomline
