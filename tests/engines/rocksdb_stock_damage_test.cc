// Filters of RocksDB's own kinds with lengths that no builder writes: RocksDB's own reader leaves
// some of them. The policy's reader answers "may match".
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::tests {
namespace {

using rocksdb::Slice;

void ExpectEveryKeyMatches(const std::string& filter) {
  const auto policy = NewRocksDBFilterPolicy(FilterOptions());
  GuardedBytes guarded(4096);
  for (const bool at_end : {false, true}) {
    const std::string_view placed = at_end ? guarded.AtEnd(filter) : guarded.AtStart(filter);
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy->GetFilterBitsReader(Slice(placed.data(), placed.size())));
    if (reader == nullptr) continue;  // RocksDB takes it as "may match"
    for (int i = 0; i < 500; ++i) {
      const std::string key = std::to_string(i);
      Slice slices[] = {key, "another key"};
      Slice* pointers[] = {&slices[0], &slices[1]};
      bool answers[2] = {};
      reader->MayMatch(2, pointers, answers);
      ASSERT_TRUE(reader->MayMatch(slices[0]) && answers[0] && answers[1]) << filter.size();
    }
  }
}

TEST(RocksDBStockDamageTest, ABloomFilterWithoutAWholeBlockMatchesEveryKey) {
  for (size_t payload_bytes = 1; payload_bytes < 64; ++payload_bytes) {
    ExpectEveryKeyMatches(std::string(payload_bytes, '\0') + std::string("\xFF\0\x06\0\0", 5));
  }
}

TEST(RocksDBStockDamageTest, ALegacyBloomFilterWithAnotherNumberOfBlocksMatchesEveryKey) {
  // 2^26 + 1 blocks of 64 bytes are 64 bytes modulo 2^32.
  for (const std::string_view num_blocks :
       {std::string_view("\1\0\0\4", 4), std::string_view("\1\0\0\x84", 4),
        std::string_view("\0\0\0\0", 4), std::string_view("\3\0\0\0", 4)}) {
    ExpectEveryKeyMatches(std::string(64, '\0') + '\6' + std::string(num_blocks));
  }
}

TEST(RocksDBStockDamageTest, ARibbonFilterWithoutAColumnMatchesEveryKey) {
  for (const size_t payload_bytes : {1, 15, 16, 100}) {
    for (const char num_blocks : {'\0', '\1'}) {
      ExpectEveryKeyMatches(std::string(payload_bytes, '\0') + "\xFE" + std::string(1, '\0') +
                            std::string({num_blocks, '\0', '\0'}));
    }
  }
  ExpectEveryKeyMatches(std::string(15, '\0') + std::string("\xFE\0\2\0\0", 5));
}

TEST(RocksDBStockDamageTest, FiveBytesAreAFilterWithoutKeysOnlyIfRocksDBWritesThem) {
  const auto policy = NewRocksDBFilterPolicy(FilterOptions());
  for (const std::string_view filter :
       {std::string_view("\xFF\0\x06\0\0", 5), std::string_view("\x06\0\0\0\0", 5)}) {
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy->GetFilterBitsReader(Slice(filter.data(), filter.size())));
    ASSERT_NE(reader, nullptr);
    EXPECT_FALSE(reader->MayMatch("key"));
  }
  ExpectEveryKeyMatches(std::string(5, '\0'));
  ExpectEveryKeyMatches(std::string("\xFF\0\0\0\0", 5));
  ExpectEveryKeyMatches(std::string("\xFF\1\6\0\0", 5));
  ExpectEveryKeyMatches(std::string("\xFE\0\6\0\0", 5));
  ExpectEveryKeyMatches(std::string("\6\0\0\1\0", 5));
  ExpectEveryKeyMatches(std::string("\xFF\0\6\0", 4));
}

}  // namespace
}  // namespace bloomline::tests
