// Scalable filters lose no key as they grow, and their rate stays below its bound.
#include "bloomline/scalable_bloom_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/bloom_layouts.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests::scalable_bloom_filter_test {
namespace {

ScalableBloomFilterOptions Options(BloomLayout layout, uint64_t initial_capacity) {
  return {initial_capacity, 0.01, /*growth=*/2, /*tightening=*/0.8, layout};
}

std::unique_ptr<ScalableBloomFilter> New(const ScalableBloomFilterOptions& options) {
  std::string error;
  auto filter = ScalableBloomFilter::Create(options, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

class ScalableBloomFilterTest : public testing::TestWithParam<BloomLayout> {};

TEST_P(ScalableBloomFilterTest, GrowsWithoutLosingKeysOrExceedingItsRate) {
  for (const double tightening : {0.5, 0.8}) {
    for (const int growth : {1, 2, 4}) {
      ScalableBloomFilterOptions options = Options(GetParam(), 1000);
      options.growth = growth;
      options.tightening = tightening;
      const uint64_t n = growth == 1 ? 6000 : 200000;
      const auto filter = New(options);
      KeyMaker key(KeyShape::kDecimal16);
      for (uint64_t i = 0; i < n; ++i) filter->AddKey(key(2 * i));
      for (uint64_t i = 0; i < n; ++i) ASSERT_TRUE(filter->MayMatch(key(2 * i)));
      const size_t expected_stages = growth == 1 ? 6 : growth == 2 ? 8 : 5;
      EXPECT_EQ(filter->num_stages(), expected_stages);
      EXPECT_FALSE(filter->IsPastCapacity());
      for (size_t i = 1; i < filter->num_stages(); ++i) {
        const auto factor = static_cast<uint64_t>(growth);
        EXPECT_EQ(filter->stage(i).capacity(), factor * filter->stage(i - 1).capacity());
        EXPECT_GE(filter->stage(i).num_bits(), factor * filter->stage(i - 1).num_bits());
      }
      EXPECT_LE(filter->num_keys(), n);
      EXPECT_GE(filter->num_keys(), n - n / 100);
      EXPECT_GE(filter->capacity(), filter->num_keys());
      EXPECT_NEAR(static_cast<double>(filter->EstimatedNumKeys()), static_cast<double>(n),
                  0.02 * static_cast<double>(n));
      double matches = 0;
      constexpr double kAsked = 200000;
      for (uint64_t i = 0; i < 200000; ++i) matches += filter->MayMatch(key(2 * i + 1));
      const double rate = matches / kAsked;
      const double chance = 5 * std::sqrt(options.false_positive_rate / kAsked);
      EXPECT_LE(rate, options.false_positive_rate + chance);
      EXPECT_NEAR(rate, filter->EstimatedFalsePositiveRate(), chance);
      EXPECT_LE(filter->EstimatedFalsePositiveRate(), options.false_positive_rate * 1.02);
    }
  }
}

TEST_P(ScalableBloomFilterTest, DuplicatesTakeNoCapacity) {
  const auto filter = New(Options(GetParam(), 100));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(!filter->AddKey(std::to_string(i)) || round == 0);
    }
  }
  EXPECT_EQ(filter->num_stages(), 1u);
}

TEST_P(ScalableBloomFilterTest, ContinuesInTheLastStageIfNoOtherIsPossible) {
  ScalableBloomFilterOptions options = Options(GetParam(), 1);
  options.growth = 1;
  options.tightening = 0.001;  // out of reach after a few stages
  const auto filter = New(options);
  for (int i = 0; i < 1000; ++i) filter->AddKey(std::to_string(i));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(filter->MayMatch(std::to_string(i)));
  EXPECT_TRUE(filter->IsPastCapacity());
  EXPECT_LT(filter->num_stages(), 20u);
  EXPECT_TRUE(filter->stage(filter->num_stages() - 1).IsPastCapacity());
  filter->Clear();
  EXPECT_FALSE(filter->IsPastCapacity());
}

TEST_P(ScalableBloomFilterTest, ClearLeavesOneEmptyStage) {
  const auto filter = New(Options(GetParam(), 10));
  for (int i = 0; i < 1000; ++i) filter->AddKey(std::to_string(i));
  filter->Clear();
  EXPECT_EQ(filter->num_stages(), 1u);
  EXPECT_EQ(filter->num_keys(), 0u);
  EXPECT_EQ(filter->EstimatedFalsePositiveRate(), 0);
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(filter->MayMatch(std::to_string(i)));
  EXPECT_TRUE(filter->AddKey("key"));
}

// The figures of scalable_bloom_filter.h.
TEST(ScalableBloomFilterOptionsTest, TheDefaultsTakeTheDocumentedBits) {
  const auto filter = New(Options(BloomLayout::kBlocked, 1000));
  int n = 0;
  for (const auto& [growth, bits_per_key] : {std::pair(10, 22.7), {100, 21.2}, {1000, 18.9}}) {
    for (; n < 1000 * growth; ++n) filter->AddKey(std::to_string(n));
    EXPECT_NEAR(static_cast<double>(filter->num_bits()) / n, bits_per_key, 0.05);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, ScalableBloomFilterTest, testing::ValuesIn(kAllBloomLayouts),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace bloomline::tests::scalable_bloom_filter_test
