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

#include "src/engine_filters/engine_filter.h"
#include "src/engine_filters/rocksdb_hash.h"
#include "src/rocksdb/filter_bits_abi.h"
#include "tests/guarded_bytes.h"

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

struct Kind {
  const char* name;
  const char* policy;  // an option string
  int format_version;
  Layout layout;  // of more than a few keys
};

constexpr Kind kKinds[] = {
    {"bloom1", "bloomfilter:1.5", 5, Layout::kRocksDBBloom},
    {"bloom6", "bloomfilter:6.3", 5, Layout::kRocksDBBloom},
    {"bloom10", "bloomfilter:10", 5, Layout::kRocksDBBloom},
    {"bloom25", "bloomfilter:25", 5, Layout::kRocksDBBloom},
    {"bloom60", "bloomfilter:60", 5, Layout::kRocksDBBloom},
    {"ribbon1", "ribbonfilter:1.5:-1", 5, Layout::kRocksDBRibbon},
    {"ribbon10", "ribbonfilter:10:-1", 5, Layout::kRocksDBRibbon},
    {"ribbon20", "ribbonfilter:20:-1", 5, Layout::kRocksDBRibbon},
    {"ribbon60", "ribbonfilter:60:-1", 5, Layout::kRocksDBRibbon},
    {"legacy1", "bloomfilter:1", 4, Layout::kRocksDBLegacy},
    {"legacy10", "bloomfilter:10", 4, Layout::kRocksDBLegacy},
    {"legacy40", "bloomfilter:40", 4, Layout::kRocksDBLegacy},
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// As RocksDB builds the filter of a table of the last level.
std::string Build(const Kind& kind, const std::vector<std::string>& keys, size_t num_keys) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = static_cast<uint32_t>(kind.format_version);
  rocksdb::FilterBuildingContext context(table);
  const auto policy = Policy(kind.policy);
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  for (size_t i = 0; i < num_keys; ++i) builder->AddKey(keys[i]);
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

// Random bytes. Every fourth key is long.
std::vector<std::string> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) {
    keys[i].resize(i % 4 == 0 ? i % 301 : 8 + i % 12);
    for (char& c : keys[i]) c = static_cast<char>(random());
  }
  return keys;
}

class EngineFiltersRocksDBTest : public testing::TestWithParam<Kind> {
 protected:
  // Bytes in front of an inaccessible page: no query of ours reads past the end. RocksDB's reader
  // gets them with what it may read past the end of damaged ones.
  void ExpectSameAnswers(const std::string& bytes, const std::vector<std::string>& keys) {
    const EngineFilter filter =
        EngineFilter::Open(Container::kRocksDB, kName, guarded_.AtEnd(bytes));
    const std::string with_spare = bytes + std::string(64, '\0');
    const std::unique_ptr<FilterBitsReader> reader(
        policy_->GetFilterBitsReader(Slice(with_spare.data(), bytes.size())));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const std::unique_ptr<bool[]> batch(new bool[keys.size()]);
    const size_t matches = filter.MayMatch(keys.size(), views.data(), batch.get());
    size_t expected_matches = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool expected = reader->MayMatch(keys[i]);
      expected_matches += expected ? 1 : 0;
      ASSERT_EQ(filter.MayMatch(views[i]), expected) << i << " " << LayoutName(filter.layout());
      ASSERT_EQ(batch[i], expected) << i << " " << LayoutName(filter.layout());
    }
    EXPECT_EQ(matches, expected_matches);
  }

  const std::shared_ptr<const rocksdb::FilterPolicy> policy_ = Policy(kName);
  tests::GuardedBytes guarded_{8 << 20};
};

INSTANTIATE_TEST_SUITE_P(Kinds, EngineFiltersRocksDBTest, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

TEST(RocksDBHashTest, EqualsThatOfRocksDBAtEveryLength) {
  std::mt19937_64 random(301);
  std::string bytes(1300, '\0');
  for (int round = 0; round < 4; ++round) {
    for (char& c : bytes) c = static_cast<char>(round == 0 ? 0xFF : random());
    for (size_t n = 0; n <= 1290; ++n) {
      const std::string_view key(bytes.data() + n % 8, n);  // at any alignment
      ASSERT_EQ(RocksDBHash64(key), ROCKSDB_NAMESPACE::Hash64(key.data(), n)) << n;
      ASSERT_EQ(RocksDBHash32(key), ROCKSDB_NAMESPACE::Hash(key.data(), n, 0xbc9f1d34)) << n;
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
      ASSERT_EQ(filter.layout(), GetParam().layout);
    }
    ASSERT_TRUE(filter.CanQuery());
    std::vector<std::string> keys(stored.begin(), stored.begin() + static_cast<ptrdiff_t>(n));
    for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
    keys.insert(keys.end(), others.begin(), others.end());
    ExpectSameAnswers(bytes, keys);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace bloomline::engine_filters
