// The parts of the Redis filter that need no server: slots, redirects, layout, headers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bloomline/filter_theory.h"
#include "bloomline/redis_bloom_filter.h"
#include "src/filter/rates/rates.h"
#include "src/redis/connection.h"
#include "src/redis/layout.h"
#include "src/redis/slots.h"

namespace bloomline::redis {
namespace {

TEST(SlotsTest, KeySlotFollowsTheClusterSpecification) {
  EXPECT_EQ(KeySlot("123456789"), 0x31C3);  // the check value of CRC-16/XMODEM
  EXPECT_EQ(KeySlot("foo"), 12182);
  EXPECT_EQ(KeySlot("{user1000}.following"), KeySlot("user1000"));
  EXPECT_EQ(KeySlot("foo{}{bar}"), 8363) << "an empty tag is none";
  EXPECT_EQ(KeySlot("foo{{bar}}zap"), KeySlot("{bar"));
  EXPECT_EQ(KeySlot("foo{bar}{zap}"), KeySlot("bar"));
  EXPECT_NE(KeySlot("foo{bar"), KeySlot("bar"));
}

TEST(SlotsTest, RedirectsAreParsed) {
  const Endpoint asked = {"10.0.0.1", 7000};
  Redirect redirect;
  ASSERT_TRUE(ParseRedirect("MOVED 3999 127.0.0.1:6381", asked, &redirect));
  EXPECT_FALSE(redirect.ask);
  EXPECT_EQ(redirect.slot, 3999);
  EXPECT_EQ(redirect.endpoint, (Endpoint{"127.0.0.1", 6381}));
  ASSERT_TRUE(ParseRedirect("ASK 16383 2001:db8::1:6381", asked, &redirect));
  EXPECT_TRUE(redirect.ask);
  EXPECT_EQ(redirect.endpoint, (Endpoint{"2001:db8::1", 6381}));
  ASSERT_TRUE(ParseRedirect("MOVED 0 :6381", asked, &redirect))
      << "the host of the node that replied";
  EXPECT_EQ(redirect.endpoint, (Endpoint{"10.0.0.1", 6381}));
  ASSERT_TRUE(ParseRedirect("MOVED 0 ?:6382", asked, &redirect)) << "and has no host name";
  EXPECT_EQ(redirect.endpoint, (Endpoint{"10.0.0.1", 6382}));
}

TEST(SlotsTest, BadRedirectsAreRefused) {
  Redirect redirect;
  for (const char* text :
       {"", "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED x 127.0.0.1:1", "MOVED 16384 h:1",
        "MOVED -1 h:1", "MOVED 99999 h:1", "ASK 1 h:0", "ASK 1 h:65536", "ASK 1 h:x", "ASK 1 h",
        "ERR MOVED 1 h:1", "moved 1 h:1", "MOVED 1  h:1 "}) {
    EXPECT_FALSE(ParseRedirect(text, {"h", 1}, &redirect)) << text;
  }
}

ReplyPtr Parse(std::string_view bytes) {
  redisReader* reader = redisReaderCreate();
  redisReaderFeed(reader, bytes.data(), bytes.size());
  void* reply = nullptr;
  redisReaderGetReply(reader, &reply);
  redisReaderFree(reader);
  return ReplyPtr(static_cast<redisReply*>(reply));
}

TEST(SlotsTest, SlotRangesAreParsed) {
  const ReplyPtr reply = Parse(
      "*2\r\n"
      "*4\r\n:0\r\n:5460\r\n*3\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n"
      "*3\r\n$1\r\nh\r\n:7003\r\n$2\r\nid\r\n"
      "*3\r\n:5461\r\n:16383\r\n*3\r\n$-1\r\n:7001\r\n$2\r\nid\r\n");
  ASSERT_NE(reply, nullptr);
  std::vector<SlotRange> ranges;
  ASSERT_TRUE(ParseSlotRanges(*reply, {"10.0.0.1", 7000}, &ranges));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].first, 0);
  EXPECT_EQ(ranges[0].last, 5460);
  EXPECT_EQ(ranges[0].master, (Endpoint{"127.0.0.1", 7000}));
  EXPECT_EQ(ranges[1].master, (Endpoint{"10.0.0.1", 7001}))
      << "no host: that of the node that replied";
}

TEST(SlotsTest, BadSlotRangesAreRefused) {
  std::vector<SlotRange> ranges;
  for (const char* text :
       {"+OK\r\n", ":1\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*0\r\n", "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:0\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n$1\r\n1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n:5\r\n:1\r\n",
        // A Unix socket of the client's machine.
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$6\r\n/tmp/s\r\n:1\r\n"}) {
    const ReplyPtr reply = Parse(text);
    ASSERT_NE(reply, nullptr) << text;
    EXPECT_FALSE(ParseSlotRanges(*reply, {"h", 1}, &ranges)) << text;
  }
}

SharedBloomFilterOptions Options(uint64_t capacity, double rate) {
  SharedBloomFilterOptions options;
  options.capacity = capacity;
  options.false_positive_rate = rate;
  return options;
}

double ClassicBits(double rate) {
  double least = 100;
  for (int k = 1; k <= 30; ++k) {
    least = std::min(least, -k / std::log1p(-std::pow(rate, 1.0 / k)));
  }
  return least;
}

TEST(LayoutTest, MemoryIsWithinThreePercentOfAStandardBloomFilter) {
  for (const double rate : {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-6}) {
    const Layout layout = PlanLayout(Options(100000000, rate));
    const double bits =
        static_cast<double>(layout.shard_bytes() * layout.num_shards) * 8 / 100000000;
    const double ratio = bits / ClassicBits(rate);
    std::printf("rate %-7g block %3u bytes, %2d probes, %6.3f bits per key, %.4f of classic\n",
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
      SharedBloomFilterOptions options = Options(capacity, 0.01);
      options.shard_bytes = shard_bytes;
      const Layout layout = PlanLayout(options);
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

TEST(LayoutTest, PlacesAreInRangeAndNeverTheMarker) {
  std::mt19937_64 random(3);
  for (const double rate : {0.5, 0.01, 1e-3, 1e-6}) {
    SharedBloomFilterOptions options = Options(1000000, rate);
    options.shard_bytes = 65536;
    const Layout layout = PlanLayout(options);
    uint32_t highest_bit = 0;
    for (int i = 0; i < 100000; ++i) {
      const uint64_t hash = i == 0 ? 0 : i == 1 ? UINT64_MAX : random();
      const Place place = PlaceOf(layout, hash);
      ASSERT_LT(place.shard, layout.num_shards);
      ASSERT_LT(place.block, layout.blocks_per_shard);
      for (int j = 0; j < layout.num_probes; ++j) {
        const uint32_t bit = BitOf(layout, place.pair, j);
        ASSERT_LT(bit, layout.marker_bit());
        highest_bit = std::max(highest_bit, bit);
      }
    }
    EXPECT_EQ(highest_bit, layout.marker_bit() - 1);
    EXPECT_EQ(PlaceOf(layout, UINT64_MAX).shard, layout.num_shards - 1);
  }
}

TEST(HeaderTest, IsALineOfTextAndReadBack) {
  Layout layout = PlanLayout(Options(1000000, 0.01));
  layout.seed = 7;
  layout.id = 0x0123456789abcdef;
  const std::string text = EncodeHeader(layout);
  const std::string line =
      "bloomline-shared-bloom version=1 capacity=1000000 false_positive_rate=0.01 seed=7 "
      "block_bytes=128 num_probes=6 blocks_per_shard=9548 num_shards=1 id=0123456789abcdef";
  EXPECT_EQ(text, line + std::string(256 - line.size(), ' '));
  Layout read;
  ASSERT_TRUE(DecodeHeader(text, &read));
  EXPECT_EQ(EncodeHeader(read), text);
  EXPECT_TRUE(SameParameters(layout, read));
  read.id = 1;
  EXPECT_TRUE(SameParameters(layout, read));
  read.seed = 8;
  EXPECT_FALSE(SameParameters(layout, read));
}

TEST(HeaderTest, TheLongestOneFits) {
  Layout layout;
  layout.capacity = layout.seed = layout.id = UINT64_MAX;
  layout.false_positive_rate = 1.23456789012345e-06;
  layout.block_bytes = kMinBlockBytes;
  layout.num_probes = 30;
  layout.blocks_per_shard = (kMaxShardBytes - kHeaderBytes) / kMinBlockBytes;
  layout.num_shards = kMaxShards;
  const std::string header = EncodeHeader(layout);
  EXPECT_EQ(header.size(), kHeaderBytes);
  EXPECT_NE(header.find(" id=ffffffffffffffff "), std::string::npos) << header;
  Layout read;
  EXPECT_TRUE(DecodeHeader(header, &read));
  ++layout.blocks_per_shard;
  EXPECT_FALSE(DecodeHeader(EncodeHeader(layout), &read));
}

TEST(HeaderTest, DamagedTextIsRefusedOrStillInRange) {
  Layout layout = PlanLayout(Options(1000000, 0.01));
  layout.id = UINT64_MAX;
  const std::string text = EncodeHeader(layout);
  Layout read;
  for (const char* more : {" ", " more=1", "0", "\n"}) {
    EXPECT_FALSE(DecodeHeader(text + more, &read)) << more;
  }
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(DecodeHeader(text.substr(0, length), &read)) << length;
  }
  for (const char replacement : {'\0', ' ', '-', '9', 'x', '\xff'}) {
    for (size_t i = 0; i < text.size(); ++i) {
      std::string damaged = text;
      damaged[i] = replacement;
      if (!DecodeHeader(damaged, &read)) continue;
      ASSERT_GE(read.num_probes, 1);
      ASSERT_LE(read.num_probes, 30);
      ASSERT_GE(read.num_shards, 1u);
      ASSERT_LE(read.shard_bytes(), kMaxShardBytes);
      ASSERT_GE(read.shard_bytes(), 1u);
    }
  }
  for (const char* bad : {"num_probes=0", "num_probes=31", "num_probes=-1", "block_bytes=96",
                          "block_bytes=1024", "block_bytes=0", "num_shards=0", "num_shards=65537",
                          "blocks_per_shard=0", "blocks_per_shard=9999999999", "version=2",
                          "capacity=01000000", "false_positive_rate=0.010"}) {
    const std::string field = std::string(bad).substr(0, std::string(bad).find('='));
    const size_t at = text.find(field);
    const size_t end = text.find(' ', at);
    std::string changed = std::string(text).replace(at, end - at, bad);
    changed.resize(kHeaderBytes, ' ');
    EXPECT_FALSE(DecodeHeader(changed, &read)) << bad;
  }
}

TEST(OptionsTest, BadValuesAreRefusedByNameAndRange) {
  const auto refused = [](const SharedBloomFilterOptions& options, const std::string& words) {
    const std::string error = options.Validate();
    EXPECT_NE(error.find(words), std::string::npos) << error << " | " << words;
    EXPECT_NE(error.find("allowed"), std::string::npos) << error;
  };
  refused(Options(0, 0.01), "capacity is 0");
  refused(Options(2000000000000, 0.01), "capacity is 2000000000000");
  refused(Options(1000000000000, 0.01), "65536 shards");
  for (const double rate : {0.0, -1.0, 0.6, 1e-7, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    refused(Options(1000, rate), "false_positive_rate is");
  }
  SharedBloomFilterOptions options = Options(1000, 0.01);
  EXPECT_EQ(options.Validate(), "");
  options.shard_bytes = 4095;
  refused(options, "shard_bytes is 4095");
  options.shard_bytes = (64 << 20) + 1;
  refused(options, "shard_bytes is 67108865");
}

TEST(OptionsTest, BadServersAreRefusedByNameAndRange) {
  const auto refused = [](const RedisServers& servers, const std::string& words) {
    const std::string error = servers.Validate();
    EXPECT_NE(error.find(words), std::string::npos) << error << " | " << words;
  };
  EXPECT_EQ(RedisServers().Validate(), "");
  RedisServers servers;
  servers.servers = {};
  refused(servers, "servers is empty");
  servers.servers = {"[::1]:6379"};
  EXPECT_EQ(servers.Validate(), "");
  servers.username = "u";
  refused(servers, "there is a username without a password");
  servers.username.clear();
  servers.connect_timeout_ms = 0;
  refused(servers, "connect_timeout_ms is 0");
  servers.connect_timeout_ms = 1;
  servers.command_timeout_ms = 600001;
  refused(servers, "command_timeout_ms is 600001");
  servers.command_timeout_ms = 1;
  servers.max_retries = -1;
  refused(servers, "max_retries is -1");
}

TEST(OptionsTest, BadAddOptionsAreRefusedByNameAndRange) {
  const auto error_of = [](int min_replicas, int replica_timeout_ms) {
    AddOptions options;
    options.min_replicas = min_replicas;
    options.replica_timeout_ms = replica_timeout_ms;
    return options.Validate();
  };
  EXPECT_EQ(error_of(1000, 600000), "");
  EXPECT_EQ(error_of(-1, 1), "min_replicas is -1; allowed: 0 to 1000");
  EXPECT_EQ(error_of(1001, 1), "min_replicas is 1001; allowed: 0 to 1000");
  EXPECT_EQ(error_of(1, 0), "replica_timeout_ms is 0; allowed: 1 to 600000");
  EXPECT_EQ(error_of(0, 600001), "replica_timeout_ms is 600001; allowed: 1 to 600000");
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
}  // namespace bloomline::redis
