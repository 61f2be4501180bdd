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
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

std::shared_ptr<const FilterPolicy> Own(const std::string& text) {
  std::shared_ptr<const FilterPolicy> policy;
  const rocksdb::Status status =
      FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

std::shared_ptr<const FilterPolicy> Bloomline(Format format, double bits_per_key) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  std::string error;
  std::shared_ptr<const FilterPolicy> policy = NewRocksDBFilterPolicy(options, &error);
  EXPECT_NE(policy, nullptr) << error;
  return policy;
}

std::string KeyOf(uint64_t i, size_t num_bytes) {
  std::string key = std::to_string(i * 0x9e3779b97f4a7c15);
  key.resize(num_bytes, 'x');
  return key;
}

std::unique_ptr<FilterBitsBuilder> NewBuilder(const FilterPolicy& policy,
                                              const BlockBasedTableOptions& table) {
  const rocksdb::FilterBuildingContext context(table);
  return std::unique_ptr<FilterBitsBuilder>(policy.GetBuilderWithContext(context));
}

// A filter of num_keys keys of up to 40 bytes, some of them twice in a row.
std::string Build(FilterBitsBuilder* builder, uint64_t num_keys) {
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string key = KeyOf(i, i % 41);
    builder->AddKey(key);
    if (i % 3 == 0) builder->AddKey(key);
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const Slice filter = builder->Finish(&buffer, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());  // RocksDB's Ribbon builder needs it
  return filter.ToString();
}

struct StockCase {
  Format format;
  double bits_per_key;
  const char* own;
};

constexpr StockCase kCases[] = {
    {Format::kBloom, 1, "bloomfilter:1:false"},
    {Format::kBloom, 5.55, "bloomfilter:5.55:false"},
    {Format::kBloom, 10, "bloomfilter:10:false"},
    {Format::kBloom, 14.001, "bloomfilter:14.001:false"},
    {Format::kBloom, 23.7, "bloomfilter:23.7:false"},
    {Format::kBloom, 60, "bloomfilter:60:false"},
    {Format::kRibbon, 5, "ribbonfilter:5:-1"},
    {Format::kRibbon, 10, "ribbonfilter:10:-1"},
    {Format::kRibbon, 20.5, "ribbonfilter:20.5:-1"},
};

TEST(RocksDBStockFormatsTest, BytesAreThoseOfRocksDB) {
  for (const StockCase& c : kCases) {
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

// A size of the allocator is a matter of the heap at that moment, so few filters may differ.
TEST(RocksDBStockFormatsTest, SizesFillTheirAllocationsAsThoseOfRocksDBDo) {
  for (const char* const own_text : {"bloomfilter:10:false", "bloomfilter:7.3:false"}) {
    const double bits = own_text[12] == '1' ? 10 : 7.3;
    BlockBasedTableOptions table;
    table.format_version = 5;
    table.optimize_filters_for_memory = true;
    const auto ours_policy = Bloomline(Format::kBloom, bits);
    const auto own_policy = Own(own_text);
    int different = 0;
    double ours_bytes = 0, own_bytes = 0;
    std::mt19937_64 random(7);
    for (int i = 0; i < 200; ++i) {
      const uint64_t n = 1 + random() % 30000;
      const std::string ours = Build(NewBuilder(*ours_policy, table).get(), n);
      const std::string own = Build(NewBuilder(*own_policy, table).get(), n);
      different += ours == own ? 0 : 1;
      ours_bytes += static_cast<double>(ours.size());
      own_bytes += static_cast<double>(own.size());
      const std::unique_ptr<FilterBitsReader> reader(own_policy->GetFilterBitsReader(ours));
      for (uint64_t key = 0; key < n; ++key) ASSERT_TRUE(reader->MayMatch(KeyOf(key, key % 41)));
    }
    EXPECT_LE(different, 20);
    EXPECT_NEAR(ours_bytes / own_bytes, 1, 0.01);
  }
}

TEST(RocksDBStockFormatsTest, SizeAndRateAreThoseThatSizingPromises) {
  for (const StockCase& c : kCases) {
    if (c.bits_per_key > 24) continue;  // too rare
    constexpr uint64_t kKeys = 50000;
    BlockBasedTableOptions table;
    table.format_version = 5;
    table.optimize_filters_for_memory = false;
    const auto policy = Bloomline(c.format, c.bits_per_key);
    const auto builder = NewBuilder(*policy, table);
    for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(KeyOf(i, 24));
    std::unique_ptr<const char[]> buffer;
    const Slice filter = builder->Finish(&buffer);
    const double promised = static_cast<double>(FilterBytes(c.format, kKeys, c.bits_per_key));
    EXPECT_NEAR(static_cast<double>(filter.size()) / promised, 1, 0.01) << c.own;
    const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
    constexpr uint64_t kQueries = 1000000;
    uint64_t matches = 0;
    for (uint64_t i = kKeys; i < kKeys + kQueries; ++i) matches += reader->MayMatch(KeyOf(i, 24));
    const double rate = static_cast<double>(matches) / static_cast<double>(kQueries);
    const double expected = FalsePositiveRate(c.format, c.bits_per_key);
    EXPECT_NEAR(rate / expected, 1, 0.05 + 4 / std::sqrt(expected * kQueries)) << c.own;
  }
}

// The policy's own readers of RocksDB's filters, also of bytes that make no sense.
TEST(RocksDBStockFormatsTest, AnswersAreThoseOfRocksDBsReader) {
  const auto bloomline = Bloomline(Format::kBloom, 10);
  std::mt19937_64 random(3);
  size_t different = 0, matches = 0;
  for (const StockCase& c : kCases) {
    const auto own = Own(c.own);
    for (const int version : {4, 5}) {
      BlockBasedTableOptions table;
      table.format_version = static_cast<uint32_t>(version);
      for (const uint64_t n : {1, 10, 500, 5000}) {
        std::string filter = Build(NewBuilder(*own, table).get(), n);
        for (int damage = 0; damage < 20; ++damage) {
          const std::unique_ptr<FilterBitsReader> ours(bloomline->GetFilterBitsReader(filter));
          const std::unique_ptr<FilterBitsReader> theirs(own->GetFilterBitsReader(filter));
          std::vector<std::string> keys;
          for (uint64_t i = 0; i < 64; ++i) keys.push_back(KeyOf(i * 97 % (2 * n), i % 41));
          std::vector<Slice> slices(keys.begin(), keys.end());
          std::vector<Slice*> pointers;
          for (Slice& slice : slices) pointers.push_back(&slice);
          bool batch[64];
          ours->MayMatch(32, pointers.data(), batch);
          ours->MayMatch(32, pointers.data() + 32, batch + 32);
          for (size_t i = 0; i < keys.size(); ++i) {
            const bool expected = theirs->MayMatch(keys[i]);
            different += ours->MayMatch(keys[i]) != expected || batch[i] != expected ? 1 : 0;
            matches += expected ? 1 : 0;
          }
          // Bits anywhere, and the number of probes and the seed; not the lengths, with which
          // RocksDB's reader would leave the filter.
          filter[random() % (filter.size() - 5)] ^= static_cast<char>(1 << random() % 8);
        }
      }
    }
  }
  EXPECT_EQ(different, 0u);
  EXPECT_GT(matches, 1000u);
}

TEST(RocksDBStockFormatsTest, OptionsThatTheirBytesHaveNoRoomForAreRefused) {
  RocksDBFilterOptions options;
  options.format = Format::kBloom;
  EXPECT_EQ(options.Validate(), "");
  options.seed = 7;
  EXPECT_EQ(options.Validate(),
            "format is bloom, whose hash takes no seed; allowed: blocked, compact");
  options.seed = 0;
  options.random_seed = true;
  EXPECT_NE(options.Validate(), "");
  options.random_seed = false;
  options.range_prefixes = "auto";
  EXPECT_EQ(options.Validate(),
            "format is bloom, which has no range entries; allowed: blocked, compact");
  options.range_prefixes = "";
  options.format = Format::kBlocked;
  options.stock_id = true;
  EXPECT_EQ(options.Validate(),
            "stock_id is true and files have filters of format blocked, which RocksDB's own policy "
            "does not use; allowed: bloom, ribbon");
  FilterOptions bloom;
  bloom.format = Format::kBloom;
  EXPECT_EQ(bloom.Validate(), "");
}

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
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
    rocksdb::Options options;
    options.create_if_missing = true;
    BlockBasedTableOptions table;
    table.filter_policy = Own(text);
    ASSERT_NE(table.filter_policy, nullptr);
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    constexpr uint64_t kKeys = 20000;
    {
      std::unique_ptr<rocksdb::DB> db;
      const rocksdb::Status status = tests::OpenRocksDB(options, path, &db);
      ASSERT_TRUE(status.ok()) << status.ToString();
      for (uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), KeyOf(2 * i, 24), "v").ok());
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
      EXPECT_EQ(BytesOf(entry.path()).find("bloomline"), std::string::npos) << entry.path();
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
    std::unique_ptr<rocksdb::DB> db;
    const rocksdb::Options own(db_options, families[0].options);
    ASSERT_TRUE(tests::OpenRocksDB(own, path, &db).ok());
    std::string value;
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      ASSERT_EQ(db->Get(rocksdb::ReadOptions(), KeyOf(i, 24), &value).ok(), i % 2 == 0) << i;
    }
    // Missing keys are within the range of both files; few are false positives.
    EXPECT_GT(db_options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), kKeys * 19 / 10);
  }
}

}  // namespace
}  // namespace bloomline
