// Counting filters of both widths, and the keys in them.
#ifndef BLOOMLINE_TESTS_SUPPORT_COUNTING_FILTERS_H_
#define BLOOMLINE_TESTS_SUPPORT_COUNTING_FILTERS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/counting_bloom_filter.h"

namespace bloomline::tests {

inline std::unique_ptr<CountingBloomFilter> Make(const CountingBloomFilterOptions& options) {
  std::string error;
  auto filter = CountingBloomFilter::Create(options, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

inline std::unique_ptr<CountingBloomFilter> Make(int counter_bits, uint64_t num_counters,
                                                 int num_probes, uint64_t seed = 0) {
  CountingBloomFilterOptions options;
  options.counter_bits = counter_bits;
  options.num_counters = num_counters;
  options.num_probes = num_probes;
  options.seed = seed;
  return Make(options);
}

inline std::unique_ptr<CountingBloomFilter> MakeFor(int counter_bits, uint64_t capacity,
                                                    double rate) {
  CountingBloomFilterOptions options;
  options.counter_bits = counter_bits;
  options.capacity = capacity;
  options.false_positive_rate = rate;
  return Make(options);
}

inline std::string Key(uint64_t i) { return "key" + std::to_string(i); }

inline std::vector<std::string> Keys(uint64_t first, uint64_t end) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < end; ++i) keys.push_back(Key(i));
  return keys;
}

// Tests that hold for every width: to be instantiated with CounterBits() and CounterBitsName.
class CountingTest : public testing::TestWithParam<int> {
 protected:
  int counter_bits() const { return GetParam(); }
  uint32_t max_count() const { return counter_bits() == 4 ? 15 : 255; }
};

inline auto CounterBits() { return testing::Values(4, 8); }

inline std::string CounterBitsName(const testing::TestParamInfo<int>& info) {
  return std::to_string(info.param);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_COUNTING_FILTERS_H_
