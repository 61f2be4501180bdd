// RocksDB's own filters. The formats bloom and ribbon write them, byte for byte, in databases that
// RocksDB uses without bloomline. The policy's readers give the answers of RocksDB's, to whole,
// damaged, truncated and random bytes.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/stock/stock_builder.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/stock_files.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_stock_formats_test {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::Slice;

// Longer keys end in bytes that are negative as signed ones, as RocksDB's older hash takes them.
std::string StockKey(uint64_t i, size_t num_bytes) {
  std::string key = std::to_string(i * 0x9e3779b97f4a7c15);
  key.resize(num_bytes, '\xe9');
  return key;
}

// A filter of num_keys keys of up to 40 bytes, some of them twice in a row, and with prefixes if
// RocksDB gives them to builders.
std::string Build(rocksdb::FilterBitsBuilder* builder, uint64_t num_keys) {
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string key = StockKey(i, i % 41);
    builder->AddKey(key);
    if (i % 3 == 0) builder->AddKey(key);
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
    if (i % 7 < 3) builder->AddKeyAndAlt(key, key.substr(0, i / 7 % 4));
#endif
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&buffer, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());  // RocksDB's Ribbon builder needs it
  return filter.ToString();
}

struct StockCase {
  Policy ours() const { return NewRocksDBFilterPolicy(FilterOptions{format, bits_per_key}); }
  Policy stock() const { return PolicyOf(text); }

  Format format;
  double bits_per_key;
  const char* text;  // of RocksDB's policy
};

constexpr StockCase kStockCases[] = {
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
  for (const StockCase& c : kStockCases) {
    for (const int version : {2, 4, 5}) {
      for (const bool verify : {false, true}) {
        BlockBasedTableOptions table;
        table.format_version = static_cast<uint32_t>(version);
        table.detect_filter_construct_corruption = verify;
        table.optimize_filters_for_memory = false;
        const auto ours = NewBuilder(c.ours(), table);
        const auto stock = NewBuilder(c.stock(), table);
        for (const uint64_t n : {0, 1, 2, 6, 7, 100, 1000, 1023, 20000, 0, 3}) {
          ASSERT_EQ(Build(ours.get(), n), Build(stock.get(), n))
              << c.text << ", keys " << n << ", format version " << version;
          ASSERT_EQ(ours->ApproximateNumEntries(n + 1), stock->ApproximateNumEntries(n + 1)) << n;
        }
      }
    }
  }
}

// RocksDB's Ribbon policy chooses Bloom filters for some files: its newer ones, whatever the
// table's format version is. From version 5 on, nothing depends on it.
class RocksDBBloomBeforeLevelTest : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(FormatVersion, RocksDBBloomBeforeLevelTest,
                         ::testing::Values(2, 3, 4, 5, 6, 7));

TEST_P(RocksDBBloomBeforeLevelTest, EachFileHasTheBytesOfRocksDB) {
  using rocksdb::TableFileCreationReason;
  BlockBasedTableOptions table;
  table.format_version = GetParam();
  table.optimize_filters_for_memory = false;
  rocksdb::FilterBuildingContext context(table);
  int num_bloom = 0;
  int num_ribbon = 0;
  for (const char* level : {"-1", "0", "1", "3", "6", "64"}) {
    const auto ours =
        PolicyOf(std::string("{id=bloomline;format=ribbon;bits_per_key=10;bloom_before_level=") +
                 level + "}");
    const auto stock = PolicyOf(std::string("ribbonfilter:10:") + level);
    ASSERT_TRUE(ours != nullptr && stock != nullptr);
    for (const auto style : {rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleUniversal,
                             rocksdb::kCompactionStyleFIFO, rocksdb::kCompactionStyleNone}) {
      for (int file_level = -1; file_level < 7; ++file_level) {
        for (const auto reason :
             {TableFileCreationReason::kCompaction, TableFileCreationReason::kFlush,
              TableFileCreationReason::kRecovery, TableFileCreationReason::kMisc}) {
          const bool is_new = reason == TableFileCreationReason::kFlush ||
                              reason == TableFileCreationReason::kRecovery;
          if (is_new && file_level != 0) continue;
          // SstFileWriter knows no level.
          if ((reason == TableFileCreationReason::kMisc) != (file_level == -1)) continue;
          context.compaction_style = style;
          context.level_at_creation = file_level;
          context.reason = reason;
          const Builder our_builder(ours->GetBuilderWithContext(context));
          const Builder stock_builder(stock->GetBuilderWithContext(context));
          for (const uint64_t num_keys : {0, 1, 605, 1500}) {
            const std::string expected = Build(stock_builder.get(), num_keys);
            ASSERT_EQ(Build(our_builder.get(), num_keys), expected)
                << level << ", level " << file_level << ", reason " << static_cast<int>(reason)
                << ", style " << static_cast<int>(style) << ", " << num_keys << " keys";
            const filter::Layout layout = filter::DecodeTableBytes(expected).layout;
            num_bloom += layout == filter::Layout::kRocksDBBloom;
            num_ribbon += layout == filter::Layout::kRocksDBRibbon;
          }
        }
      }
    }
  }
  EXPECT_GT(num_bloom, 100);
  EXPECT_GT(num_ribbon, 100);
}

// The hash takes other paths for keys of other lengths. RocksDB's own of keys of 1,024 bytes or
// more is another one on POWER (docs/compatibility.md).
TEST(RocksDBStockFormatsTest, KeysOfAllLengthsAreFound) {
  for (const StockCase& c : kStockCases) {
    BlockBasedTableOptions table;
    table.format_version = 5;
    const auto ours = c.ours();
    const auto stock = c.stock();
    const auto builder = NewBuilder(ours, table);
    constexpr uint64_t kKeys = 1300;
    const auto key = [](uint64_t i) {
      std::mt19937_64 random(i);
      std::string bytes(i, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      return bytes;
    };
    for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(key(i));
    const std::string filter = Finished(builder.get());
    const Reader stock_reader(stock->GetFilterBitsReader(filter));
    const Reader our_reader(ours->GetFilterBitsReader(filter));
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(stock_reader->MayMatch(key(i))) << c.text << ", " << key(i).size() << " bytes";
      ASSERT_TRUE(our_reader->MayMatch(key(i))) << c.text << ", " << key(i).size() << " bytes";
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
    const auto policy = c.ours();
    const auto builder = NewBuilder(policy, table);
    for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(StockKey(i, 24));
    const std::string filter = Finished(builder.get());
    const double promised =
        static_cast<double>(filter::StockFileBytes(c.format, kKeys, c.bits_per_key));
    EXPECT_NEAR(static_cast<double>(filter.size()) / promised, 1, 0.01) << c.text;
    const Reader reader(policy->GetFilterBitsReader(filter));
    constexpr uint64_t kQueries = 1000000;
    uint64_t matches = 0;
    for (uint64_t i = kKeys; i < kKeys + kQueries; ++i)
      matches += reader->MayMatch(StockKey(i, 24));
    const double rate = static_cast<double>(matches) / static_cast<double>(kQueries);
    const double expected = filter::EngineRate(c.format, c.bits_per_key);
    EXPECT_NEAR(rate / expected, 1, 0.05 + 4 / std::sqrt(expected * kQueries)) << c.text;
  }
}

// Gives its keys a trailer without blocks, as RocksDB's may with optimize_filters_for_memory.
class BlocklessBuilder : public ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  Slice Finish(std::unique_ptr<const char[]>* buffer) override {
    ForwardingBuilder::Finish(buffer);
    return Slice("\xff\x00\x06\x00\x00", stock::kMetadataBytes);
  }
  Slice Finish(std::unique_ptr<const char[]>* buffer, rocksdb::Status*) override {
    return Finish(buffer);
  }
};

TEST(RocksDBStockFormatsTest, KeysGetNoFilterWithoutBlocks) {
  const auto policy = PolicyOf("bloomfilter:1:false");
  for (const bool is_partition : {false, true}) {
    auto blockless = std::make_unique<BlocklessBuilder>(NewBuilder(policy).release());
    engine::StockBuilder builder(policy, std::move(blockless), is_partition);
    EXPECT_EQ(Finished(&builder).size(), stock::kMetadataBytes) << "no keys: right";
    builder.AddKey("key");
    const std::string filter = Finished(&builder);
    for (const auto& reader_policy :
         {policy, NewRocksDBFilterPolicy(FilterOptions{Format::kBloom, 1})}) {
      EXPECT_TRUE(Reader(reader_policy->GetFilterBitsReader(filter))->MayMatch("key"));
    }
  }
}

// As RocksDB's Ribbon builder without keys, and in late versions its Bloom builder.
class EmptyBuilder : public ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  Slice Finish(std::unique_ptr<const char[]>*) override { return Slice(); }
  Slice Finish(std::unique_ptr<const char[]>*, rocksdb::Status*) override { return Slice(); }
};

TEST(RocksDBStockFormatsTest, AFullFilterWithoutKeysIsEmptyAndAPartitionMatchesEveryKey) {
  const auto bloom = PolicyOf("bloomfilter:10:false");
  const auto ribbon = NewRocksDBFilterPolicy(FilterOptions{Format::kRibbon, 10});
  for (const bool is_partition : {false, true}) {
    rocksdb::BlockBasedTableOptions table;
    table.partition_filters = is_partition;
    auto empty = std::make_unique<EmptyBuilder>(NewBuilder(bloom).release());
    engine::StockBuilder of_stock(bloom, std::move(empty), is_partition);
    for (const std::string& filter :
         {Finished(&of_stock), Finished(NewBuilder(ribbon, table).get())}) {
      EXPECT_EQ(filter.empty(), !is_partition);
      if (filter.empty()) continue;
      EXPECT_TRUE(Reader(bloom->GetFilterBitsReader(filter))->MayMatch("key"));
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
    const auto ours = c.ours();
    const std::string filter = Finished(NewBuilder(ours, table).get());
    ASSERT_FALSE(filter.empty()) << c.text;
    // RocksDB's Bloom filter without entries, which only keys with a prefix query.
    if (c.format == Format::kBloom && filter.size() == stock::kMetadataBytes) continue;
    Slice key = "key";
    Slice* keys[] = {&key, &key};
    for (const auto& policy : {ours, c.stock()}) {
      const Reader reader(policy->GetFilterBitsReader(filter));
      EXPECT_TRUE(reader->MayMatch(key)) << c.text;
      bool may_match[] = {false, false};
      reader->MayMatch(2, keys, may_match);
      EXPECT_TRUE(may_match[0] && may_match[1]) << c.text;
    }
  }
}

// RocksDB without bloomline opens such a database with its OPTIONS file, and uses every filter.
TEST(RocksDBStockFormatsTest, NothingInADatabaseNamesBloomline) {
  for (const char* const text :
       {"{id=bloomline;format=bloom;bits_by_level=auto;stock_id=true}",
        "{id=bloomline;format=ribbon;flush_format=bloom;bits_per_key=9.5;stock_id=true}",
        "{id=bloomline;format=ribbon;bloom_before_level=3;stock_id=true}",
        "{id=bloomline;format=ribbon;stock_id=true}"}) {
    const TempDir dir;
    const std::string path = dir.Path("db");
    constexpr uint64_t kKeys = 20000;
    {
      const auto db = MustOpenRocksDB(WithPolicy(PolicyOf(text)), path);
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
      EXPECT_EQ(ReadFile(entry.path().string()).find("bloomline"), std::string::npos)
          << entry.path();
    }
    EXPECT_GE(num_files, 5u);

    rocksdb::Options loaded = LoadOptions(path);
    ASSERT_NE(PolicyOf(loaded), nullptr) << text;
    EXPECT_EQ(PolicyOf(loaded)->GetId(), PolicyOf(text)->GetId());
    loaded.statistics = rocksdb::CreateDBStatistics();
    const auto db = MustOpenRocksDB(loaded, path);
    std::string value;
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      ASSERT_EQ(db->Get(rocksdb::ReadOptions(), StockKey(i, 24), &value).ok(), i % 2 == 0) << i;
    }
    // Missing keys are within the range of both files; few are false positives.
    EXPECT_GT(loaded.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), kKeys * 19 / 10);
  }
}

// ---- Readers.

constexpr int kQueried = 64;
constexpr size_t kBlockBytes = 64;

class RocksDBStockReadersTest : public testing::Test {
 protected:
  RocksDBStockReadersTest() {
    for (uint64_t i = 0; i < kQueried; ++i) keys_.push_back(StockKey(i, i * 5 % 83));
    for (const std::string& key : keys_) slices_.emplace_back(key);
    for (Slice& slice : slices_) pointers_.push_back(&slice);
  }

  // No reader reads past the end.
  void ExpectSameAnswers(const std::string& filter) {
    const std::string_view guarded = guarded_.AtEnd(filter);
    const Slice bytes(guarded.data(), guarded.size());
    const Reader ours(bloomline_->GetFilterBitsReader(bytes));
    const Reader theirs(IsDamage(filter) ? nullptr : stock_->GetFilterBitsReader(bytes));
    bool batch[kQueried], expected_batch[kQueried];
    for (int i = 0; i < kQueried; i += 32) {  // RocksDB's largest batch
      ours->MayMatch(32, pointers_.data() + i, batch + i);
      if (theirs != nullptr) theirs->MayMatch(32, pointers_.data() + i, expected_batch + i);
    }
    size_t matches = 0;
    for (size_t i = 0; i < kQueried; ++i) {
      const bool expected = theirs == nullptr || theirs->MayMatch(slices_[i]);
      ASSERT_EQ(theirs == nullptr || expected_batch[i], expected);
      ASSERT_EQ(ours->MayMatch(slices_[i]), expected) << Describe(filter) << ", key " << i;
      ASSERT_EQ(batch[i], expected) << Describe(filter) << ", key " << i;
      matches += expected ? 1 : 0;
    }
    num_mixed_ += matches != 0 && matches != kQueried ? 1 : 0;
    num_damaged_ += theirs == nullptr ? 1 : 0;
  }

  // Bytes with which RocksDB's reader says "no" or leaves the filter: ours matches every key.
  // RocksDB writes none of them but trailers alone, for partitions without entries.
  static bool IsDamage(const std::string& filter) {
    if (filter.size() <= stock::kMetadataBytes) return !filter.empty();
    const size_t payload_bytes = filter.size() - stock::kMetadataBytes;
    const char* const trailer = filter.data() + payload_bytes;
    const uint64_t num_blocks = kernels::LoadLittleEndian32(trailer + 1);
    const int marker = static_cast<signed char>(trailer[0]);
    return (marker == -1 && payload_bytes < kBlockBytes) ||
           (marker > 0 && num_blocks * kBlockBytes > UINT32_MAX);
  }

  static std::string Describe(const std::string& filter) {
    std::string text = std::to_string(filter.size()) + " bytes, the last:";
    for (size_t i = filter.size() - std::min(filter.size(), stock::kMetadataBytes);
         i < filter.size(); ++i) {
      text += " " + std::to_string(static_cast<unsigned char>(filter[i]));
    }
    return text;
  }

  // Payload with more ones the denser, and a trailer.
  std::string Filter(size_t payload_bytes, int density, const std::vector<int>& trailer) {
    std::string filter(payload_bytes, '\0');
    for (char& byte : filter) {
      auto bits = static_cast<uint8_t>(random_());
      for (int i = 0; i < density; ++i) bits |= static_cast<uint8_t>(random_());
      byte = static_cast<char>(bits);
    }
    for (const int byte : trailer) filter.push_back(static_cast<char>(byte));
    return filter;
  }

  const Policy bloomline_ = NewRocksDBFilterPolicy(FilterOptions{Format::kBloom, 10});
  const Policy stock_ = PolicyOf("bloomfilter:10:false");
  std::vector<std::string> keys_;
  std::vector<Slice> slices_;
  std::vector<Slice*> pointers_;
  std::mt19937_64 random_{3};
  GuardedBytes guarded_{1 << 20};
  int num_mixed_ = 0;  // filters that matched some keys, and some not
  int num_damaged_ = 0;
};

constexpr size_t kPayloads[] = {0,  1,   15,  16,  17,  31,   32,   48,   63,   64,   65,
                                95, 127, 128, 192, 256, 1000, 1024, 4095, 4096, 16384};

TEST_F(RocksDBStockReadersTest, BloomOfAnyTrailer) {
  for (const size_t payload : kPayloads) {
    for (int probes_and_block = 0; probes_and_block < 256; ++probes_and_block) {
      const int density = probes_and_block % 4;
      ExpectSameAnswers(Filter(payload, density, {255, 0, probes_and_block, 0, 0}));
      if (HasFatalFailure()) return;
    }
    for (const std::vector<int>& trailer : {std::vector<int>{255, 1, 6, 0, 0},
                                            {255, 128, 6, 0, 0},
                                            {255, 0, 6, 1, 0},
                                            {255, 0, 6, 0, 128}}) {
      ExpectSameAnswers(Filter(payload, 0, trailer));
    }
  }
  EXPECT_GT(num_mixed_, 200);
  EXPECT_GT(num_damaged_, 2000);
}

TEST_F(RocksDBStockReadersTest, RibbonOfAnyTrailer) {
  for (const size_t payload : kPayloads) {
    for (int i = 0; i < 512; ++i) {
      const auto fitting = static_cast<int>(payload) / 16 / (1 + i % 34);
      const int blocks[] = {fitting, fitting + 1, i % 5, static_cast<int>(random_() >> 40)};
      const int n = blocks[i / 34 % 4];
      ExpectSameAnswers(Filter(payload, 0, {254, i & 255, n & 255, n >> 8 & 255, n >> 16 & 255}));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(num_mixed_, 300);
}

TEST_F(RocksDBStockReadersTest, LegacyOfAnyTrailer) {
  for (const size_t payload : kPayloads) {
    for (int probes = 0; probes < 128; ++probes) {
      for (const size_t blocks :
           {size_t{0}, size_t{1}, size_t{3}, payload / 64, payload / 32, payload / 128, payload,
            payload + 1, size_t{0xffffffff}, payload / 64 + (size_t{1} << 26)}) {
        const auto n = static_cast<uint32_t>(blocks);
        ExpectSameAnswers(Filter(payload, probes % 6,
                                 {probes, static_cast<int>(n & 255), static_cast<int>(n >> 8 & 255),
                                  static_cast<int>(n >> 16 & 255), static_cast<int>(n >> 24)}));
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(num_mixed_, 300);
}

TEST_F(RocksDBStockReadersTest, WholeAndDamagedFilters) {
  for (const StockCase& c : kStockCases) {
    for (const uint32_t version : {4u, 5u}) {
      rocksdb::BlockBasedTableOptions table;
      table.format_version = version;
      // The last filter is larger than those that are queried without prefetching.
      for (const uint64_t num_keys : {1, 10, 500, 5000, 400000}) {
        if (num_keys > 5000 && c.bits_per_key != 10) continue;
        const std::string whole = Build(NewBuilder(c.stock(), table).get(), num_keys);
        std::string damaged = whole;
        for (int i = 0; i < 30; ++i) {
          ExpectSameAnswers(damaged);
          damaged[random_() % damaged.size()] ^= static_cast<char>(1 << random_() % 8);
        }
        for (size_t cut = 1; cut < 20; ++cut) {
          const size_t n = cut < 10 ? cut : random_() % whole.size();
          ExpectSameAnswers(whole.substr(0, whole.size() - std::min(n, whole.size())));
          ExpectSameAnswers(whole.substr(std::min(n, whole.size())));
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(num_mixed_, 300);
}

TEST_F(RocksDBStockReadersTest, RandomBytes) {
  for (int i = 0; i < 20000; ++i) {
    ExpectSameAnswers(Filter(random_() % 300, i % 4, {}));
    // A trailer that often makes sense: most are of a known kind, and half of the bytes are 0.
    const int markers[] = {255, 254, static_cast<int>(random_() % 256)};
    std::vector<int> trailer = {markers[i % 3]};
    for (int j = 0; j < 4; ++j) {
      trailer.push_back(random_() % 2 == 0 ? 0 : static_cast<int>(random_() % 256));
    }
    ExpectSameAnswers(Filter(random_() % 300, i % 4, trailer));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(num_mixed_, 100);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_stock_formats_test
