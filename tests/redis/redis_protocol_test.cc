// The parts of the Redis filter that need no server: slots, layout, headers, options.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/filter_theory.h"
#include "bloomline/redis_bloom_filter.h"
#include "src/filter/rates/rates.h"
#include "src/redis/redis_layout.h"
#include "tests/redis/redis_filter_test.h"

namespace bloomline::redis::redis_protocol_test {
namespace {

using tests::Has;

TEST(LayoutTest, KeySlotFollowsTheClusterSpecification) {
  EXPECT_EQ(KeySlot("bloomline:{123456789}"), 0x31C3);  // the check value of CRC-16/XMODEM
  EXPECT_EQ(KeySlot("bloomline:shard:{foo}"), 12182);
}

TEST(LayoutTest, MemoryIsWithinThreePercentOfAStandardBloomFilter) {
  for (const double rate : {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-6}) {
    const RedisLayout layout = PlanLayout({100000000, rate});
    const double bits =
        static_cast<double>(layout.shard_bytes() * layout.num_shards) * 8 / 100000000;
    const double ratio = bits / StandardBitsPerKeyForFalsePositiveRate(rate);
    std::printf("rate %-7g block %3u bytes, %2d probes, %6.3f bits per key, %.4f of standard\n",
                rate, layout.block_bytes, layout.num_probes, bits, ratio);
    EXPECT_LE(ratio, rate < 1e-4 ? 1.05 : 1.0301) << rate;
    EXPECT_LE(filter::BlockFalsePositiveRate(bits, layout.num_probes, 8 * layout.block_bytes,
                                             8 * layout.block_bytes - 1),
              rate * 1.0001);
  }
}

TEST(LayoutTest, ShardsAreEquallyLongAndWithinShardBytes) {
  for (const uint64_t capacity : {1, 100, 5000, 123456, 10000000}) {
    for (const uint64_t shard_bytes : {uint64_t{4096}, uint64_t{65536}, uint64_t{64} << 20}) {
      SharedBloomFilterOptions options{capacity, 0.01};
      options.shard_bytes = shard_bytes;
      const RedisLayout layout = PlanLayout(options);
      EXPECT_LE(layout.shard_bytes(), shard_bytes);
      EXPECT_GE(static_cast<double>(layout.shard_bytes() * layout.num_shards) * 8,
                9.6 * static_cast<double>(capacity));
      // Only rounding adds blocks.
      EXPECT_LE(
          static_cast<double>(layout.blocks_per_shard * layout.num_shards),
          9.8 * static_cast<double>(capacity) / (8 * layout.block_bytes) + 1 + layout.num_shards);
    }
  }
}

TEST(HeaderTest, IsALineOfTextAndReadBack) {
  RedisLayout layout = PlanLayout({1000000, 0.01});
  layout.seed = 7;
  layout.id = 0x0123456789abcdef;
  const std::string text = EncodeHeader(layout);
  const std::string line =
      "bloomline-shared-bloom version=1 capacity=1000000 false_positive_rate=0.01 seed=7 "
      "block_bytes=128 num_probes=6 blocks_per_shard=9548 num_shards=1 id=0123456789abcdef";
  EXPECT_EQ(text, line + std::string(256 - line.size(), ' '));
  RedisLayout read;
  ASSERT_TRUE(DecodeHeader(text, &read));
  EXPECT_EQ(EncodeHeader(read), text);
  EXPECT_TRUE(SameParameters(layout, read));
  read.id = 1;
  read.block_bytes = 256;  // as another version may plan it
  read.num_shards = 2;
  EXPECT_TRUE(SameParameters(layout, read));
  read.seed = 8;
  EXPECT_FALSE(SameParameters(layout, read));
  for (const auto& [good, bad] : std::map<std::string, std::vector<std::string>>{
           {"version=1", {"version=2", "version=01"}},
           {"capacity=1000000", {"capacity=+1000000", "capacity=01000000", "capacity="}},
           {"rate=0.01", {"rate=0.010", "rate=nan", "rate=1e-2"}},
           {" seed=7",
            {"", " seed=-7", "  seed=7", " seed=7 seed=7", " seed=18446744073709551616"}},
           {"bytes=128", {"bytes=0", "bytes=32", "bytes=100", "bytes=1024"}},
           {"probes=6", {"probes=0", "probes=31"}},
           {"per_shard=9548", {"per_shard=0", "per_shard=524287"}},
           {"num_shards=1", {"num_shards=0", "num_shards=65537"}},
           {"89abcdef", {"89ABCDEF", "9abcdef", "089abcdef", "89abcdef x=1"}}}) {
    for (const std::string& other : bad) {
      std::string header = text;
      header.replace(header.find(good), good.size(), other).resize(256, ' ');
      EXPECT_FALSE(DecodeHeader(header, &read)) << header;
    }
  }
  EXPECT_FALSE(DecodeHeader(text.substr(0, 255), &read) || DecodeHeader(text + " ", &read));
}

TEST(HeaderTest, TheLongestOneFits) {
  RedisLayout layout;
  layout.capacity = layout.seed = layout.id = UINT64_MAX;
  layout.false_positive_rate = 1.23456789012345e-06;
  layout.block_bytes = kMinBlockBytes;
  layout.num_probes = 30;
  layout.blocks_per_shard = (kMaxShardBytes - kHeaderBytes) / kMinBlockBytes;
  layout.num_shards = kMaxShards;
  const std::string header = EncodeHeader(layout);
  EXPECT_EQ(header.size(), kHeaderBytes);
  EXPECT_TRUE(Has(header, " id=ffffffffffffffff "));
  RedisLayout read;
  EXPECT_TRUE(DecodeHeader(header, &read));
  const BlockPlace last = PlaceOf(read, UINT64_MAX);
  EXPECT_EQ(last.shard, read.num_shards - 1);
  EXPECT_EQ(last.block, read.blocks_per_shard - 1);
  ++layout.blocks_per_shard;
  EXPECT_FALSE(DecodeHeader(EncodeHeader(layout), &read));
}

// The error of the options with another value of one field.
template <typename T, typename Field, typename Value>
std::string ErrorWith(T options, Field T::*field, Value value) {
  options.*field = value;
  return options.Validate();
}

TEST(OptionsTest, BadValuesAreRefusedByNameAndRange) {
  using Filter = SharedBloomFilterOptions;
  const Filter filter{1000, 0.01};
  const RedisServers servers;
  const AddOptions adding;
  EXPECT_EQ(filter.Validate(), "");
  EXPECT_EQ(servers.Validate(), "");
  EXPECT_EQ(adding.Validate(), "");
  const std::pair<std::string, const char*> cases[] = {
      {Filter{0, 0.01}.Validate(), "capacity is 0; allowed"},
      {Filter{2000000000000, 0.01}.Validate(), "capacity is 2000000000000; allowed"},
      {Filter{1000000000000, 0.01}.Validate(), "65536 shards; allowed"},
      {Filter{1000, 0.0}.Validate(), "false_positive_rate is 0; allowed"},
      {Filter{1000, 0.6}.Validate(), "false_positive_rate is 0.6; allowed"},
      {Filter{1000, std::nan("")}.Validate(), "false_positive_rate is nan; allowed"},
      {ErrorWith(filter, &Filter::shard_bytes, 4095u), "shard_bytes is 4095; allowed"},
      {ErrorWith(filter, &Filter::shard_bytes, 67108865u), "shard_bytes is 67108865; allowed"},
      {ErrorWith(servers, &RedisServers::servers, std::vector<std::string>()), "servers is empty;"},
      {ErrorWith(servers, &RedisServers::database, -1), "database is -1; allowed"},
      {ErrorWith(servers, &RedisServers::connect_timeout_ms, 0), "connect_timeout_ms is 0; all"},
      {ErrorWith(servers, &RedisServers::command_timeout_ms, 600001), "_timeout_ms is 600001; all"},
      {ErrorWith(servers, &RedisServers::max_retries, -1), "max_retries is -1; allowed"},
      {ErrorWith(adding, &AddOptions::min_replicas, 1001), "min_replicas is 1001; allowed: 0 to"},
      {ErrorWith(adding, &AddOptions::replica_timeout_ms, 0), "allowed: 1 to 600000"}};
  for (const auto& [error, words] : cases) {
    EXPECT_TRUE(Has(error, words));
  }
}

TEST(OptionsTest, NamesAreChecked) {
  EXPECT_EQ(ValidateName("seen-urls:v2/é"), "");
  for (const std::string name : {"", "a b", "a{b", "a}", "a\n", "\x7f"}) {
    EXPECT_NE(ValidateName(name), "") << name;
  }
  EXPECT_EQ(ValidateName(std::string(200, 'x')), "");
  EXPECT_NE(ValidateName(std::string(201, 'x')), "");
}

}  // namespace
}  // namespace bloomline::redis::redis_protocol_test
