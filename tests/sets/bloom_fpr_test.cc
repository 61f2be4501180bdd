// False-positive rates of Bloom filters in memory, within 3 % of theory. Those of counting filters
// are these of kBlocked128 and kBlocked64: BloomFilterGivesTheAnswersOfTheCounters.
//
// Budget: 15,000 expected false positives, so that chance moves a result by 0.8 % (one standard
// deviation). Small filters have rates of their own, so a case has many of them. Keys are fixed: a
// case passes always or never.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "src/filter/bits/hash.h"
#include "src/sets/bloom_shape.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/bloom_theory.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests::bloom_fpr_test {
namespace {

constexpr double kExpected = 15000;
constexpr uint64_t kMinKeys = 1000000;  // in all filters of one size
constexpr size_t kBatch = 4096;

class BloomFprTest : public testing::TestWithParam<BloomLayout> {};

TEST_P(BloomFprTest, RateIsWithinThreePercentOfTheory) {
  KeyMaker key(KeyShape::kDecimal16);
  std::vector<uint64_t> hashes(kBatch);
  const std::unique_ptr<bool[]> found(new bool[kBatch]);
  uint64_t next_key = 0;
  const auto next_hashes = [&](size_t n) {
    for (size_t i = 0; i < n; ++i) hashes[i] = filter::Hash64(key(next_key++), 0);
  };
  for (const double rate : {0.1, 0.01, 0.001}) {
    for (const uint64_t n : {1000, 10000, 100000, 1000000, 10000000}) {
      const bool has_all_rates = n == 10000 || n == 1000000;
      if (rate != 0.01 && !has_all_rates) continue;
      const BloomFilterOptions options = ForCapacity(GetParam(), n, rate);
      sets::BloomShape shape;
      std::string error;
      ASSERT_TRUE(sets::ShapeOf(options, &shape).empty());
      const double theory = TheoreticalRate(shape, n);
      const uint64_t num_filters = std::max<uint64_t>(1, kMinKeys / n);
      const auto queries =
          static_cast<uint64_t>(kExpected / theory / static_cast<double>(num_filters));
      double matches = 0;
      double asked = 0;
      next_key = 0;
      for (uint64_t f = 0; f < num_filters; ++f) {
        const auto filter = BloomFilter::Create(options, &error);
        ASSERT_NE(filter, nullptr) << error;
        for (uint64_t added = 0; added < n; added += kBatch) {
          const size_t count = std::min<uint64_t>(kBatch, n - added);
          next_hashes(count);
          filter->AddHashes(count, hashes.data());
        }
        for (uint64_t i = 0; i < queries; i += kBatch) {
          next_hashes(kBatch);
          filter->MayMatchHashes(kBatch, hashes.data(), found.get());
          matches += static_cast<double>(std::count(found.get(), found.get() + kBatch, true));
          asked += kBatch;
        }
      }
      const double ratio = matches / asked / theory;
      std::printf("%8.0e keys: measured %.4f %%, theory %.4f %%, ratio %.4f\n",
                  static_cast<double>(n), 100 * matches / asked, 100 * theory, ratio);
      EXPECT_NEAR(ratio, 1, 0.03) << n << " keys, rate " << rate;
      EXPECT_LE(matches / asked, rate * 1.03) << n << " keys";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, BloomFprTest, testing::ValuesIn(kAllBloomLayouts),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace bloomline::tests::bloom_fpr_test
