// Replies that a broken or hostile server or a cluster may send. Whatever bytes come: a query is
// answered "no" only after a whole block with its marker, no addition is acknowledged without the
// shard's header, and redirects lead only to nodes. Servers are threads of the test.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/batches.h"
#include "src/redis/connection.h"
#include "src/redis/redis_layout.h"
#include "src/redis/router.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"

namespace bloomline::redis::redis_reply_test {
namespace {

using tests::ScriptedServer;

RedisLayout OneShard(uint32_t block_bytes, int num_probes) {
  RedisLayout layout;
  layout.capacity = 1000;
  layout.false_positive_rate = 0.01;
  layout.block_bytes = block_bytes;
  layout.num_probes = num_probes;
  layout.blocks_per_shard = layout.num_shards = 1;
  return layout;
}

// The reply as the client reads it, or null.
ReplyPtr Parse(std::string_view bytes) {
  redisReader* reader = redisReaderCreate();
  redisReaderFeed(reader, bytes.data(), bytes.size());
  void* reply = nullptr;
  redisReaderGetReply(reader, &reply);
  redisReaderFree(reader);
  return ReplyPtr(static_cast<redisReply*>(reply));
}

// Up to three bytes are changed, half of them among the first, which say what follows; or the rest
// is cut off.
ReplyPtr Garbled(std::string bytes, std::mt19937* random) {
  constexpr std::string_view kMeaningful = "$*+-:_#,%~0123456789\r\n";
  for (unsigned changes = (*random)() % 4; changes > 0; --changes) {
    const size_t place = (*random)() % ((*random)() % 2 == 0 ? 6 : bytes.size());
    bytes[place] = kMeaningful[(*random)() % kMeaningful.size()];
  }
  return Parse(bytes.substr(0, (*random)() % 8 == 0 ? (*random)() % bytes.size() : bytes.size()));
}

const Filter& FilterOf(int round) {
  static const Filter filters[] = {{"f", OneShard(64, 1)}, {"f", OneShard(512, 30)}};
  return filters[round % 2];
}

// In a batch, each key has the answer that a query for it alone has with the same reply.
TEST(RandomReplyTest, OnlyAWholeBlockWithItsMarkerAnswersAQuery) {
  std::mt19937 random;
  int num_blocks = 0;
  for (int round = 0; round < 10000; ++round) {
    const uint32_t block_bytes = FilterOf(round).layout.block_bytes;
    const std::string_view keys[] = {"one", "two"};
    QueryBatch batch(FilterOf(round), 2, keys);
    for (Command& command : *batch.commands()) {
      std::string block(block_bytes - random() % 8 / 7, random() % 2 == 0 ? '\0' : '\xFF');
      block.back() = static_cast<char>((block[0] & ~1) | (random() % 8 == 0 ? 0 : 1));
      command.error = "no reply";
      command.reply =
          Garbled("$" + std::to_string(block.size()) + "\r\n" + block + "\r\n", &random);
    }
    Answer answers[] = {Answer::kError, Answer::kError};
    std::string error;
    const bool has_all = batch.ReadReplies(answers, &error);
    ASSERT_EQ(error.empty(), has_all) << round;
    bool are_blocks = true;
    for (size_t i = 0; i < 2; ++i) {
      QueryBatch single(FilterOf(round), 1, &keys[i]);
      Command& command = single.commands()->at(0);
      command = std::move(batch.commands()->at(i));
      const redisReply* const reply = command.reply.get();
      const bool is_block = reply != nullptr && reply->type == REDIS_REPLY_STRING &&
                            reply->len == block_bytes && (reply->str[block_bytes - 1] & 1) != 0;
      Answer answer = Answer::kError;
      ASSERT_EQ(single.ReadReplies(&answer, &error), is_block) << round;
      EXPECT_EQ(answer != Answer::kError, is_block) << round;
      EXPECT_EQ(answers[i], answer) << round << ", key " << i;
      if (is_block && std::string(block_bytes, '\xFF') == reply->str) {
        EXPECT_EQ(answer, Answer::kMaybe) << round;
      }
      are_blocks = are_blocks && is_block;
      num_blocks += is_block ? 1 : 0;
    }
    EXPECT_EQ(has_all, are_blocks) << round;
  }
  EXPECT_GT(num_blocks, 2000);
  EXPECT_LT(num_blocks, 18000);
}

TEST(RandomReplyTest, OnlyAReplyWithTheHeadersFirstByteAddsKeys) {
  std::mt19937 random;
  int num_added = 0;
  for (int round = 0; round < 20000; ++round) {
    const bool for_replicas = random() % 2 == 0;
    const std::string_view keys[] = {"one", "two"};
    AddBatch batch(FilterOf(round), 2, keys, for_replicas);
    Command& command = batch.commands()->at(0);
    command.error = "no reply";
    command.repeated = random() % 2 == 0;
    const size_t num_bits = 2 * static_cast<size_t>(FilterOf(round).layout.num_probes);
    const size_t header = num_bits + (for_replicas ? 1 : 0);
    const bool has_one_more = random() % 8 == 0;
    std::string bytes = "*" + std::to_string(header + (has_one_more ? 2 : 1)) + "\r\n";
    for (size_t i = 0; i < header; ++i) bytes += random() % 8 == 0 ? ":0\r\n" : ":1\r\n";
    bytes += random() % 8 == 0 ? "$2\r\n98\r\n" : ":98\r\n";
    command.reply = Garbled(bytes + (has_one_more ? ":98\r\n" : ""), &random);
    const redisReply* const reply = command.reply.get();
    const bool is_added = reply != nullptr && reply->type == REDIS_REPLY_ARRAY &&
                          reply->elements == header + 1 &&
                          reply->element[header]->type == REDIS_REPLY_INTEGER &&
                          reply->element[header]->integer == kFirstHeaderByte;
    std::vector<AddResult> results(2, AddResult::kFailed);
    std::set<uint32_t> lost;
    std::string error;
    ASSERT_EQ(batch.ReadReplies(results.data(), &lost, &error), is_added) << round;
    EXPECT_EQ(tests::Count(results, AddResult::kFailed), is_added ? 0u : 2u) << round;
    EXPECT_TRUE(!command.repeated || tests::Count(results, AddResult::kPresent) == 0) << round;
    EXPECT_EQ(error.empty(), is_added) << round;
    num_added += is_added ? 1 : 0;
  }
  EXPECT_GT(num_added, 2000);
  EXPECT_LT(num_added, 18000);
}

TEST(RedirectTest, OnlyNodesAreAccepted) {
  const Endpoint sender = {"10.0.0.1", 7000, true};
  Redirect redirect;
  ASSERT_TRUE(ParseRedirect("MOVED 3999 127.0.0.1:6381", sender, &redirect));
  EXPECT_FALSE(redirect.ask);
  EXPECT_EQ(redirect.endpoint, (Endpoint{"127.0.0.1", 6381, true}));
  ASSERT_TRUE(ParseRedirect("ASK 16383 2001:db8::1:6381", sender, &redirect));
  EXPECT_TRUE(redirect.ask);
  EXPECT_EQ(redirect.endpoint, (Endpoint{"2001:db8::1", 6381, true}));
  for (const char* without_host : {"MOVED 0 :6381", "MOVED 0 ?:6381", "MOVED 0 []:6381"}) {
    ASSERT_TRUE(ParseRedirect(without_host, sender, &redirect)) << without_host;
    EXPECT_EQ(redirect.endpoint, (Endpoint{"10.0.0.1", 6381, true})) << "the host of the sender";
  }
  for (const char* bad : {"ERR MOVED 1 h:1", "MOVED", "MOVED ", "MOVED 1 h", "MOVED 1 h:0",
                          "ASK 1 h:65536", "ASK 1 h:1x", "ASK 1 /tmp/socket:1", "ASK 1 a@b:1"}) {
    EXPECT_FALSE(ParseRedirect(bad, sender, &redirect)) << bad;
  }
}

TEST(SlotRangesTest, OnlySlotsAndNodesAreAccepted) {
  const Endpoint sender = {"10.0.0.1", 7000};
  std::vector<SlotRange> ranges;
  const auto is_accepted = [&](const std::string& bytes) {
    const ReplyPtr reply = Parse(bytes);
    return reply != nullptr && ParseSlotRanges(*reply, sender, &ranges);
  };
  ASSERT_TRUE(
      is_accepted("*2\r\n"
                  "*4\r\n:0\r\n:5460\r\n*3\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n"
                  "*3\r\n$1\r\nh\r\n:7003\r\n$2\r\nid\r\n"
                  "*3\r\n:5461\r\n:16383\r\n*3\r\n$-1\r\n:7001\r\n$2\r\nid\r\n"));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].first, 0);
  EXPECT_EQ(ranges[0].last, 5460);
  EXPECT_EQ(ranges[0].master, (Endpoint{"127.0.0.1", 7000}));
  EXPECT_EQ(ranges[1].master, (Endpoint{"10.0.0.1", 7001})) << "no host: that of the sender";
  EXPECT_TRUE(is_accepted("*1\r\n*3\r\n:7\r\n:7\r\n*2\r\n$1\r\n?\r\n:65535\r\n"));
  for (const std::string bad :
       {"+OK", "$-1", "*1\r\n*0", "*1\r\n:1", "*1\r\n*2\r\n:0\r\n:1", "*1\r\n*3\r\n:0\r\n:1\r\n*0",
        "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh", "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nh\r\n:1",
        "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\nh\r\n:1",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1",
        "*1\r\n*3\r\n:0\r\n$1\r\n1\r\n*2\r\n$1\r\nh\r\n:1",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:0",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n$1\r\n1",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n:1\r\n:1", "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n*0\r\n:1",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$4\r\n/tmp\r\n:1"}) {
    EXPECT_FALSE(is_accepted(bad + "\r\n")) << bad;
  }
}

// A cluster of two nodes. `node` has all slots and a filter; `other` lacks every key.
class MovingSlotTest : public testing::Test {
 protected:
  // `lacking`: what `other` replies. `script`: what `node` replies, but for its table of slots.
  void Start(const std::string& lacking, const ScriptedServer::Script& script) {
    other_ = std::make_unique<ScriptedServer>(
        [lacking](const auto& command) { return command[0] == "ASKING" ? "+OK\r\n" : lacking; });
    node_ = std::make_unique<ScriptedServer>([this, script](const auto& command) {
      if (command[0] != "CLUSTER") return script(command);
      return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" +
             Node().substr(Node().find(':') + 1) + "\r\n";
    });
    servers_.servers = {Node()};
  }

  std::string Node() const { return node_->address(); }
  std::string Ask() const { return "-ASK 1 " + other_->address() + "\r\n"; }
  static std::string Header() { return "$256\r\n" + EncodeHeader(OneShard(128, 6)) + "\r\n"; }

  std::unique_ptr<ScriptedServer> other_;
  std::unique_ptr<ScriptedServer> node_;
  RedisServers servers_;
};

// An entry is found although its slot moves and other failures have used up rounds.
TEST_F(MovingSlotTest, EmptyReplyIsNoMissingFilterAfterOtherFailures) {
  constexpr int kFailures = 7;
  constexpr int kNever = 100;
  servers_.max_retries = kFailures;
  for (const bool is_moved : {false, true}) {
    // How often the entry is just where the client does not look.
    for (const int num_asks : {1, 3, kNever}) {
      std::atomic<int> reads{0};
      Start("$0\r\n\r\n", [&](const auto&) {
        const int read = reads++;
        if (read < kFailures) return is_moved ? "-MOVED 1 " + Node() + "\r\n" : "-LOADING\r\n";
        return read < kFailures + num_asks ? Ask() : Header();
      });
      std::string error;
      const auto filter = SharedBloomFilter::Open(servers_, "f", &error);
      EXPECT_EQ(filter != nullptr, num_asks != kNever) << num_asks << error;
      if (num_asks == kNever) {
        EXPECT_EQ(error, "there is no filter 'f'");
        EXPECT_EQ(reads, kFailures + 4);
      }
    }
  }
}

// The slot moves while the node works on a batch.
TEST_F(MovingSlotTest, EachCommandOfABatchFollowsItsOwnRedirect) {
  const std::string block = "$128\r\n" + std::string(128, '\xFF') + "\r\n";
  std::atomic<int> reads{0};
  Start(block, [&](const auto& command) {
    if (command[2] == "0") return Header();
    const int read = reads++;
    return read < 10 ? block : read < 20 ? Ask() : "-MOVED" + Ask().substr(4);
  });
  std::string error;
  const auto filter = SharedBloomFilter::Open(servers_, "f", &error);
  ASSERT_NE(filter, nullptr) << error;
  EXPECT_EQ(tests::CountLost(filter.get(), tests::Keys(100, "key")), 0u);
  EXPECT_EQ(reads, 100);
}

// A node that lacks a key replies 0 to the commands that remove it.
TEST_F(MovingSlotTest, ZeroIsNoDeletion) {
  std::atomic<int> unlinks{0}, evals{0};
  Start(":0\r\n", [&](const auto& command) -> std::string {
    if (command[0] == "GETRANGE") return Header();
    std::atomic<int>& calls = command[0] == "UNLINK" ? unlinks : evals;
    return calls++ == 0 ? Ask() : ":1\r\n";
  });
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(unlinks, 2) << "the shard";
  EXPECT_EQ(evals, 2) << "the entry";
}

}  // namespace
}  // namespace bloomline::redis::redis_reply_test
