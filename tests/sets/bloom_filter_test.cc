// Bloom filters in memory: no operation causes a false negative, and their statistics are right.
#include "bloomline/bloom_filter.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/cpu.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/sets/bloom_shape.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/bloom_theory.h"
#include "tests/support/each_kernel.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests::bloom_filter_test {
namespace {

std::unique_ptr<BloomFilter> New(const BloomFilterOptions& options) {
  std::string error;
  std::unique_ptr<BloomFilter> filter = BloomFilter::Create(options, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

class BloomFilterTest : public testing::TestWithParam<BloomLayout> {};

TEST_P(BloomFilterTest, NeverLosesAKey) {
  for (const KeyShape shape : kAllKeyShapes) {
    for (const double rate : {0.5, 0.01, 1e-5}) {
      for (const uint64_t n : {1, 2, 33, 5000}) {
        KeyMaker key(shape);
        const auto filter = New(ForCapacity(GetParam(), n, rate));
        for (uint64_t i = 0; i < n; ++i) filter->AddKey(key(i));
        for (uint64_t i = 0; i < n; ++i) ASSERT_TRUE(filter->MayMatch(key(i))) << Name(shape);
      }
    }
  }
}

TEST_P(BloomFilterTest, KeepsKeysOfAnyLengthWithAnyNumberOfProbes) {
  const std::vector<std::string> keys = {"", std::string(1, '\0'), "a", std::string(1 << 20, 'x')};
  for (int k = kMinProbes; k <= kMaxProbes; ++k) {
    const auto filter = New(ForBits(GetParam(), 1, k));
    EXPECT_EQ(filter->num_bits(), 512u);
    EXPECT_EQ(filter->num_probes(), k);
    for (const std::string& key : keys) EXPECT_FALSE(filter->MayMatch(key));
    for (const std::string& key : keys) filter->AddKey(key);
    for (const std::string& key : keys) EXPECT_TRUE(filter->MayMatch(key));
  }
}

// Random operations, compared with an exact set.
TEST_P(BloomFilterTest, AgreesWithASetUnderRandomOperations) {
  std::mt19937_64 random(51);
  for (int round = 0; round < 10; ++round) {
    const BloomFilterOptions options = ForCapacity(GetParam(), 2000, 0.01);
    auto filter = New(options);
    std::set<std::string> truth;
    uint64_t false_positives = 0;
    uint64_t asked = 0;
    const auto random_key = [&] { return std::to_string(random() % 4000); };
    for (int step = 0; step < 3000; ++step) {
      switch (random() % 1000) {
        case 0: {
          filter->Clear();
          truth.clear();
          break;
        }
        case 1: {
          const auto other = New(options);
          for (int i = 0; i < 100; ++i) {
            const std::string key = random_key();
            other->AddKey(key);
            truth.insert(key);
          }
          ASSERT_TRUE(filter->Merge(*other, nullptr) && filter->Merge(*filter, nullptr));
          EXPECT_NEAR(static_cast<double>(filter->num_keys()), static_cast<double>(truth.size()),
                      100);
          break;
        }
        case 2: {
          const auto copy = BloomFilter::Copy(*filter, nullptr);
          ASSERT_NE(copy, nullptr);
          ASSERT_TRUE(*copy == *filter);
          ASSERT_EQ(copy->num_keys(), filter->num_keys());
          copy->AddKey("only in the copy");
          filter = BloomFilter::Copy(*filter, nullptr);
          break;
        }
        default: {
          const std::string key = random_key();
          const bool is_in = truth.count(key) != 0;
          const bool may_match = filter->MayMatch(key);
          ASSERT_TRUE(!is_in || may_match) << key;
          if (random() % 2 == 0) {
            ASSERT_EQ(filter->AddKey(key), !may_match) << key;
            truth.insert(key);
          } else if (!is_in) {
            ++asked;
            false_positives += may_match ? 1 : 0;
          }
        }
      }
    }
    for (const std::string& key : truth) ASSERT_TRUE(filter->MayMatch(key));
    EXPECT_LT(static_cast<double>(false_positives), 0.02 * static_cast<double>(asked) + 10);
  }
}

TEST_P(BloomFilterTest, HashesMatchTheirKeys) {
  BloomFilterOptions options = ForCapacity(GetParam(), 1000, 0.01);
  options.seed = 7;
  const auto by_key = New(options);
  const auto by_hash = New(options);
  std::vector<uint64_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = std::to_string(i);
    hashes.push_back(by_key->HashOf(key));
    ASSERT_EQ(by_key->AddKey(key), by_hash->AddHash(hashes.back()));
  }
  EXPECT_TRUE(*by_key == *by_hash);
  const auto by_hashes = New(options);
  EXPECT_EQ(by_hashes->AddHashes(hashes.size(), hashes.data()), by_key->num_keys());
  EXPECT_TRUE(*by_key == *by_hashes);
  bool may_match[1000];
  by_key->MayMatchHashes(hashes.size(), hashes.data(), may_match);
  for (const bool found : may_match) ASSERT_TRUE(found);
  EXPECT_TRUE(by_key->MayMatchHash(hashes[5]));
}

// The larger filters are prefetched, and their keys' blocks are kept until they are queried.
TEST_P(BloomFilterTest, AnswersBatchesAsSingleQueries) {
  constexpr size_t kKeys = 3000;
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) keys.push_back("key " + std::to_string(i * i));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  WithEachKernel([&] {
    for (const uint64_t num_bits : {uint64_t{1} << 15, 2 * 8 * kernels::kCachedBytes}) {
      for (const int num_probes : {1, 6, 8, 9, 30}) {
        const auto filter = New(ForBits(GetParam(), num_bits, num_probes));
        for (size_t i = 0; i < kKeys; i += 2) filter->AddKey(keys[i]);
        std::vector<uint64_t> hashes;
        for (const std::string& key : keys) hashes.push_back(filter->HashOf(key));
        for (const size_t n : {0, 1, 31, 32, 33, 64, 65, 97, 1000}) {
          const size_t first = 5 * n % (kKeys - n);
          bool by_key[1000];
          filter->MayMatch(n, views.data() + first, by_key);
          bool by_hash[1000];
          filter->MayMatchHashes(n, hashes.data() + first, by_hash);
          for (size_t i = 0; i < n; ++i) {
            const bool expected = filter->MayMatch(views[first + i]);
            ASSERT_EQ(by_key[i], expected) << ActiveKernelName() << ", " << n << " keys, key " << i;
            ASSERT_EQ(by_hash[i], expected) << ActiveKernelName() << ", " << n << " keys, " << i;
          }
        }
      }
    }
  });
}

// Disjoint sets share bits by chance. Estimated from the bits of the intersection alone, a million
// keys on each side left 380,434.
TEST_P(BloomFilterTest, NumKeysOfAnIntersectionCountsSharedKeys) {
  constexpr uint64_t kKeys = 100000;
  const BloomFilterOptions options = ForCapacity(GetParam(), kKeys, 0.01);
  for (const uint64_t shared : {uint64_t{0}, kKeys / 100, kKeys / 2, kKeys}) {
    const auto left = New(options);
    const auto right = New(options);
    for (uint64_t i = 0; i < kKeys; ++i) {
      left->AddKey(std::to_string(i));
      right->AddKey(std::to_string(i + kKeys - shared));
    }
    ASSERT_TRUE(left->Intersect(*right, nullptr));
    const double both = static_cast<double>(2 * kKeys - shared);
    // Five standard errors, which are relative to the keys of both filters together.
    const double bound = 5 * 2 / std::sqrt(static_cast<double>(left->num_bits()));
    EXPECT_NEAR(static_cast<double>(left->num_keys()), static_cast<double>(shared), bound * both);
    if (shared != kKeys) {
      EXPECT_FALSE(left->IsPastCapacity());
    }
    // The bits alone do not tell shared keys from shared bits: never too low.
    EXPECT_GE(static_cast<double>(left->EstimatedNumKeys()),
              static_cast<double>(shared) * (1 - bound));
  }
}

TEST_P(BloomFilterTest, DifferentShapesAreRefusedWithBothValues) {
  const BloomFilterOptions options = ForBits(GetParam(), 5120, 7);
  const auto filter = New(options);
  filter->AddKey("key");
  const auto before = BloomFilter::Copy(*filter, nullptr);
  const auto expect_refused = [&](const BloomFilterOptions& other_options,
                                  const std::vector<std::string>& parts) {
    const auto other = New(other_options);
    other->AddKey("other");
    for (const bool merge : {true, false}) {
      std::string error;
      EXPECT_FALSE(merge ? filter->Merge(*other, &error) : filter->Intersect(*other, &error));
      for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error;
      EXPECT_FALSE(filter->Merge(*other, nullptr));
    }
    EXPECT_TRUE(*filter != *other);
    EXPECT_TRUE(*filter == *before);
  };
  BloomFilterOptions other = options;
  other.num_bits = 10240;
  expect_refused(other, {"num_bits", "5120", "10240"});
  other = options;
  other.num_probes = 8;
  expect_refused(other, {"num_probes", "7", "8"});
  other = options;
  other.seed = 99;
  expect_refused(other, {"seed", "0", "99"});
  other = options;
  other.layout =
      GetParam() == BloomLayout::kBlocked ? BloomLayout::kStandard : BloomLayout::kBlocked;
  std::string names[] = {Name(GetParam()), Name(other.layout)};
  for (std::string& name : names) name[0] = static_cast<char>(std::tolower(name[0]));
  expect_refused(other, {"layout is " + names[0] + " in this", " and " + names[1] + " in the"});
}

TEST_P(BloomFilterTest, ClearRemovesAllKeysAtEverySize) {
  for (const uint64_t num_bits : {uint64_t{512}, uint64_t{1} << 20, uint64_t{1} << 26}) {
    const auto filter = New(ForBits(GetParam(), num_bits, 5));
    for (int i = 0; i < 100; ++i) filter->AddKey(std::to_string(i));
    filter->Clear();
    EXPECT_EQ(filter->num_keys(), 0u);
    EXPECT_EQ(filter->EstimatedNumKeys(), 0u);
    EXPECT_EQ(filter->EstimatedFalsePositiveRate(), 0);
    EXPECT_TRUE(*filter == *New(ForBits(GetParam(), num_bits, 5)));
    EXPECT_TRUE(filter->AddKey("key"));
  }
}

TEST_P(BloomFilterTest, EstimatesAreWithinTheirBound) {
  for (const uint64_t capacity : {100, 1000, 30000, 300000}) {
    const BloomFilterOptions options = ForCapacity(GetParam(), capacity, 0.01);
    const auto filter = New(options);
    sets::BloomShape shape;
    ASSERT_TRUE(sets::ShapeOf(options, &shape).empty());
    uint64_t n = 0;
    for (const double fill : {0.01, 0.1, 0.5, 1.0, 1.5}) {
      const auto target = static_cast<uint64_t>(fill * static_cast<double>(capacity));
      if (target == 0) continue;
      for (; n < target; ++n) filter->AddKey("key" + std::to_string(n));
      const double keys = static_cast<double>(n);
      // Five standard errors, and half a key for rounding.
      const double bound = 5 * 2 / std::sqrt(static_cast<double>(filter->num_bits()));
      EXPECT_NEAR(static_cast<double>(filter->EstimatedNumKeys()), keys, keys * bound + 0.5)
          << "capacity " << capacity;
      // In a nearly empty blocked filter the rate depends on few blocks and varies.
      if (fill < 0.5) continue;
      const double theory = TheoreticalRate(shape, n);
      // The rate is about the k-th power of the fill.
      EXPECT_NEAR(filter->EstimatedFalsePositiveRate() / theory, 1,
                  3 * filter->num_probes() * bound)
          << "capacity " << capacity << ", fill " << fill;
    }
  }
}

TEST_P(BloomFilterTest, FullFilterHasFiniteEstimates) {
  const auto filter = New(ForBits(GetParam(), 512, 30));
  for (int i = 0; i < 10000; ++i) filter->AddKey(std::to_string(i));
  EXPECT_EQ(filter->EstimatedFalsePositiveRate(), 1);
  EXPECT_GT(filter->EstimatedNumKeys(), 50u);
  EXPECT_LT(filter->EstimatedNumKeys(), 1000u);
  EXPECT_TRUE(filter->MayMatch("anything"));
}

TEST_P(BloomFilterTest, ReportsWhenItIsPastCapacity) {
  const auto filter = New(ForCapacity(GetParam(), 1000, 0.001));
  EXPECT_EQ(filter->capacity(), 1000u);
  for (int i = 0; filter->num_keys() < 1000; ++i) {
    filter->AddKey(std::to_string(i));
    filter->AddKey(std::to_string(i));  // again: not counted
    ASSERT_FALSE(filter->IsPastCapacity());
    ASSERT_LT(i, 1010);
  }
  for (int i = 0; i < 50; ++i) filter->AddKey("more" + std::to_string(i));
  EXPECT_TRUE(filter->IsPastCapacity());
  const auto unstated = New(ForBits(GetParam(), 512, 5));
  for (int i = 0; i < 10000; ++i) unstated->AddKey(std::to_string(i));
  EXPECT_FALSE(unstated->IsPastCapacity());
}

INSTANTIATE_TEST_SUITE_P(Layouts, BloomFilterTest, testing::ValuesIn(kAllBloomLayouts),
                         [](const auto& info) { return Name(info.param); });

TEST(BloomFilterOptionsTest, ImpossibleSizeIsAnError) {
  std::string error;
  EXPECT_EQ(BloomFilter::Create(ForBits(BloomLayout::kBlocked, kMaxBloomBits, 5), &error), nullptr);
  EXPECT_NE(error.find("140737488355328 bytes"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline::tests::bloom_filter_test
