// What `bloomline size` says of filters that change, against the classes themselves.
#include <cmath>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "gtest/gtest.h"
#include "src/cli/size/size.h"
#ifdef BLOOMLINE_TEST_REDIS
#include "tests/redis/redis_filter_test.h"
#endif

namespace bloomline {
namespace {

using cli::ChangingRows;
using cli::SizeRequest;
using cli::SizeRow;

constexpr double kRates[] = {0.3, 0.01, 0.001, 1e-5};
constexpr uint64_t kCounts[] = {1, 7, 1000, 12345, 300000};

SizeRequest For(uint64_t num_keys, double rate) {
  SizeRequest request;
  request.num_keys = num_keys;
  request.rate = rate;
  return request;
}

// The row of the filter whose name begins so.
SizeRow ChangingRow(const std::string& name, const SizeRequest& request) {
  for (const SizeRow& row : ChangingRows(request)) {
    if (row.name.substr(0, name.size()) == name) return row;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(ToolSizeTest, BloomFiltersHaveTheBytesThatTheyAreSaidToHave) {
  for (const double rate : kRates) {
    for (const uint64_t num_keys : kCounts) {
      BloomFilterOptions options;
      options.capacity = num_keys;
      options.false_positive_rate = rate;
      const auto filter = BloomFilter::Create(options, nullptr);
      ASSERT_NE(filter, nullptr);
      const SizeRow row = ChangingRow("BloomFilter", For(num_keys, rate));
      EXPECT_EQ(row.bytes, filter->num_bits() / 8) << num_keys << " " << rate;
      EXPECT_EQ(row.num_probes, filter->num_probes());
      EXPECT_EQ(row.num_keys, num_keys);
    }
  }
}

TEST(ToolSizeTest, CountingFiltersToo) {
  for (const double rate : kRates) {
    for (const uint64_t num_keys : kCounts) {
      for (const int counter_bits : {4, 8}) {
        CountingBloomFilterOptions options;
        options.capacity = num_keys;
        options.false_positive_rate = rate;
        options.counter_bits = counter_bits;
        std::string error;
        const auto filter = CountingBloomFilter::Create(options, &error);
        const SizeRow row = ChangingRow("CountingBloomFilter, " + std::to_string(counter_bits),
                                        For(num_keys, rate));
        ASSERT_NE(filter, nullptr) << error;
        EXPECT_EQ(row.bytes, filter->num_counters() * static_cast<uint64_t>(counter_bits) / 8);
        EXPECT_EQ(row.num_probes, filter->num_probes());
      }
    }
  }
  CountingBloomFilterOptions impossible;
  impossible.capacity = 1000;
  impossible.false_positive_rate = 1e-8;
  EXPECT_EQ(ChangingRow("CountingBloomFilter, 4", For(1000, 1e-8)).problem, impossible.Validate());
}

TEST(ToolSizeTest, ScalableFiltersHaveTheStagesThatTheyAreSaidToHave) {
  for (const double rate : {0.3, 0.01, 0.001}) {
    ScalableBloomFilterOptions options;
    options.false_positive_rate = rate;
    const auto filter = ScalableBloomFilter::Create(options, nullptr);
    ASSERT_NE(filter, nullptr);
    uint64_t added = 0;
    // Where a further stage is due: its keys are those that changed a bit.
    for (const uint64_t num_keys : {1ul, 1000ul, 1001ul, 3000ul, 3001ul, 100000ul}) {
      while (filter->num_keys() < num_keys) filter->AddKey(std::to_string(added++));
      const SizeRow row = ChangingRow("Scalable", For(num_keys, rate));
      EXPECT_EQ(row.bytes, filter->num_bits() / 8) << num_keys << " " << rate;
      EXPECT_EQ(row.max_lines_per_query, static_cast<int>(filter->num_stages()));
    }
  }
}

// The other two figures of a request, by search: as much as fits, and no more.
TEST(ToolSizeTest, MemoryIsUsedAndNotExceeded) {
  const auto bytes_of = [](const SizeRow& row, uint64_t num_keys, double rate) {
    return ChangingRow(row.name, For(num_keys, rate)).bytes;
  };
  const auto is_checked = [](const SizeRow& row) { return row.name.find("Scalable") != 0; };
  for (const uint64_t bytes : {100000ul, 12345678ul}) {
    SizeRequest request;
    request.memory_bytes = bytes;
    request.rate = 0.01;
    for (const SizeRow& row : ChangingRows(request)) {
      if (!is_checked(row)) continue;
      EXPECT_LE(row.bytes, bytes) << row.name;
      EXPECT_EQ(bytes_of(row, row.num_keys, 0.01), row.bytes) << row.name;
      EXPECT_GT(bytes_of(row, row.num_keys + 1, 0.01), bytes) << row.name;
    }
    request.rate.reset();
    request.num_keys = bytes / 3;
    for (const SizeRow& row : ChangingRows(request)) {
      if (!is_checked(row)) continue;
      ASSERT_EQ(row.problem, "");
      EXPECT_LE(row.bytes, bytes) << row.name;
      EXPECT_EQ(bytes_of(row, bytes / 3, *row.rate), row.bytes) << row.name;
      EXPECT_GT(bytes_of(row, bytes / 3, *row.rate * 0.98), bytes) << row.name;
    }
  }
}

TEST(ToolSizeTest, BitsPerKeyStandForMemory) {
  SizeRequest request;
  request.num_keys = 1000000;
  request.bits_per_key = 43.4;
  const SizeRow row = ChangingRow("CountingBloomFilter, 4", request);
  EXPECT_LE(row.bits_per_key, 43.4);
  EXPECT_NEAR(row.bits_per_key, 43.4, 0.02);
  EXPECT_NEAR(*row.rate, 0.01, 1e-4);
}

TEST(ToolSizeTest, TooLittleMemoryHasAReason) {
  SizeRequest request;
  request.num_keys = 1000000;
  request.memory_bytes = 1000;
  for (const SizeRow& row : ChangingRows(request)) {
    EXPECT_NE(row.problem, "") << row.name;
    EXPECT_NE(row.problem.find("is too little"), std::string::npos) << row.problem;
  }
}

// An over-filled filter, measured.
TEST(ToolSizeTest, OverfilledRates) {
  SizeRequest request = For(40000, 0.01);
  request.capacity = 20000;
  CountingBloomFilterOptions options;
  options.capacity = 20000;
  const auto filter = CountingBloomFilter::Create(options, nullptr);
  ASSERT_NE(filter, nullptr);
  for (int i = 0; i < 40000; ++i) filter->AddKey(std::to_string(i));
  int matches = 0;
  constexpr int kQueries = 100000;
  for (int i = 0; i < kQueries; ++i) matches += filter->MayMatch("x" + std::to_string(i)) ? 1 : 0;
  const SizeRow row = ChangingRow("CountingBloomFilter, 4", request);
  ASSERT_TRUE(row.overfilled_rate.has_value());
  EXPECT_NEAR(*row.overfilled_rate, static_cast<double>(matches) / kQueries, 0.01);
}

#ifdef BLOOMLINE_TEST_REDIS
using ToolSizeRedisTest = tests::RedisFilterTest;

TEST_F(ToolSizeRedisTest, SharedFiltersHaveTheShardsThatTheyAreSaidToHave) {
  for (const double rate : {0.1, 0.01, 1e-5}) {
    for (const uint64_t num_keys : {1ul, 7000ul, 20000000ul}) {
      const std::string name = std::to_string(num_keys) + "," + std::to_string(rate);
      const auto filter = Create(name, Options(num_keys, rate));
      ASSERT_NE(filter, nullptr);
      const SizeRow row = ChangingRow("Shared", For(num_keys, rate));
      EXPECT_EQ(row.bytes, filter->num_bytes()) << name;
      EXPECT_EQ(row.num_shards, filter->num_shards()) << name;
      EXPECT_EQ(*row.shard_bytes * *row.num_shards, row.bytes) << name;
      EXPECT_EQ(row.num_probes, filter->num_probes()) << name;
      std::string error;
      EXPECT_TRUE(SharedBloomFilter::Delete(servers_, name, &error)) << error;
    }
  }
}
#endif

}  // namespace
}  // namespace bloomline
