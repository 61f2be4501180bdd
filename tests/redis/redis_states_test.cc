// The scripts of creation in every state of docs/redis_protocol.md, and what depends on time.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/lifecycle.h"
#include "src/redis/router.h"
#include "src/redis/scripts.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"

namespace bloomline::tests {
namespace {

class RedisStatesTest : public RedisFilterTest {
 protected:
  std::string Bytes(size_t n, char c = '\0') const { return std::string(n, c); }
};

// A shard of 4 blocks of 64 bytes.
class ShardStatesTest : public RedisStatesTest {
 protected:
  static constexpr const char* kKey = "bloomline:shard:{f:00000000000000ff:0}";

  std::string Allocate() {
    return server_->Command({"EVAL", redis::kAllocateShard, "1", kKey, "256", "511", "3600"});
  }
  std::string Fill(const std::string& token, const std::string& block, const std::string& blocks) {
    return server_->Command(
        {"EVAL", redis::kFillShard, "1", kKey, token, "511", block, blocks, "64", "3600"});
  }
  std::string Keep() {
    return server_->Command({"EVAL", redis::kKeepShard, "1", kKey, "256", "511"});
  }
  std::string Renew() { return server_->Command({"EVAL", redis::kRenewShard, "1", kKey, "7200"}); }
  std::string RemoveRemnant() {
    return server_->Command({"EVAL", redis::kRemoveRemnant, "1", kKey, "2047"});
  }

  std::string AddIfPresent() {
    return server_->Command({"EVAL", redis::kAddIfPresent, "1", kKey, "2047", "SET", "u1", "700",
                             "1", "GET", "u1", "2047"});
  }

  std::string State() {
    const std::string ttl = server_->Command({"TTL", kKey});
    return ttl == "-2"
               ? "absent"
               : server_->Command({"GET", kKey}) + (ttl == "-1" ? " permanent" : " expires");
  }

  // Sets bits as an addition does, also bits that are set in tokens.
  void Add() {
    server_->Command({"BITFIELD", kKey, "SET", "u8", "0", "49", "SET", "u1", "700", "1"});
  }

  // Creates the state. *token is the creator's token.
  void Make(const std::string& state, std::string* token) {
    server_->Command({"DEL", kKey});
    *token = "000000000001000000";
    if (state == "absent") return;
    if (state == "remnant") return Add();
    *token = Allocate();
    ASSERT_EQ(token->size(), 18u) << *token;
    if (state == "allocated") return;
    if (state == "allocated anew") {
      server_->Command({"DEL", kKey});
      ASSERT_NE(Allocate(), *token);
      return;
    }
    ASSERT_EQ(Fill(*token, "64", "3"), "1");
    if (state == "half filled") return;
    ASSERT_EQ(Fill(*token, "0", "1"), "1");
    if (state == "filled") return;
    ASSERT_EQ(state, "permanent");
    ASSERT_EQ(Keep(), "1");
    Add();
  }
};

TEST_F(ShardStatesTest, EveryScriptInEveryState) {
  const std::string block = Bytes(63) + '\1';
  std::string token;
  Make("allocated", &token);
  EXPECT_EQ(State(), token + Bytes(238) + " expires") << "no marker";
  Make("half filled", &token);
  EXPECT_EQ(State(), token + Bytes(46) + block + block + block + " expires");
  Make("filled", &token);
  EXPECT_EQ(State(), block + block + block + block + " expires");

  struct Row {
    const char* state;
    bool allocate, fill, keep, renew;  // whether the script accepts it
  };
  const Row rows[] = {
      {"absent", true, false, false, false},    {"remnant", false, false, false, false},
      {"allocated", true, true, false, true},   {"allocated anew", true, false, false, true},
      {"half filled", true, true, false, true}, {"filled", false, true, true, true},
      {"permanent", false, true, true, false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.state);
    const std::string state = row.state;
    const bool is_final = state == "filled" || state == "permanent";
    // Runs it twice, as a repeated command would. Returns the state after it.
    const auto run = [&](const std::function<std::string()>& script, bool accepted, bool changes) {
      Make(state, &token);
      const std::string before = State();
      for (int i = 0; i < 2; ++i) {
        const std::string reply = script();
        EXPECT_EQ(reply == "1" || reply.size() == 18, accepted) << reply;
      }
      EXPECT_EQ(State() != before, changes);
      return State();
    };
    run([&] { return Allocate(); }, row.allocate, state == "absent");
    run([&] { return Fill(token, "64", "3"); }, row.fill, state == "allocated");
    run([&] { return Renew(); }, row.renew, false);
    const std::string start =
        run([&] { return Fill(token, "0", "1"); }, row.fill, row.fill && !is_final);
    const std::string kept = run([&] { return Keep(); }, row.keep, state == "filled");
    if (row.keep) {
      EXPECT_EQ(kept.substr(kept.size() - 9), "permanent");
    }
    if (row.fill && !is_final) {
      EXPECT_EQ(start.substr(0, 64), block);
    }
    const bool is_complete = is_final || state == "half filled";
    Make(state, &token);
    const std::string before = State();
    EXPECT_EQ(AddIfPresent(), !is_complete ? "0" : state == "permanent" ? "1 1" : "0 1");
    EXPECT_EQ(AddIfPresent(), is_complete ? "1 1" : "0");
    EXPECT_EQ(State() == before, !is_complete || state == "permanent");
    const std::string added = State();
    const std::string reply =
        server_->Command({"EVAL", redis::kAddIfPresent, "1", kKey, "2047", "SET", "u1", "700", "1",
                          "INCRBY", "u1", "2047", "1", "INCRBY", "u1", "2047", "1"});
    EXPECT_EQ(reply, is_complete ? "1 0 1" : "0") << "with replicas";
    EXPECT_EQ(State(), added);
    Make(state, &token);
    EXPECT_EQ(RemoveRemnant(), state == "absent" || is_complete ? "0" : "1");
  }
}

TEST_F(ShardStatesTest, ShardThatLacksItsEndIsNotMadePermanent) {
  server_->Command({"SET", kKey, Bytes(63) + '\1', "EX", "3600"});
  EXPECT_EQ(Keep(), "0");
  EXPECT_EQ(State(), Bytes(63) + "\1 expires");
}

TEST_F(ShardStatesTest, EachAllocationHasATokenOfItsOwn) {
  std::string last;
  for (int i = 0; i < 100; ++i) {
    server_->Command({"DEL", kKey});
    const std::string token = Allocate();
    ASSERT_LT(last, token);
    last = token;
  }
}

class MetadataStatesTest : public RedisStatesTest {
 protected:
  static constexpr const char* kKey = "bloomline:{f}";

  std::string TakeTicket(const std::string& id) {
    return server_->Command({"EVAL", redis::kTakeTicket, "1", kKey, "ticket:" + id, "3600"});
  }
  std::string Publish(const std::string& id, const std::string& token) {
    return server_->Command(
        {"EVAL", redis::kPublish, "1", kKey, "ticket:" + id, token, "metadata of " + id});
  }
  std::string Finish(const std::string& id) {
    return server_->Command({"EVAL", redis::kFinish, "1", kKey, "metadata of " + id});
  }
  std::string GiveUp(const std::string& id) {
    return server_->Command({"EVAL", redis::kGiveUp, "1", kKey, "metadata of " + id});
  }
  std::string Forget(const std::string& id) {
    return server_->Command({"EVAL", redis::kForget, "1", kKey, "metadata of " + id});
  }
  std::string State() {
    return server_->Command({"HGETALL", kKey}) + ", TTL " + server_->Command({"TTL", kKey});
  }
};

TEST_F(MetadataStatesTest, OneTicketPublishesOnceAndNeverAfterADelete) {
  EXPECT_EQ(Publish("a", "000000000001000000"), "(nil)") << "without a ticket";
  const std::string a = TakeTicket("a");
  ASSERT_EQ(a.size(), 18u);
  EXPECT_EQ(TakeTicket("a"), a) << "a repeated command";
  EXPECT_EQ(State(), "ticket:a " + a + ", TTL 3600");
  const std::string b = TakeTicket("b");
  EXPECT_EQ(Publish("b", a), "(nil)") << "another's token";
  EXPECT_EQ(Publish("a", a), "metadata of a");
  EXPECT_EQ(State(), "metadata metadata of a unfinished 1, TTL -1");
  EXPECT_EQ(Publish("a", a), "metadata of a") << "a repeated command";
  EXPECT_EQ(Publish("b", b), "metadata of a") << "the second creator";
  EXPECT_EQ(TakeTicket("b"), "(nil)");
  EXPECT_EQ(Finish("b"), "0");
  EXPECT_EQ(Forget("b"), "0");
  EXPECT_EQ(Finish("a"), "1");
  EXPECT_EQ(Finish("a"), "1");
  EXPECT_EQ(State(), "metadata metadata of a, TTL -1");
  EXPECT_EQ(Forget("a"), "1");
  EXPECT_EQ(Forget("a"), "0");
  // Late copies of all of these commands, in order.
  EXPECT_NE(TakeTicket("a"), a);
  EXPECT_EQ(Publish("a", a), "(nil)");
  EXPECT_EQ(Finish("a"), "0");
  EXPECT_EQ(server_->Command({"TTL", kKey}), "3600") << "and the ticket expires";
}

TEST_F(MetadataStatesTest, CreationIsEitherGivenUpOrFinished) {
  EXPECT_EQ(GiveUp("a"), "0");
  Publish("a", TakeTicket("a"));
  EXPECT_EQ(GiveUp("b"), "0");
  EXPECT_EQ(GiveUp("a"), "1");
  EXPECT_EQ(GiveUp("a"), "1");
  EXPECT_EQ(Finish("a"), "0");
  EXPECT_EQ(Forget("a"), "1");
  Publish("a", TakeTicket("a"));
  EXPECT_EQ(Finish("a"), "1");
  EXPECT_EQ(GiveUp("a"), "0");
  EXPECT_EQ(State(), "metadata metadata of a, TTL -1");
}

TEST_F(MetadataStatesTest, ForeignHashIsGivenNoExpiry) {
  server_->Command({"HSET", kKey, "other", "value"});
  TakeTicket("a");
  EXPECT_EQ(server_->Command({"TTL", kKey}), "-1");
}

// Fills 24 shards in 5 seconds, with an expiry of 4: they are renewed each second, and a busy
// machine may be three seconds late.
TEST_F(RedisStatesTest, CreationThatTakesLongerThanTheExpirySucceeds) {
  options_.capacity = 80000;
  options_.shard_bytes = 4096;
  redis::Layout layout = redis::PlanLayout(options_);
  ASSERT_EQ(layout.num_shards, 24u);
  redis::CreationPace pace;
  pace.expiry_seconds = 4;
  pace.group_bytes = 1;  // one shard at a time
  const RedisProxy proxy(server_->port(), {}, /*latency_ms=*/100);
  servers_.servers = {proxy.address()};
  std::string error;
  const std::unique_ptr<redis::Router> router = redis::Router::Connect(servers_, &error);
  ASSERT_NE(router, nullptr) << error;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(redis::CreateFilter(router.get(), "f", &layout, &error, pace)) << error;
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_TRUE(redis::CheckShards(router.get(), "f", layout, &error)) << error;
}

}  // namespace
}  // namespace bloomline::tests
