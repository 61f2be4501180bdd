// A filter's entry is found although its slot moves and other failures have used up rounds. The two
// nodes are threads of the test, so that the order of their replies is certain.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/layout.h"
#include "tests/redis/redis_proxy.h"

namespace bloomline::tests::redis_redirect_test {
namespace {

std::string Header() {
  redis::Layout layout;
  layout.false_positive_rate = 0.01;
  layout.capacity = 1000;
  layout.num_probes = 6;
  layout.blocks_per_shard = layout.num_shards = 1;
  layout.block_bytes = 128;
  return redis::EncodeHeader(layout);
}

// The table of slots: this node has all.
std::string Slots(const std::string& address) {
  return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" +
         address.substr(address.find(':') + 1) + "\r\n";
}

class RedisRedirectTest : public testing::TestWithParam<const char*> {};

TEST_P(RedisRedirectTest, EmptyReplyOfAMovingSlotIsNoMissingFilterAfterOtherFailures) {
  constexpr int kFailures = 7;
  constexpr int kNever = 100;
  // How often the entry is just where the client does not look.
  for (const int num_asks : {1, 3, kNever}) {
    std::atomic<int> reads{0};
    const ScriptedServer other(
        [](const auto& command) { return command[0] == "ASKING" ? "+OK\r\n" : "$0\r\n\r\n"; });
    std::string address;  // of `node`
    const ScriptedServer node([&](const auto& command) -> std::string {
      if (command[0] == "CLUSTER") return Slots(address);
      const int read = reads++;
      const std::string failure = GetParam();
      if (read < kFailures) return failure + (failure == "-MOVED" ? " 1 " + address : "") + "\r\n";
      if (read < kFailures + num_asks) return "-ASK 1 " + other.address() + "\r\n";
      return "$256\r\n" + Header() + "\r\n";
    });
    address = node.address();
    RedisServers servers;
    servers.servers = {address};
    servers.max_retries = kFailures;
    std::string error;
    const auto filter = SharedBloomFilter::Open(servers, "f", &error);
    EXPECT_EQ(filter != nullptr, num_asks != kNever) << num_asks << error;
    if (num_asks == kNever) {
      EXPECT_EQ(error, "there is no filter 'f'");
      EXPECT_EQ(reads, kFailures + 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Failures, RedisRedirectTest, testing::Values("-LOADING", "-MOVED"));

// A node that lacks a key replies 0 to the commands that remove it.
TEST(RedisRedirectDeleteTest, ZeroOfAMovingSlotIsNoDeletion) {
  const ScriptedServer other(
      [](const auto& command) { return command[0] == "ASKING" ? "+OK\r\n" : ":0\r\n"; });
  std::string address;  // of `node`
  std::atomic<int> unlinks{0}, evals{0};
  const ScriptedServer node([&](const auto& command) -> std::string {
    const std::string& name = command[0];
    if (name == "CLUSTER") return Slots(address);
    if (name == "GETRANGE") return "$256\r\n" + Header() + "\r\n";
    std::atomic<int>& calls = name == "UNLINK" ? unlinks : evals;
    return calls++ == 0 ? "-ASK 1 " + other.address() + "\r\n" : ":1\r\n";
  });
  address = node.address();
  RedisServers servers;
  servers.servers = {address};
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers, "f", &error)) << error;
  EXPECT_EQ(unlinks, 2) << "the shard";
  EXPECT_EQ(evals, 2) << "the entry";
}

}  // namespace
}  // namespace bloomline::tests::redis_redirect_test
