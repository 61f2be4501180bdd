// RocksDB's filters, built by RocksDB: the answer to every key is that of RocksDB's reader. Damaged
// ones: rocksdb_stock_formats_test.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/db/engine_filters/engine_filter.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/bits/hash.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "tests/db/engine_filter_checks.h"

// util/hash.h, which is not installed.
namespace ROCKSDB_NAMESPACE {
uint64_t Hash64(const char* data, size_t n);
uint32_t Hash(const char* data, size_t n, uint32_t seed);
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline::engine_filters::engine_filters_rocksdb_test {
namespace {

struct OwnPolicy {
  const char* name;
  const char* policy;  // an option string
  uint32_t format_version;
  Kind kind;  // of more than a few keys
};

constexpr OwnPolicy kPolicies[] = {
    {"bloom1", "bloomfilter:1.5", 5, Kind::kRocksDBBloom},
    {"bloom6", "bloomfilter:6.3", 5, Kind::kRocksDBBloom},
    {"bloom10", "bloomfilter:10", 5, Kind::kRocksDBBloom},
    {"bloom60", "bloomfilter:60", 5, Kind::kRocksDBBloom},
    {"ribbon1", "ribbonfilter:1.5:-1", 5, Kind::kRocksDBRibbon},
    {"ribbon10", "ribbonfilter:10:-1", 5, Kind::kRocksDBRibbon},
    {"ribbon60", "ribbonfilter:60:-1", 5, Kind::kRocksDBRibbon},
    {"legacy1", "bloomfilter:1", 4, Kind::kRocksDBLegacy},
    {"legacy10", "bloomfilter:10", 4, Kind::kRocksDBLegacy},
    {"legacy40", "bloomfilter:40", 4, Kind::kRocksDBLegacy},
};
void PrintTo(const OwnPolicy& own, std::ostream* out) { *out << own.name; }

class EngineFiltersRocksDBTest : public testing::TestWithParam<OwnPolicy> {
 protected:
  void SetUp() override {
    const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
        rocksdb::ConfigOptions(), GetParam().policy, &policy_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // As RocksDB builds the filter of a table of the last level.
  std::string Build(const std::vector<std::string>& keys) const {
    rocksdb::BlockBasedTableOptions table;
    table.format_version = GetParam().format_version;
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
    for (const std::string& key : keys) builder->AddKey(key);
    std::unique_ptr<const char[]> buffer;
    return builder->Finish(&buffer).ToString();
  }

  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
};

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
  ExpectAnswersOfEngine(
      Container::kRocksDB, [&](const std::vector<std::string>& keys) { return Build(keys); },
      [&](const std::string& bytes) {
        const std::shared_ptr<rocksdb::FilterBitsReader> reader(
            policy_->GetFilterBitsReader(bytes));
        return [reader](std::string_view key) {
          return reader->MayMatch(rocksdb::Slice(key.data(), key.size()));
        };
      },
      [](const EngineFilter& filter, size_t n) {
        EXPECT_TRUE(n < 1000 || filter.kind == GetParam().kind) << KindName(filter.kind);
      });
}

}  // namespace
}  // namespace bloomline::engine_filters::engine_filters_rocksdb_test
