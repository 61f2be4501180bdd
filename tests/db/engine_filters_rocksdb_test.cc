// RocksDB's filters, built by RocksDB: the answer to every key is that of RocksDB's reader,
// whatever the bytes are.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/db/engine_filters/engine_filter.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/bits/hash.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "tests/db/engine_filter_checks.h"
#include "tests/support/guarded_bytes.h"

// util/hash.h, which is not installed.
namespace ROCKSDB_NAMESPACE {
uint64_t Hash64(const char* data, size_t n);
uint32_t Hash(const char* data, size_t n, uint32_t seed);
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline::engine_filters {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

constexpr char kName[] = "rocksdb.BuiltinBloomFilter";

std::shared_ptr<const rocksdb::FilterPolicy> Policy(const std::string& value) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), value, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

struct OwnPolicy {
  const char* name;
  const char* policy;  // an option string
  int format_version;
  Kind kind;  // of more than a few keys
};

constexpr OwnPolicy kPolicies[] = {
    {"bloom1", "bloomfilter:1.5", 5, Kind::kRocksDBBloom},
    {"bloom6", "bloomfilter:6.3", 5, Kind::kRocksDBBloom},
    {"bloom10", "bloomfilter:10", 5, Kind::kRocksDBBloom},
    {"bloom25", "bloomfilter:25", 5, Kind::kRocksDBBloom},
    {"bloom60", "bloomfilter:60", 5, Kind::kRocksDBBloom},
    {"ribbon1", "ribbonfilter:1.5:-1", 5, Kind::kRocksDBRibbon},
    {"ribbon10", "ribbonfilter:10:-1", 5, Kind::kRocksDBRibbon},
    {"ribbon20", "ribbonfilter:20:-1", 5, Kind::kRocksDBRibbon},
    {"ribbon60", "ribbonfilter:60:-1", 5, Kind::kRocksDBRibbon},
    {"legacy1", "bloomfilter:1", 4, Kind::kRocksDBLegacy},
    {"legacy10", "bloomfilter:10", 4, Kind::kRocksDBLegacy},
    {"legacy40", "bloomfilter:40", 4, Kind::kRocksDBLegacy},
};
void PrintTo(const OwnPolicy& own, std::ostream* out) { *out << own.name; }

// As RocksDB builds the filter of a table of the last level.
std::string Build(const OwnPolicy& own, const std::vector<std::string>& keys, size_t num_keys) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = static_cast<uint32_t>(own.format_version);
  rocksdb::FilterBuildingContext context(table);
  const auto policy = Policy(own.policy);
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  for (size_t i = 0; i < num_keys; ++i) builder->AddKey(keys[i]);
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

// Blocks of RocksDB's legacy filters have the size of the CPU's cache line: 64 on x86-64, 256 on
// s390x.
uint32_t LegacyBlockBytes() {
  const std::string bytes = Build({"", "bloomfilter:10", 4, Kind::kRocksDBLegacy}, {"key"}, 1);
  const auto blocks = static_cast<unsigned char>(bytes[bytes.size() - 4]);
  return static_cast<uint32_t>(bytes.size() - 5) / blocks;
}

class EngineFiltersRocksDBBytesTest : public testing::Test {
 protected:
  // Bytes in front of an inaccessible page: no query reads past the end. RocksDB's reader gets them
  // with room behind, because of damaged ones it reads more.
  void ExpectSameAnswers(const std::string& bytes, const std::vector<std::string>& keys) {
    const EngineFilter filter =
        EngineFilter::Open(Container::kRocksDB, kName, guarded_.AtEnd(bytes));
    if (RocksDBReadsOutside(bytes)) {
      ASSERT_EQ(filter.kind(), Kind::kUnknown);
      ExpectAnswers(filter, keys, [](std::string_view) { return true; });
      return;
    }
    const std::unique_ptr<FilterBitsReader> reader(policy_->GetFilterBitsReader(bytes));
    ExpectAnswers(filter, keys, [&](std::string_view key) {
      return reader->MayMatch(Slice(key.data(), key.size()));
    });
  }

  // Damaged bytes of which RocksDB 7.8 reads others than these: a Bloom filter without a block, and
  // a legacy one whose number of blocks is right only modulo 2^26, on x86-64.
  static bool RocksDBReadsOutside(const std::string& bytes) {
    if (bytes.size() <= 5) return false;
    const size_t payload = bytes.size() - 5;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[payload + i]); };
    if (byte(0) == 0xFF) {
      return payload < 64 && byte(1) == 0 && byte(2) >= 1 && byte(2) <= 30 && byte(3) == 0 &&
             byte(4) == 0;
    }
    if (byte(0) < 1 || byte(0) > 127) return false;
    const uint32_t blocks = byte(1) | byte(2) << 8 | byte(3) << 16 | uint32_t{byte(4)} << 24;
    static const uint32_t block_bytes = LegacyBlockBytes();
    return blocks * block_bytes == payload && uint64_t{blocks} * block_bytes != payload;
  }

  const std::shared_ptr<const rocksdb::FilterPolicy> policy_ = Policy(kName);
  tests::GuardedBytes guarded_{8 << 20};
};

class EngineFiltersRocksDBTest : public EngineFiltersRocksDBBytesTest,
                                 public testing::WithParamInterface<OwnPolicy> {};

INSTANTIATE_TEST_SUITE_P(Policies, EngineFiltersRocksDBTest, testing::ValuesIn(kPolicies),
                         [](const auto& info) { return info.param.name; });

// Built by GCC 10 or later for POWER, RocksDB hashes longer keys unlike all other builds
// (docs/compatibility.md).
#if defined(__powerpc64__)
constexpr size_t kMaxHashedBytes = 1023;
#else
constexpr size_t kMaxHashedBytes = 1290;
#endif

TEST(RocksDBHashTest, EqualsThatOfRocksDBAtEveryLength) {
  std::mt19937_64 random(301);
  std::string bytes(1300, '\0');
  for (int round = 0; round < 4; ++round) {
    for (char& c : bytes) c = static_cast<char>(round == 0 ? 0xFF : random());
    for (size_t n = 0; n <= kMaxHashedBytes; ++n) {
      const std::string_view key(bytes.data() + n % 8, n);  // at any alignment
      ASSERT_EQ(stock::RocksDBHash64(key), ROCKSDB_NAMESPACE::Hash64(key.data(), n)) << n;
      ASSERT_EQ(filter::RocksDBHash32(key), ROCKSDB_NAMESPACE::Hash(key.data(), n, 0xbc9f1d34))
          << n;
    }
  }
}

TEST_P(EngineFiltersRocksDBTest, AnswersAsRocksDBDoes) {
  const std::vector<std::string> stored = RandomKeys(3000, 1);
  const std::vector<std::string> others = RandomKeys(300, 2);
  for (size_t n = 0; n <= 3000; n += n < 70 ? 1 : n / 9) {
    SCOPED_TRACE(n);
    const std::string bytes = Build(GetParam(), stored, n);
    const EngineFilter filter = EngineFilter::Open(Container::kRocksDB, kName, bytes);
    if (n >= 1000) {
      ASSERT_EQ(filter.kind(), GetParam().kind);
    }
    ASSERT_TRUE(filter.CanQuery());
    std::vector<std::string> keys = FirstOf(stored, n);
    for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
    keys.insert(keys.end(), others.begin(), others.end());
    ExpectSameAnswers(bytes, keys);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EngineFiltersRocksDBTest, AnswersAsRocksDBDoesWhenDamaged) {
  const std::vector<std::string> keys = RandomKeys(40, 3);
  for (const size_t n : {1, 20, 40}) {
    SCOPED_TRACE(n);
    ForEachDamage(Build(GetParam(), keys, n), 5,
                  [&](const std::string& damaged) { ExpectSameAnswers(damaged, keys); });
    if (HasFatalFailure()) return;
  }
}

// Any bytes with any number of blocks, from more columns than a Ribbon filter can have to none.
TEST_F(EngineFiltersRocksDBBytesTest, AnyBytesAnswerAsRocksDBsRibbonFilters) {
  const std::vector<std::string> keys = RandomKeys(100, 9);
  std::mt19937_64 random(10);
  for (const size_t payload : {16, 40, 160, 1056, 1072, 3000, 5000}) {
    std::string bytes(payload, '\0');
    // Mostly zeros, which match some keys.
    for (char& c : bytes) c = static_cast<char>(random() & random() & random());
    for (const int num_blocks : {2, 3, 4, 5, 10, 33, 255, 256, 70000}) {
      const std::string end = {'\xFE', static_cast<char>(random()), static_cast<char>(num_blocks),
                               static_cast<char>(num_blocks >> 8),
                               static_cast<char>(num_blocks >> 16)};
      ExpectSameAnswers(bytes + end, keys);
      if (HasFatalFailure()) return;
    }
  }
  // Behind 32 columns, the bytes are not used. No key is found that shows it.
  const std::string wide = std::string(1500, 'x') + std::string("\xFE\0\x02\0\0", 5);
  EXPECT_EQ(EngineFilter::Open(Container::kRocksDB, kName, wide).ExpectedRate(9),
            std::ldexp(1.0, -32));
}

// Sizes at which number formats matter. The keys are 16 bytes of which the last 8 count.
TEST_P(EngineFiltersRocksDBTest, AnswersAsRocksDBDoesWithManyKeys) {
  constexpr size_t kNumKeys = 300000;
  std::vector<std::string> stored(kNumKeys, std::string(16, 'k'));
  for (size_t i = 0; i < kNumKeys; ++i) std::memcpy(stored[i].data() + 8, &i, sizeof(i));
  const std::string bytes = Build(GetParam(), stored, kNumKeys);
  std::vector<std::string> keys = RandomKeys(2000, 4);
  for (size_t i = 0; i < kNumKeys; i += 101) keys.push_back(stored[i]);
  for (size_t i = kNumKeys; i < kNumKeys + 3000; ++i) {
    keys.emplace_back(16, 'k');
    std::memcpy(keys.back().data() + 8, &i, sizeof(i));
  }
  ExpectSameAnswers(bytes, keys);
}

TEST_F(EngineFiltersRocksDBBytesTest, WhatIsReservedMatchesEveryKey) {
  std::string bytes;
  const auto open = [&bytes](const std::string& end) {
    bytes = std::string(128, '\0') + end;
    return EngineFilter::Open(Container::kRocksDB, kName, bytes);
  };
  const std::string legacy = std::string("\x06\x02\0\0\0", 5);
  EXPECT_EQ(open(legacy).kind(), Kind::kRocksDBLegacy);
  EXPECT_FALSE(open(legacy).MayMatch("key"));  // no bit is set
  const std::string bloom = std::string("\xFF\0\x06\0\0", 5);
  EXPECT_EQ(open(bloom).kind(), Kind::kRocksDBBloom);
  EXPECT_FALSE(open(bloom).MayMatch("key"));
  EXPECT_TRUE(open(bloom).why().empty());
  const std::pair<std::string, const char*> cases[] = {
      {std::string("\xFD\0\x06\0\0", 5), "RocksDB filter of kind -3"},
      {std::string("\xFF\x01\x06\0\0", 5), "variant 1"},
      {std::string("\xFF\0\x26\0\0", 5), "blocks of 128 bytes"},
      {std::string("\xFF\0\0\0\0", 5), "0 probes"},
      {std::string("\xFF\0\x1F\0\0", 5), "31 probes"},
      {std::string("\xFF\0\x06\0\x01", 5), "reserved bytes 256"},
      {std::string("\xFE\0\x01\0\0", 5), "Ribbon filter of 1 blocks"},
      {std::string("\x06\x03\0\0\0", 5), "128 bytes in 3 blocks"},
      {std::string("\x06\0\0\0\0", 5), "in 0 blocks"},
  };
  for (const auto& [end, why] : cases) {
    const EngineFilter filter = open(end);
    EXPECT_EQ(filter.kind(), Kind::kUnknown) << why;
    EXPECT_FALSE(filter.CanQuery());
    EXPECT_TRUE(filter.MayMatch("key")) << why;
    EXPECT_EQ(filter.ExpectedRate(10), 1);
    EXPECT_NE(filter.why().find(why), std::string::npos) << filter.why();
  }
  const EngineFilter all =
      EngineFilter::Open(Container::kRocksDB, kName, std::string_view("\0\0\0\0\0\0", 6));
  EXPECT_EQ(all.kind(), Kind::kAlwaysMatch);
  EXPECT_TRUE(all.MayMatch("key"));
  for (size_t size = 0; size <= 5; ++size) {
    const std::string none(size, '\0');
    const EngineFilter filter = EngineFilter::Open(Container::kRocksDB, kName, none);
    EXPECT_EQ(filter.kind(), Kind::kNoKeys) << size;
    EXPECT_FALSE(filter.MayMatch("key")) << size;
    EXPECT_EQ(filter.ExpectedRate(10), 0);
  }
}

TEST_F(EngineFiltersRocksDBBytesTest, AFilterOfAnotherPolicyIsNotUnderstood) {
  const std::string bytes = Build(kPolicies[2], RandomKeys(100, 7), 100);
  const EngineFilter filter = EngineFilter::Open(Container::kRocksDB, "company.Filter", bytes);
  EXPECT_EQ(filter.kind(), Kind::kUnknown);
  EXPECT_EQ(filter.why(), "the filter policy company.Filter is not known");
  EXPECT_TRUE(filter.MayMatch("key"));
}

TEST_P(EngineFiltersRocksDBTest, HasTheRateThatIsExpected) {
  if (GetParam().kind == Kind::kRocksDBLegacy) return;  // its probes are not independent
  constexpr size_t kKeys = 5000;
  const std::string bytes = Build(GetParam(), RandomKeys(kKeys, 8), kKeys);
  // Lower rates take too many queries.
  if (EngineFilter::Open(Container::kRocksDB, kName, bytes).ExpectedRate(kKeys) < 3e-3) return;
  ExpectRates({Container::kRocksDB, kName, kKeys}, [](const std::vector<std::string>& keys) {
    return Build(GetParam(), keys, keys.size());
  });
}

}  // namespace
}  // namespace bloomline::engine_filters
