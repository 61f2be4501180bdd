// The LevelDB policy compared with LevelDB's own, without a database.
#include <gtest/gtest.h>
#include <leveldb/slice.h>

#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "tests/support/key_shapes.h"
#include "tests/support/leveldb_filter.h"

namespace bloomline::tests::leveldb_policy_test {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

Policy Seeded(Format format, uint64_t seed, const std::string& name = "app.Filter") {
  return Policy(NewLevelDBFilterPolicy({format, 10, seed}, name));
}

Policy Plain(Format format, double bits_per_key) {
  return Policy(NewLevelDBFilterPolicy({format, bits_per_key}));
}

Policy Blocked(double bits_per_key) { return Plain(Format::kBlocked, bits_per_key); }

std::string Filter(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  return filter;
}

std::vector<std::string> RandomKeys(size_t n, std::mt19937_64& random) {
  std::vector<std::string> keys(n);
  for (std::string& key : keys) {
    key.resize(random() % 40);
    for (char& byte : key) byte = static_cast<char>(random() & 0xFF);
  }
  return keys;
}

// Both policies make the same bytes, and each reads the other's filters.
void ExpectTwins(int bits_per_key, const std::vector<std::string>& keys) {
  const Policy stock(leveldb::NewBloomFilterPolicy(bits_per_key));
  const Policy ours = Plain(Format::kClassic, bits_per_key);
  const std::string filter = Filter(*stock, keys);
  ASSERT_EQ(filter, Filter(*ours, keys)) << bits_per_key << " bits, " << keys.size() << " keys";
  for (const std::string& key : keys) {
    ASSERT_TRUE(ours->KeyMayMatch(key, filter));
    ASSERT_TRUE(stock->KeyMayMatch(key, filter));
  }
  for (int i = 0; i < 20; ++i) {
    const std::string key = "absent" + std::to_string(i);
    ASSERT_EQ(stock->KeyMayMatch(key, filter), ours->KeyMayMatch(key, filter));
  }
}

TEST(LevelDBPolicyTest, ClassicIsLevelDBsFilterByteForByte) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; ++round) {
    ExpectTwins(1 + static_cast<int>(random() % 60), RandomKeys(random() % 100, random));
  }
  ExpectTwins(10, std::vector<std::string>(50, "same"));
  ExpectTwins(10, RandomKeys(100000, random));
}

TEST(LevelDBPolicyTest, NeverLosesAKeyAtAnySize) {
  for (const double bits_per_key : {1.0, 9.9, 10.0, 100.0}) {
    const Policy policy = Blocked(bits_per_key);
    for (const KeyShape shape : kAllKeyShapes) {
      KeyMaker key(shape);
      for (const uint64_t n : {1, 2, 3, 36, 499, 500, 501, 502, 999, 3000}) {
        std::vector<std::string> keys;
        for (uint64_t i = 0; i < n; ++i) keys.emplace_back(key(i));
        const std::string filter = Filter(*policy, keys);
        ASSERT_GE(filter.size(), 2u);
        for (const std::string& k : keys) ASSERT_TRUE(policy->KeyMayMatch(k, filter)) << n;
      }
    }
  }
}

// docs/format.md: each layout has a code, and a code limits the number of blocks.
TEST(LevelDBPolicyTest, TheLayoutChangesWithTheNumberOfKeys) {
  const auto filter_of = [](const Policy& policy, uint64_t n) {
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < n; ++i) keys.push_back(std::to_string(i));
    return filter::DecodeLevelDB(Filter(*policy, keys)).layout;
  };
  const Policy blocked = Blocked(10);
  EXPECT_EQ(filter_of(blocked, filter::kMaxFlatKeys), filter::Layout::kFlat);
  EXPECT_EQ(filter_of(blocked, filter::kMaxFlatKeys + 1), filter::Layout::kBlocked);
  const Policy compact = Plain(Format::kCompact, 10);
  constexpr uint64_t kMaxKeys = 40 * filter::kMaxSmallSetBlocks;
  EXPECT_EQ(filter_of(compact, kMaxKeys), filter::Layout::kSmallSet);
  EXPECT_EQ(filter_of(compact, kMaxKeys + 1), filter::Layout::kBlocked);
}

TEST(LevelDBPolicyTest, AppendsToTheStringAndDropsAdjacentDuplicates) {
  const Policy policy = Blocked(10);
  const leveldb::Slice keys[] = {"a", "a", "a", "b"};
  std::string dst = "before";
  policy->CreateFilter(keys, 4, &dst);
  EXPECT_EQ(dst, "before" + Filter(*policy, {"a", "b"}));
}

TEST(SeededLevelDBPolicyTest, NamesAreThoseOfTheFormat) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/leveldb_names.txt");
  int num_names = 0;
  for (std::string name, stored; file >> name; ++num_names) {
    uint64_t seed = 0;
    file >> seed >> stored;
    for (const Format format : {Format::kBlocked, Format::kCompact}) {
      const Policy policy = Seeded(format, seed, name);
      ASSERT_NE(policy, nullptr);
      EXPECT_EQ(policy->Name(), stored);
    }
  }
  EXPECT_GE(num_names, 5);
}

TEST(SeededLevelDBPolicyTest, FiltersDependOnTheSeedAndMatchTheirKeys) {
  std::mt19937_64 random(8);
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const Policy plain = Seeded(format, 0), one = Seeded(format, 1), two = Seeded(format, 2);
    for (const size_t n : {1, 36, 60, 500, 3000}) {
      const std::vector<std::string> keys = RandomKeys(n, random);
      const std::string filter = Filter(*one, keys);
      EXPECT_NE(filter, Filter(*two, keys));
      EXPECT_NE(filter, Filter(*plain, keys));
      for (const std::string& key : keys) ASSERT_TRUE(one->KeyMayMatch(key, filter));
      if (format == Format::kCompact && n == 1) continue;  // the policy takes a flat filter
      EXPECT_EQ(filter, LevelDBFilter({format, 10, /*seed=*/1}, {keys.begin(), keys.end()}));
    }
  }
}

TEST(LevelDBPolicyTest, WrongOptionsAndNamesAreRefused) {
  const auto expect_refused = [](const FilterOptions& options, const std::string& name,
                                 const std::string& why) {
    std::string error;
    const Policy policy(NewLevelDBFilterPolicy(options, name, &error));
    EXPECT_EQ(policy, nullptr) << "stored as " << policy->Name();
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  for (const double bits_per_key : {std::numeric_limits<double>::quiet_NaN(), -1.0, 0.0, 1e9,
                                    1073741824.0 /* a total: wbolster/plyvel#144 */}) {
    expect_refused({Format::kBlocked, bits_per_key}, kLevelDBBuiltinName, "1 to 100");
  }
  expect_refused(FilterOptions(), "", "name is empty");
  const FilterOptions seeded{Format::kBlocked, 10, /*seed=*/7};
  expect_refused(seeded, kLevelDBBuiltinName,
                 "seed is 7 and name is leveldb.BuiltinBloomFilter2, LevelDB's own; allowed: a "
                 "name of your own, or seed 0");
  testing::internal::CaptureStderr();
  EXPECT_EQ(NewLevelDBFilterPolicy(seeded), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("seed is 7"), std::string::npos);
  expect_refused({Format::kClassic, 10, /*seed=*/7}, "app.Filter",
                 "format is classic, whose hash takes no seed");
  expect_refused({Format::kBlocked, 10, 0, /*random_seed=*/true}, "app.Filter",
                 "random_seed is set; LevelDB's filters have no room");
  // The name of a seeded policy, given without its seed, would read its filters with another hash.
  const std::string stored = Seeded(Format::kBlocked, 1)->Name();
  expect_refused(FilterOptions(), stored, "ends like the name of a policy with a seed");
  // Names that only look similar are the user's own.
  for (const std::string& name : {stored + "0", stored.substr(0, stored.size() - 1),
                                  stored.substr(0, stored.size() - 1) + "G"}) {
    EXPECT_STREQ(Seeded(Format::kBlocked, 0, name)->Name(), name.c_str());
  }
  // LevelDB reads Name() up to the first zero byte. Names that differ only behind it, by the check
  // of a seed, would be the same to LevelDB.
  const std::string zero(1, '\0');
  for (const FilterOptions& options : {FilterOptions(), seeded}) {
    for (const std::string& name :
         {"app" + zero + "Filter", kLevelDBBuiltinName + zero, zero + "app", "app.Filter" + zero}) {
      expect_refused(options, name, "has a zero byte at offset " + std::to_string(name.find('\0')));
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::leveldb_policy_test
