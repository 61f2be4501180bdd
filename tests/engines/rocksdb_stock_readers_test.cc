// The policy's readers of RocksDB's filters against those of the RocksDB that runs: the same
// answers for whole, damaged, truncated and random bytes.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/bits/bytes.h"
#include "tests/engines/rocksdb_stock_filters.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline {
namespace {

using rocksdb::FilterBitsReader;
using rocksdb::Slice;
using tests::Bloomline;
using tests::Build;
using tests::kStockCases;
using tests::NewBuilder;
using tests::Own;
using tests::StockCase;
using tests::StockKey;

constexpr int kKeys = 64;
constexpr size_t kBlockBytes = 64;

class RocksDBStockReadersTest : public testing::Test {
 protected:
  RocksDBStockReadersTest() {
    for (uint64_t i = 0; i < kKeys; ++i) keys_.push_back(StockKey(i, i * 5 % 83));
    for (const std::string& key : keys_) slices_.emplace_back(key);
    for (Slice& slice : slices_) pointers_.push_back(&slice);
  }

  // No reader reads past the end.
  void ExpectSameAnswers(const std::string& filter) {
    const std::string_view guarded = guarded_.AtEnd(filter);
    const Slice bytes(guarded.data(), guarded.size());
    const std::unique_ptr<FilterBitsReader> ours(bloomline_->GetFilterBitsReader(bytes));
    const std::unique_ptr<FilterBitsReader> theirs(
        IsDamage(filter) ? nullptr : own_->GetFilterBitsReader(bytes));
    bool batch[kKeys], expected_batch[kKeys];
    for (int i = 0; i < kKeys; i += 32) {  // RocksDB's largest batch
      ours->MayMatch(32, pointers_.data() + i, batch + i);
      if (theirs != nullptr) theirs->MayMatch(32, pointers_.data() + i, expected_batch + i);
    }
    size_t matches = 0;
    for (size_t i = 0; i < kKeys; ++i) {
      const bool expected = theirs == nullptr || theirs->MayMatch(slices_[i]);
      ASSERT_EQ(theirs == nullptr || expected_batch[i], expected);
      ASSERT_EQ(ours->MayMatch(slices_[i]), expected) << Describe(filter) << ", key " << i;
      ASSERT_EQ(batch[i], expected) << Describe(filter) << ", key " << i;
      matches += expected ? 1 : 0;
    }
    num_mixed_ += matches != 0 && matches != kKeys ? 1 : 0;
    num_damaged_ += theirs == nullptr ? 1 : 0;
  }

  // Bytes with which RocksDB's reader says "no" or leaves the filter: ours matches every key.
  // RocksDB writes none of them but trailers alone, for partitions without entries.
  static bool IsDamage(const std::string& filter) {
    if (filter.size() <= kStockTrailerBytes) return !filter.empty();
    const size_t payload_bytes = filter.size() - kStockTrailerBytes;
    const char* const trailer = filter.data() + payload_bytes;
    const uint64_t num_blocks = kernels::LoadLittleEndian32(trailer + 1);
    const int marker = static_cast<signed char>(trailer[0]);
    return (marker == -1 && payload_bytes < kBlockBytes) ||
           (marker > 0 && num_blocks * kBlockBytes > UINT32_MAX);
  }

  static std::string Describe(const std::string& filter) {
    std::string text = std::to_string(filter.size()) + " bytes, the last:";
    for (size_t i = filter.size() - std::min(filter.size(), kStockTrailerBytes); i < filter.size();
         ++i) {
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

  const std::shared_ptr<const rocksdb::FilterPolicy> bloomline_ = Bloomline(Format::kBloom, 10);
  const std::shared_ptr<const rocksdb::FilterPolicy> own_ = Own("bloomfilter:10:false");
  std::vector<std::string> keys_;
  std::vector<Slice> slices_;
  std::vector<Slice*> pointers_;
  std::mt19937_64 random_{3};
  tests::GuardedBytes guarded_{1 << 20};
  int num_mixed_ = 0;  // filters that matched some keys, and some not
  int num_damaged_ = 0;
};

constexpr size_t kPayloads[] = {1,  15,  16,  17,  31,  32,   48,   63,   64,   65,
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

TEST_F(RocksDBStockReadersTest, OtherKinds) {
  for (int marker = 128; marker < 254; ++marker) {
    ExpectSameAnswers(Filter(128, 0, {marker, 0, 6, 0, 0}));
    ExpectSameAnswers(Filter(1024, 0, {marker, 1, 2, 3, 4}));
  }
  ExpectSameAnswers("");
}

TEST_F(RocksDBStockReadersTest, WholeAndDamagedFilters) {
  for (const StockCase& c : kStockCases) {
    for (const uint32_t version : {4u, 5u}) {
      rocksdb::BlockBasedTableOptions table;
      table.format_version = version;
      // The last filter is larger than those that are queried without prefetching.
      for (const uint64_t num_keys : {1, 10, 500, 5000, 400000}) {
        if (num_keys > 5000 && c.bits_per_key != 10) continue;
        const std::string whole = Build(NewBuilder(*Own(c.own), table).get(), num_keys);
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

TEST_F(RocksDBStockReadersTest, ATrailerAloneMatches) {
  for (const std::string_view filter :
       {std::string_view("\xFF\0\x06\0\0", 5), std::string_view("\x06\0\0\0\0", 5),
        std::string_view("\0\0\0\0\0", 5), std::string_view("\xFF\0\6\0", 4)}) {
    ExpectSameAnswers(std::string(filter));
  }
  EXPECT_EQ(num_damaged_, 4);
}

TEST_F(RocksDBStockReadersTest, RandomBytes) {
  for (int i = 0; i < 20000; ++i) {
    ExpectSameAnswers(Filter(random_() % 300, i % 4, {}));
    // A trailer that often makes sense: half of its bytes are 0.
    std::vector<int> trailer = {i % 3 == 0 ? 255 : 254};
    for (int j = 0; j < 4; ++j) {
      trailer.push_back(random_() % 2 == 0 ? 0 : static_cast<int>(random_() % 256));
    }
    ExpectSameAnswers(Filter(random_() % 300, i % 4, trailer));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(num_mixed_, 100);
}

}  // namespace
}  // namespace bloomline
