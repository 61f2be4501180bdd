// The formats bloom and ribbon: RocksDB's own filters, byte for byte, and databases that RocksDB
// without bloomline uses.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/stock/own_builder.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_stock_filters.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::FilterBitsReader;
using rocksdb::Slice;
using tests::Bloomline;
using tests::Build;
using tests::kStockCases;
using tests::NewBuilder;
using tests::Own;
using tests::StockCase;
using tests::StockKey;

TEST(RocksDBStockFormatsTest, BytesAreThoseOfRocksDB) {
  for (const StockCase& c : kStockCases) {
    for (const int version : {2, 4, 5}) {
      for (const bool verify : {false, true}) {
        BlockBasedTableOptions table;
        table.format_version = static_cast<uint32_t>(version);
        table.detect_filter_construct_corruption = verify;
        table.optimize_filters_for_memory = false;
        const auto ours = NewBuilder(*Bloomline(c.format, c.bits_per_key), table);
        const auto own = NewBuilder(*Own(c.own), table);
        for (const uint64_t n : {0, 1, 2, 6, 7, 100, 1000, 1023, 20000, 0, 3}) {
          ASSERT_EQ(Build(ours.get(), n), Build(own.get(), n))
              << c.own << ", keys " << n << ", format version " << version;
          ASSERT_EQ(ours->ApproximateNumEntries(n + 1), own->ApproximateNumEntries(n + 1)) << n;
        }
      }
    }
  }
}

// RocksDB's own hash of keys of 1,024 bytes or more is another one on POWER
// (docs/compatibility.md).
TEST(RocksDBStockFormatsTest, LongKeysAreFound) {
  for (const StockCase& c : kStockCases) {
    BlockBasedTableOptions table;
    table.format_version = 5;
    const auto ours = Bloomline(c.format, c.bits_per_key);
    const auto own = Own(c.own);
    const auto builder = NewBuilder(*ours, table);
    constexpr uint64_t kKeys = 200;
    const auto key = [](uint64_t i) { return StockKey(i, 1000 + 11 * i); };
    for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(key(i));
    std::unique_ptr<const char[]> buffer;
    const Slice filter = builder->Finish(&buffer);
    const std::unique_ptr<FilterBitsReader> own_reader(own->GetFilterBitsReader(filter));
    const std::unique_ptr<FilterBitsReader> our_reader(ours->GetFilterBitsReader(filter));
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(own_reader->MayMatch(key(i))) << c.own << ", " << key(i).size() << " bytes";
      ASSERT_TRUE(our_reader->MayMatch(key(i))) << c.own << ", " << key(i).size() << " bytes";
    }
  }
}

TEST(RocksDBStockFormatsTest, SizeAndRateAreThoseThatSizingPromises) {
  for (const StockCase& c : kStockCases) {
    if (c.bits_per_key > 24) continue;  // too rare
    constexpr uint64_t kKeys = 50000;
    BlockBasedTableOptions table;
    table.format_version = 5;
    table.optimize_filters_for_memory = false;
    const auto policy = Bloomline(c.format, c.bits_per_key);
    const auto builder = NewBuilder(*policy, table);
    for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(StockKey(i, 24));
    std::unique_ptr<const char[]> buffer;
    const Slice filter = builder->Finish(&buffer);
    const double promised = static_cast<double>(FilterBytes(c.format, kKeys, c.bits_per_key));
    EXPECT_NEAR(static_cast<double>(filter.size()) / promised, 1, 0.01) << c.own;
    const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
    constexpr uint64_t kQueries = 1000000;
    uint64_t matches = 0;
    for (uint64_t i = kKeys; i < kKeys + kQueries; ++i)
      matches += reader->MayMatch(StockKey(i, 24));
    const double rate = static_cast<double>(matches) / static_cast<double>(kQueries);
    const double expected = FalsePositiveRate(c.format, c.bits_per_key);
    EXPECT_NEAR(rate / expected, 1, 0.05 + 4 / std::sqrt(expected * kQueries)) << c.own;
  }
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

TEST(RocksDBStockFormatsTest, KeysGetNoFilterWithoutBlocks) {
  const auto policy = Own("bloomfilter:1:false");
  for (const bool is_partition : {false, true}) {
    OwnBuilder builder(policy, std::make_unique<BlocklessBuilder>(), is_partition);
    std::unique_ptr<const char[]> buffer;
    EXPECT_EQ(builder.Finish(&buffer).size(), kStockTrailerBytes) << "no keys: right";
    builder.AddKey("key");
    const Slice filter = builder.Finish(&buffer);
    for (const auto& reader_policy : {policy, Bloomline(Format::kBloom, 1)}) {
      const std::unique_ptr<rocksdb::FilterBitsReader> reader(
          reader_policy->GetFilterBitsReader(filter));
      EXPECT_TRUE(reader->MayMatch("key"));
    }
  }
}

// With whole_key_filtering=false, no key of a partition may have a prefix. RocksDB's MultiGet takes
// the keys of a partition with an empty filter for missing.
TEST(RocksDBStockFormatsTest, NoPartitionGetsAnEmptyFilter) {
  BlockBasedTableOptions table;
  table.format_version = 5;
  table.partition_filters = true;
  for (const StockCase& c : kStockCases) {
    const auto ours = Bloomline(c.format, c.bits_per_key);
    const auto builder = NewBuilder(*ours, table);
    std::unique_ptr<const char[]> buffer;
    const Slice filter = builder->Finish(&buffer);
    ASSERT_FALSE(filter.empty()) << c.own;
    // RocksDB's Bloom filter without entries, which only keys with a prefix query.
    if (c.format == Format::kBloom && filter.size() == kStockTrailerBytes) continue;
    Slice key = "key";
    Slice* keys[] = {&key, &key};
    for (const auto& policy : {ours, Own(c.own)}) {
      const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
      EXPECT_TRUE(reader->MayMatch(key)) << c.own;
      bool may_match[] = {false, false};
      reader->MayMatch(2, keys, may_match);
      EXPECT_TRUE(may_match[0] && may_match[1]) << c.own;
    }
  }
}

// RocksDB without bloomline opens such a database with its OPTIONS file, and uses every filter.
TEST(RocksDBStockFormatsTest, NothingInADatabaseNamesBloomline) {
  for (const char* const text :
       {"{id=bloomline;format=bloom;bits_by_level=auto;stock_id=true}",
        "{id=bloomline;format=ribbon;flush_format=bloom;bits_per_key=9.5;stock_id=true}",
        "{id=bloomline;format=ribbon;stock_id=true}"}) {
    ASSERT_TRUE(RegisterBloomline());
    const tests::TempDir dir;
    const std::string path = dir.Path("db");
    constexpr uint64_t kKeys = 20000;
    {
      const auto db = tests::MustOpenRocksDB(tests::WithPolicy(Own(text)), path);
      for (uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), StockKey(2 * i, 24), "v").ok());
        if (i == kKeys / 2) {
          ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
          ASSERT_TRUE(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
        }
      }
      ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
    }
    size_t num_files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().filename().string().rfind("LOG", 0) == 0) continue;
      ++num_files;
      EXPECT_EQ(tests::ReadFile(entry.path().string()).find("bloomline"), std::string::npos)
          << entry.path();
    }
    EXPECT_GE(num_files, 5u);

    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    ASSERT_TRUE(
        rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), path, &db_options, &families).ok());
    const auto* const loaded =
        families.at(0).options.table_factory->GetOptions<BlockBasedTableOptions>();
    ASSERT_NE(loaded->filter_policy, nullptr) << text;
    EXPECT_STRNE(loaded->filter_policy->Name(), "bloomline");
    db_options.statistics = rocksdb::CreateDBStatistics();
    const auto db = tests::MustOpenRocksDB(rocksdb::Options(db_options, families[0].options), path);
    std::string value;
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      ASSERT_EQ(db->Get(rocksdb::ReadOptions(), StockKey(i, 24), &value).ok(), i % 2 == 0) << i;
    }
    // Missing keys are within the range of both files; few are false positives.
    EXPECT_GT(db_options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), kKeys * 19 / 10);
  }
}

}  // namespace
}  // namespace bloomline
