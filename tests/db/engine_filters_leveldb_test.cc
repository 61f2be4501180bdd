// Filters in LevelDB's filter blocks, built by LevelDB and by bloomline: the answer to every key is
// that of the policy that reads them, whatever the bytes are.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "tests/db/engine_filter_checks.h"
#include "tests/support/case_folding.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::engine_filters {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

std::string Build(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string bytes;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &bytes);
  return bytes;
}

struct Filter {
  const char* name;
  bool by_leveldb;
  Format format;
  double bits_per_key;
};
void PrintTo(const Filter& filter, std::ostream* out) { *out << filter.name; }

constexpr Filter kFilters[] = {
    {"leveldb1", true, Format::kClassic, 1},    {"leveldb10", true, Format::kClassic, 10},
    {"leveldb16", true, Format::kClassic, 16},  {"leveldb50", true, Format::kClassic, 50},
    {"classic", false, Format::kClassic, 12.5}, {"blocked6", false, Format::kBlocked, 6},
    {"blocked10", false, Format::kBlocked, 10}, {"compact4", false, Format::kCompact, 4},
    {"compact10", false, Format::kCompact, 10}, {"compact16", false, Format::kCompact, 16},
};

Policy PolicyOf(const Filter& filter) {
  if (filter.by_leveldb) {
    return Policy(leveldb::NewBloomFilterPolicy(static_cast<int>(filter.bits_per_key)));
  }
  FilterOptions options;
  options.format = filter.format;
  options.bits_per_key = filter.bits_per_key;
  return Policy(NewLevelDBFilterPolicy(options));
}

class EngineFiltersLevelDBTest : public testing::TestWithParam<Filter> {
 protected:
  // A filter is queried as bloomline's policy does; LevelDB's policy gives the same for its codes.
  void ExpectSameAnswers(const std::string& bytes, const std::vector<std::string>& keys) {
    const EngineFilter filter =
        EngineFilter::Open(Container::kLevelDB, kLevelDBBuiltinName, guarded_.AtEnd(bytes));
    if (bytes.size() == 1) {  // LevelDB takes it for a filter of no keys, bloomline for damage
      ASSERT_EQ(filter.kind(), Kind::kNoKeys);
      ASSERT_FALSE(leveldb_->KeyMayMatch(keys[0], bytes));
      return;
    }
    const bool is_leveldb = bytes.empty() || static_cast<unsigned char>(bytes.back()) <= 30;
    ExpectAnswers(filter, keys, [&](std::string_view key) {
      const leveldb::Slice slice(key.data(), key.size());
      const bool answer = bloomline_->KeyMayMatch(slice, bytes);
      EXPECT_TRUE(!is_leveldb || leveldb_->KeyMayMatch(slice, bytes) == answer);
      return answer;
    });
  }

  const Policy leveldb_{leveldb::NewBloomFilterPolicy(10)};
  const Policy bloomline_{NewLevelDBFilterPolicy(FilterOptions())};
  tests::GuardedBytes guarded_{1 << 20};
};

INSTANTIATE_TEST_SUITE_P(Filters, EngineFiltersLevelDBTest, testing::ValuesIn(kFilters),
                         [](const auto& info) { return info.param.name; });

TEST_P(EngineFiltersLevelDBTest, AnswersAsThePolicyDoes) {
  const std::vector<std::string> stored = RandomKeys(3000, 1);
  const std::vector<std::string> others = RandomKeys(200, 2);
  const Policy policy = PolicyOf(GetParam());
  for (size_t n = 0; n <= 3000; n += n < 70 ? 1 : n / 9) {
    SCOPED_TRACE(n);
    std::vector<std::string> keys = FirstOf(stored, n);
    const std::string bytes = Build(*policy, keys);
    const EngineFilter filter = EngineFilter::Open(Container::kLevelDB, kLevelDBBuiltinName, bytes);
    ASSERT_TRUE(filter.CanQuery());
    ASSERT_EQ(filter.kind() == Kind::kClassic,
              GetParam().format == Format::kClassic && (n > 0 || !bytes.empty()));
    for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
    keys.insert(keys.end(), others.begin(), others.end());
    ExpectSameAnswers(bytes, keys);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EngineFiltersLevelDBTest, AnswersAsThePolicyDoesWhenDamaged) {
  const std::vector<std::string> keys = RandomKeys(40, 3);
  const Policy policy = PolicyOf(GetParam());
  for (const size_t n : {1, 20, 40}) {
    SCOPED_TRACE(n);
    ForEachDamage(Build(*policy, FirstOf(keys, n)), 3,
                  [&](const std::string& damaged) { ExpectSameAnswers(damaged, keys); });
    if (HasFatalFailure()) return;
  }
}

TEST_P(EngineFiltersLevelDBTest, HasTheRateThatIsExpected) {
  if (GetParam().format == Format::kClassic) return;  // its probes are not independent
  const Policy policy = PolicyOf(GetParam());
  const bool compact = GetParam().format == Format::kCompact;
  for (const size_t n : {17, 60, 2000}) {
    SCOPED_TRACE(n);
    const std::string bytes = Build(*policy, RandomKeys(n, 8));
    const EngineFilter some = EngineFilter::Open(Container::kLevelDB, kLevelDBBuiltinName, bytes);
    if (some.ExpectedRate(n) < 4e-3) continue;  // takes too many queries
    ExpectRates({Container::kLevelDB, kLevelDBBuiltinName, n, compact ? 0.05 : 0.03},
                [&](const std::vector<std::string>& keys) { return Build(*policy, keys); });
  }
}

// ---- Names

Policy PolicyWith(uint64_t seed, const char* name) {
  FilterOptions options;
  options.seed = seed;
  std::string error;
  Policy policy(NewLevelDBFilterPolicy(options, name, &error));
  EXPECT_NE(policy, nullptr) << error;
  return policy;
}

TEST(EngineFiltersLevelDBNamesTest, ASeedOrACanonicalizerInTheNameMatchesEveryKey) {
  const std::vector<std::string> keys = RandomKeys(36, 9);
  const std::string missing = "missing";
  const Policy seeded = PolicyWith(7, "app.Filter");
  const std::string bytes = Build(*seeded, keys);
  const EngineFilter with_seed = EngineFilter::Open(Container::kLevelDB, seeded->Name(), bytes);
  EXPECT_EQ(with_seed.kind(), KindOf(filter::Layout::kFlat));
  EXPECT_FALSE(with_seed.CanQuery());
  EXPECT_NE(with_seed.why().find("seed"), std::string::npos);
  for (const std::string& key : RandomKeys(200, 10)) EXPECT_TRUE(with_seed.MayMatch(key));

  for (const uint64_t seed : {0, 7}) {
    const Policy folding(NewCanonicalLevelDBFilterPolicy(PolicyWith(seed, "app.bloomline"),
                                                         std::make_shared<tests::CaseFolding>()));
    const std::string folded = Build(*folding, keys);
    const EngineFilter with_canonicalizer =
        EngineFilter::Open(Container::kLevelDB, folding->Name(), folded);
    EXPECT_EQ(with_canonicalizer.kind(), Kind::kUnknown);
    EXPECT_FALSE(with_canonicalizer.CanQuery());
    EXPECT_TRUE(with_canonicalizer.MayMatch(missing));
  }
}

TEST(EngineFiltersLevelDBNamesTest, ANameOfTheUsersOwnIsKnownIfItSaysBloomline) {
  const std::vector<std::string> keys = RandomKeys(36, 11);
  const std::string bytes = Build(*PolicyWith(0, "app.bloomline"), keys);
  for (const char* name : {"app.bloomline", "bloomline", "", kLevelDBBuiltinName}) {
    const EngineFilter filter = EngineFilter::Open(Container::kLevelDB, name, bytes);
    EXPECT_EQ(filter.kind(), KindOf(filter::Layout::kFlat)) << name;
    for (const std::string& key : keys) EXPECT_TRUE(filter.MayMatch(key)) << name;
    EXPECT_FALSE(filter.MayMatch("missing")) << name;
  }
  for (const char* name :
       {"app.Filter", "leveldb.BuiltinBloomFilter3", "app.seed-0123456789abcdef0123456789abcdeg"}) {
    const EngineFilter filter = EngineFilter::Open(Container::kLevelDB, name, bytes);
    EXPECT_EQ(filter.kind(), Kind::kUnknown) << name;
    EXPECT_EQ(filter.why(), "the filter policy " + std::string(name) + " is not known");
    EXPECT_TRUE(filter.MayMatch("missing")) << name;
  }
}

// ---- LevelDB's filters before 1.18. They have RocksDB's hash (its equality with RocksDB's is
// tested in engine_filters_rocksdb_test.cc).

std::string BuildWith(uint32_t (*hash)(std::string_view), const std::vector<std::string>& keys) {
  constexpr int kProbes = 6;
  std::string bytes(std::max<size_t>(8, keys.size() * 10 / 8), '\0');
  for (const std::string& key : keys) {
    kernels::LevelDBBloomInsert(bytes.data(), 8 * bytes.size(), kProbes, hash(key));
  }
  return bytes + static_cast<char>(kProbes);
}

TEST(EngineFiltersLevelDBNamesTest, TheOldNameMatchesWithEitherHash) {
  const std::vector<std::string> keys = RandomKeys(36, 13);
  size_t different = 0;
  for (const std::string& key : keys) {
    different += filter::LevelDBHash32(key) != filter::RocksDBHash32(key) ? 1 : 0;
  }
  ASSERT_GT(different, 5u);
  for (const auto hash : {filter::LevelDBHash32, filter::RocksDBHash32}) {
    const std::string bytes = BuildWith(hash, keys);
    const EngineFilter filter =
        EngineFilter::Open(Container::kLevelDB, "leveldb.BuiltinBloomFilter", bytes);
    for (const std::string& key : keys) EXPECT_TRUE(filter.MayMatch(key));
    const auto matches = [&](std::string_view key) {
      const auto with = [&](uint32_t h) {
        return kernels::LevelDBBloomMayMatch(bytes.data(), 8 * (bytes.size() - 1), 6, h);
      };
      return with(filter::LevelDBHash32(key)) || with(filter::RocksDBHash32(key));
    };
    ExpectAnswers(filter, RandomKeys(1000, 14), matches);
  }
}

}  // namespace
}  // namespace bloomline::engine_filters
