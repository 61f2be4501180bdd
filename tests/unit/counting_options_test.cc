// Options of counting filters: the sizes that follow, and bad values.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "tests/support/counting_filters.h"

namespace bloomline {
namespace {

using tests::Make;
using tests::MakeFor;

class CountingSizeTest : public tests::CountingTest {};

TEST_P(CountingSizeTest, SizeFollowsTheOptions) {
  const auto counted = Make(counter_bits(), 513, 7, 9);
  EXPECT_EQ(counted->num_counters(), 1024u);
  EXPECT_EQ(counted->num_probes(), 7);
  EXPECT_EQ(counted->counter_bits(), counter_bits());
  EXPECT_EQ(counted->max_count(), max_count());
  EXPECT_EQ(counted->seed(), 9u);
  EXPECT_EQ(counted->capacity(), 0u);
  const auto sized = MakeFor(counter_bits(), 1000000, 0.01);
  EXPECT_EQ(sized->capacity(), 1000000u);
  EXPECT_EQ(sized->num_probes(), counter_bits() == 4 ? 6 : 5);
  EXPECT_NEAR(static_cast<double>(sized->num_counters()) / 1e6, counter_bits() == 4 ? 10.85 : 12.14,
              0.01);
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingSizeTest, tests::CounterBits(),
                         tests::CounterBitsName);

TEST(CountingOptionsTest, RefusedRatesNameTheReachableRange) {
  for (const int counter_bits : {4, 8}) {
    CountingBloomFilterOptions options;
    options.capacity = 10;
    options.counter_bits = counter_bits;
    options.false_positive_rate = 1e-12;
    const std::string start = "false_positive_rate is 1e-12; allowed with " +
                              std::to_string(counter_bits) + "-bit counters: from ";
    const std::string reason = options.Validate();
    ASSERT_EQ(reason.find(start), 0u) << reason;
    const double least = std::stod(reason.substr(start.size()));
    options.false_positive_rate = least;
    EXPECT_EQ(options.Validate(), "");
    options.false_positive_rate = 0.89 * least;
    EXPECT_NE(options.Validate(), "");
  }
}

TEST(CountingOptionsTest, BadValuesAreRefusedByNameAndRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_error = [](const CountingBloomFilterOptions& options, const std::string& value,
                               const std::string& allowed) {
    std::string error;
    EXPECT_EQ(CountingBloomFilter::Create(options, &error), nullptr);
    EXPECT_EQ(error, options.Validate());
    EXPECT_NE(error.find(value), std::string::npos) << error;
    EXPECT_NE(error.find(allowed), std::string::npos) << error;
    EXPECT_EQ(CountingBloomFilter::Create(options, nullptr), nullptr);
  };
  CountingBloomFilterOptions options;
  expect_error(options, "capacity is 0", "1 and more, or num_counters of 1 and more");
  options.capacity = 100;
  EXPECT_EQ(options.Validate(), "");
  for (const int counter_bits : {-4, 0, 1, 5, 16}) {
    options.counter_bits = counter_bits;
    expect_error(options, "counter_bits is " + std::to_string(counter_bits), "allowed: 4 and 8");
  }
  options.counter_bits = 8;
  for (const double rate : {0.0, 1.0, -0.1, 2.0, nan, 1e-9}) {
    options.false_positive_rate = rate;
    expect_error(options, "false_positive_rate is", "100 counters per key");
  }
  options.false_positive_rate = 0.01;
  options.num_probes = 3;
  expect_error(options, "num_probes is 3 without num_counters", "allowed: 0");
  for (const int num_probes : {-1, 0, 31}) {
    options.num_counters = 1000;
    options.num_probes = num_probes;
    expect_error(options, "num_probes is " + std::to_string(num_probes), "1 to 30");
  }
  options.num_probes = 6;
  EXPECT_EQ(options.Validate(), "");
  options.num_counters = kMaxBloomBits + 1;
  expect_error(options, "num_counters is " + std::to_string(kMaxBloomBits + 1),
               "1 to " + std::to_string(kMaxBloomBits));
  options = CountingBloomFilterOptions();
  options.capacity = std::numeric_limits<uint64_t>::max();
  expect_error(options, "capacity is 18446744073709551615", "counters in all");
}

TEST(CountingOptionsTest, MissingMemoryIsAnError) {
  CountingBloomFilterOptions options;
  options.num_counters = kMaxBloomBits;
  options.num_probes = 6;
  options.counter_bits = 8;
  EXPECT_EQ(options.Validate(), "");
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Create(options, &error), nullptr);
  EXPECT_NE(error.find("out of memory: 1125899906842624 bytes"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline
