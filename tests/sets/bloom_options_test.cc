// Options of filters in memory: wrong ones are refused with their name, value and allowed range,
// and the range that a refusal names is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/support/bloom_layouts.h"

namespace bloomline::tests::bloom_options_test {
namespace {

template <typename Filter, typename Options>
void ExpectRefused(const Options& options, const std::string& value,
                   const std::string& allowed = "allowed") {
  std::string error;
  EXPECT_EQ(Filter::Create(options, &error), nullptr);
  EXPECT_EQ(error, options.Validate());
  EXPECT_NE(error.find(value), std::string::npos) << error;
  EXPECT_NE(error.find(allowed), std::string::npos) << error;
  EXPECT_EQ(Filter::Create(options, nullptr), nullptr);
}

TEST(OptionsTest, OfBloomFilters) {
  for (const BloomLayout layout : kAllBloomLayouts) {
    for (const double rate : {0.0, 1.0, -1.0, std::nan(""), 1e-300}) {
      ExpectRefused<BloomFilter>(ForCapacity(layout, 10, rate), "false_positive_rate is ");
    }
  }
  const BloomLayout blocked = BloomLayout::kBlocked;
  ExpectRefused<BloomFilter>(BloomFilterOptions(), "capacity is 0");
  ExpectRefused<BloomFilter>(ForCapacity(blocked, UINT64_MAX, 0.01),
                             "capacity is 18446744073709551615");
  ExpectRefused<BloomFilter>(ForCapacity(static_cast<BloomLayout>(7), 10, 0.01), "layout is 7");
  BloomFilterOptions options;
  for (const int num_probes : {0, 31, -1}) {
    options.num_bits = 1000;
    options.num_probes = num_probes;
    ExpectRefused<BloomFilter>(options, "num_probes is " + std::to_string(num_probes));
  }
  options.num_probes = 5;
  options.num_bits = 0;
  ExpectRefused<BloomFilter>(options, "num_probes is 5");
  options.num_bits = kMaxBloomBits + 1;
  ExpectRefused<BloomFilter>(options, "num_bits is 1125899906842625");
  options.num_bits = kMaxBloomBits;
  EXPECT_EQ(options.Validate(), "");
  EXPECT_EQ(ForCapacity(blocked, 1, 0.999).Validate(), "");
}

TEST(OptionsTest, OfScalableFilters) {
  using Options = ScalableBloomFilterOptions;
  const auto expect_refused = [](auto field, auto value, const std::string& words) {
    Options options;
    options.*field = value;
    ExpectRefused<ScalableBloomFilter>(options, words);
  };
  expect_refused(&Options::initial_capacity, 0u, "initial_capacity is 0");
  expect_refused(&Options::initial_capacity, UINT64_MAX, "capacity is 18446744073709551615");
  for (const double value : {0.0, 1.0, -1.0, std::nan("")}) {
    expect_refused(&Options::false_positive_rate, value, "false_positive_rate is");
    expect_refused(&Options::tightening, value, "tightening is");
  }
  for (const int growth : {0, -1, 17}) {
    expect_refused(&Options::growth, growth, "growth is " + std::to_string(growth));
  }
  expect_refused(&Options::layout, static_cast<BloomLayout>(9), "layout is 9");
}

TEST(OptionsTest, OfCountingFilters) {
  CountingBloomFilterOptions options;
  const auto expect_refused = [&](const std::string& value, const std::string& allowed) {
    ExpectRefused<CountingBloomFilter>(options, value, allowed);
  };
  expect_refused("capacity is 0", "1 and more, or num_counters of 1 and more");
  options.capacity = 100;
  EXPECT_EQ(options.Validate(), "");
  for (const int counter_bits : {-4, 0, 5, 16}) {
    options.counter_bits = counter_bits;
    expect_refused("counter_bits is " + std::to_string(counter_bits), "allowed: 4 and 8");
  }
  options.counter_bits = 8;
  for (const double rate : {0.0, 1.0, -0.1, std::nan(""), 1e-9}) {
    options.false_positive_rate = rate;
    expect_refused("false_positive_rate is", "100 counters per key");
  }
  options.false_positive_rate = 0.01;
  options.num_probes = 3;
  expect_refused("num_probes is 3 without num_counters", "allowed: 0");
  options.num_counters = 1000;
  options.num_probes = 31;
  expect_refused("num_probes is 31", "1 to 30");
  options.num_probes = 6;
  EXPECT_EQ(options.Validate(), "");
  options.num_counters = kMaxBloomBits + 1;
  expect_refused("num_counters is 1125899906842625", "1 to 1125899906842624");
  options = {};
  options.capacity = UINT64_MAX;
  expect_refused("capacity is 18446744073709551615", "counters in all");
}

// Returns the least rate that the refusal of a lower one names. It is allowed, and one that is a
// little lower is not.
template <typename Options>
double LeastRate(Options options, const std::string& start) {
  options.false_positive_rate = 1e-25;
  const std::string reason = options.Validate();
  EXPECT_EQ(reason.find("false_positive_rate is 1e-25" + start), 0u) << reason;
  const size_t from = reason.find(": from ");
  if (from == std::string::npos) return 0;
  options.false_positive_rate = std::stod(reason.substr(from + 7));
  EXPECT_EQ(options.Validate(), "") << reason;
  const double least = options.false_positive_rate;
  options.false_positive_rate = 0.8 * least;
  EXPECT_NE(options.Validate(), "") << reason;
  return least;
}

TEST(OptionsTest, RefusedRatesNameTheReachableRange) {
  std::set<double> named;
  for (const BloomLayout layout : kAllBloomLayouts) {
    named.insert(LeastRate(ForCapacity(layout, 10, 0), "; allowed with layout "));
  }
  EXPECT_EQ(named, (std::set<double>{2.6e-18, 1.1e-10, 2.7e-7, 6.0e-6}));
  for (const int counter_bits : {4, 8}) {
    CountingBloomFilterOptions options;
    options.capacity = 10;
    options.counter_bits = counter_bits;
    const double least = LeastRate(
        options, "; allowed with " + std::to_string(counter_bits) + "-bit counters: from ");
    EXPECT_EQ(least, counter_bits == 4 ? 2.7e-7 : 6.0e-6);
  }
  ScalableBloomFilterOptions options;
  options.layout = BloomLayout::kBlocked64;
  options.tightening = 0.9995;  // leaves 5e-6 to the first stage
  EXPECT_EQ(
      options.Validate(),
      "the first stage, with rate * (1 - tightening): false_positive_rate is 5e-06; allowed with "
      "layout blocked64: from 6e-06, which takes 100 bits per key, to below 1");
}

}  // namespace
}  // namespace bloomline::tests::bloom_options_test
