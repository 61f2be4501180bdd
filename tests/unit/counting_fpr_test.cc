// False-positive rates of counting filters within 3 % of theory.
//
// Budget: each case queries until theory expects 20000 false positives, so that chance moves a
// result by 0.7 %. Keys are fixed: a case passes always or never.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter_theory.h"
#include "tests/support/key_shapes.h"

namespace bloomline {
namespace {

using tests::KeyMaker;
using tests::KeyShape;

constexpr double kExpected = 20000;
constexpr uint64_t kKeys = 500000;
constexpr size_t kBatch = 1000;

// The rate of the keys first, first + 2, ... up to `end`.
template <typename F>
void ForHashBatches(KeyMaker& key, const CountingBloomFilter& filter, uint64_t first, uint64_t end,
                    F f) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = first; i < end; i += 2) {
    hashes.push_back(filter.HashOf(key(i)));
    if (hashes.size() == kBatch || i + 2 >= end) {
      f(hashes);
      hashes.clear();
    }
  }
}

double MeasuredRate(KeyMaker& key, const CountingBloomFilter& filter, double expected_rate) {
  const auto queries = static_cast<uint64_t>(kExpected / expected_rate);
  uint64_t matches = 0;
  bool answers[kBatch];
  ForHashBatches(key, filter, 1, 2 * queries, [&](const std::vector<uint64_t>& hashes) {
    filter.MayMatchHashes(hashes.size(), hashes.data(), answers);
    for (size_t i = 0; i < hashes.size(); ++i) matches += answers[i] ? 1 : 0;
  });
  return static_cast<double>(matches) / static_cast<double>(queries);
}

class CountingFprTest : public testing::TestWithParam<int> {};

TEST_P(CountingFprTest, RateIsWithinThreePercentOfTheory) {
  for (const KeyShape shape : {KeyShape::kBigEndian64, KeyShape::kPath}) {
    for (const double asked : {0.1, 0.01, 0.001}) {
      KeyMaker key(shape);
      CountingBloomFilterOptions options;
      options.capacity = kKeys;
      options.false_positive_rate = asked;
      options.counter_bits = GetParam();
      const auto filter = CountingBloomFilter::Create(options, nullptr);
      ASSERT_NE(filter, nullptr);
      // Twice as many keys, of which half are removed: the rate depends on the remaining ones.
      ForHashBatches(key, *filter, 0, 4 * kKeys, [&](const std::vector<uint64_t>& hashes) {
        filter->AddHashes(hashes.size(), hashes.data());
      });
      ForHashBatches(key, *filter, 2 * kKeys, 4 * kKeys, [&](const std::vector<uint64_t>& hashes) {
        EXPECT_EQ(filter->RemoveHashes(hashes.size(), hashes.data()), hashes.size());
      });
      ASSERT_EQ(filter->num_saturated_counters(), 0u);
      const int per_line = 512 / GetParam();
      const double theory = ExactSmallBlockFalsePositiveRate(
          per_line, kKeys, filter->num_counters() / static_cast<uint64_t>(per_line),
          filter->num_probes());
      const double rate = MeasuredRate(key, *filter, theory);
      std::printf("%d bits, %s: requested %.3f %%, theory %.4f %%, measured %.4f %%, ratio %.4f\n",
                  GetParam(), Name(shape), 100 * asked, 100 * theory, 100 * rate, rate / theory);
      EXPECT_NEAR(rate / theory, 1, 0.03) << asked << " " << Name(shape);
      EXPECT_NEAR(theory / asked, 1, 0.01);
      EXPECT_NEAR(filter->ToBloomFilter(nullptr)->EstimatedFalsePositiveRate() / theory, 1, 0.01);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingFprTest, testing::Values(4, 8),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace bloomline
