// SharedBloomFilter on a cluster of three nodes, also while slots move and nodes die.
// BLOOMLINE_TEST_KEYS in the environment: the number of keys in one AddKeys call while slots move;
// 100000 if not set.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/slots.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests {
namespace {

class RedisClusterTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    cluster_ = std::make_unique<RedisCluster>();
    servers_.servers = {cluster_->node(0).address()};
    // On a busy machine a server may get no CPU time for seconds; AddKeys would then send a command
    // again and answer kUnknown.
    servers_.command_timeout_ms = 60000;
    options_.capacity = 300000;
    options_.shard_bytes = 16384;  // 23 shards
  }

  std::vector<std::string> ShardsAt(size_t node) {
    return cluster_->node(node).KeysLike("bloomline:shard:{f:*");
  }

  uint64_t Redirects(const std::string& kind, size_t node) {
    return cluster_->node(node).Info("errorstats", "errorstat_" + kind + ":count");
  }
  uint64_t Redirects(const std::string& kind) {
    return Redirects(kind, 0) + Redirects(kind, 1) + Redirects(kind, 2);
  }

  // How many of these commands a node, or all nodes, have executed.
  uint64_t Calls(const std::string& command, size_t node) {
    return cluster_->node(node).Info("commandstats", "cmdstat_" + command + ":calls");
  }
  uint64_t Calls(const std::string& command) {
    return Calls(command, 0) + Calls(command, 1) + Calls(command, 2);
  }

  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterTest, ShardsSpreadAndADeadNodeAffectsOnlyItsOwn) {
  for (const std::string key :
       {"foo", "{a}b", "x{}y", "", "bloomline:shard:{f:0123456789abcdef:17}"}) {
    EXPECT_EQ(cluster_->Slot(key), std::to_string(redis::KeySlot(key))) << key;
  }
  servers_.when_unavailable = WhenUnavailable::kError;
  const auto filter = Create();
  EXPECT_EQ(filter->num_shards(), 23u);
  for (size_t i = 0; i < RedisCluster::kNodes; ++i) EXPECT_GE(ShardsAt(i).size(), 1u);
  const std::vector<std::string> keys = Keys(50000, "key");
  const uint64_t redirects = Redirects("MOVED");
  ASSERT_TRUE(filter->AddKeys(keys)) << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  EXPECT_EQ(filter->AddKey("key1"), AddResult::kPresent);
  EXPECT_EQ(Redirects("MOVED"), redirects) << "the slot table was right";
  // Another client, which is given another node only.
  servers_.servers = {"127.0.0.1:1", cluster_->node(2).address()};
  std::string error;
  const auto other = SharedBloomFilter::Open(servers_, "f", &error);
  ASSERT_NE(other, nullptr) << error;
  EXPECT_EQ(other->MayMatch("key1"), Answer::kMaybe);
  EXPECT_EQ(other->MayMatch("absent"), Answer::kNo);
  cluster_->node(2).Kill();
  std::vector<Answer> answers(keys.size());
  EXPECT_FALSE(filter->MayMatch(keys, answers.data()));
  EXPECT_NE(filter->error(), "");
  EXPECT_EQ(Count(answers, Answer::kNo), 0u);
  EXPECT_GT(Count(answers, Answer::kError), 0u);
  EXPECT_LT(Count(answers, Answer::kError), keys.size());
  cluster_->node(2).Restart();  // without persistence: its shards are gone
  EXPECT_FALSE(filter->MayMatch(keys, answers.data()));
  EXPECT_EQ(Count(answers, Answer::kNo), 0u);
}

// A slot that contains a shard moves back and forth during one call. It is only one: the node that
// gets a slot has the highest epoch then. Of two slots, the second would leave a node whose epoch
// is lower than that of the destination. A third node may have read a late message and still take
// the destination for the owner; it would tell the source, which drops the slot and its keys
// (MIGRATE then fails with MOVED).
TEST_F(RedisClusterTest, OneAddKeysCallWhileASlotMoves) {
  const char* wanted = std::getenv("BLOOMLINE_TEST_KEYS");
  const size_t num_keys = wanted == nullptr ? 100000 : std::stoul(wanted);
  options_.capacity = num_keys;
  options_.shard_bytes = std::max<uint64_t>(num_keys / 20, 4096);  // 25 shards
  const auto filter = Create();
  const std::string moving = ShardsAt(0).at(0);
  std::atomic<bool> stop{false};
  std::atomic<int> moves{0};
  std::thread mover([&] {
    for (size_t from = 0; !stop; from = 1 - from) {
      cluster_->BeginMigration(moving, from, 1 - from);
      cluster_->MoveKey(moving, from, 1 - from);
      cluster_->EndMigration(moving, 1 - from);
      ++moves;
      // A client without CPU time could meet a move in each of a command's attempts (8 at least).
      // So the next move waits until the nodes have executed more commands than a batch of
      // additions has (about 280), or than a batch of queries repeats (about 170, of the shard).
      const auto executed = [&] { return Calls("bitfield") + Calls("getrange"); };
      const uint64_t next = executed() + 400;
      while (!stop && executed() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  });
  const std::vector<std::string> keys = Keys(num_keys, "key");
  const std::vector<std::string_view> views = Views(keys);
  std::vector<AddResult> results(num_keys);
  std::vector<Answer> answers(num_keys);
  const uint64_t redirects = Redirects("ASK") + Redirects("MOVED");
  const bool all_added = filter->AddKeys(num_keys, views.data(), results.data());
  const std::string add_error = filter->error();
  const int moves_of_add = moves;
  const bool all_queried = filter->MayMatch(num_keys, views.data(), answers.data());
  const std::string query_error = filter->error();
  stop = true;
  mover.join();
  EXPECT_TRUE(all_added) << add_error;
  EXPECT_TRUE(all_queried) << query_error;
  EXPECT_GT(Redirects("ASK") + Redirects("MOVED"), redirects);
  size_t num_new = 0;
  for (const AddResult result : results) {
    ASSERT_TRUE(result == AddResult::kNew || result == AddResult::kPresent);
    num_new += result == AddResult::kNew;
  }
  EXPECT_GT(num_new, num_keys * 99 / 100) << "the others were false positives";
  for (const Answer answer : answers) ASSERT_EQ(answer, Answer::kMaybe);
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  const uint64_t learned = Redirects("ASK") + Redirects("MOVED");
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  EXPECT_EQ(Redirects("ASK") + Redirects("MOVED"), learned) << "it knows where the shards are";
  const std::vector<std::string> absent = Keys(20000, "absent");
  const size_t positives = absent.size() - CountLost(filter.get(), absent);
  EXPECT_LT(positives, absent.size() * 13 / 1000);
  std::printf("%zu keys added during %d moves of a slot, %llu redirects, 0 not found; FPR %.4f\n",
              num_keys, moves_of_add,
              static_cast<unsigned long long>(Redirects("ASK") + Redirects("MOVED") - redirects),
              static_cast<double>(positives) / static_cast<double>(absent.size()));
  EXPECT_GT(moves_of_add, 1);
}

// A client follows an ASK only in its next round. Meanwhile the move has been given up, the key has
// gone back, and the move has begun again: the node that ASK named does not have the key. Node 2 is
// stopped, so that the round lasts until all of this is done.
TEST_F(RedisClusterTest, RedirectIsFollowedLate) {
  const auto filter = Create();
  const std::string shard = ShardsAt(1).at(0);
  const std::string slot = cluster_->Slot(shard);
  const std::string destination = cluster_->node(1).Command({"CLUSTER", "MYID"});

  // Before that, in each state of the slot during one move, keys are added and found.
  std::vector<std::string> added;
  const auto add_and_find = [&](const std::string& state, bool is_asked, bool is_moved) {
    SCOPED_TRACE(state);
    for (const std::string& key : Keys(500, state)) added.push_back(key);
    const uint64_t before[] = {Redirects("ASK"), Redirects("MOVED")};
    EXPECT_TRUE(filter->AddKeys(added)) << filter->error();
    EXPECT_EQ(CountLost(filter.get(), added), 0u);
    EXPECT_EQ(Redirects("ASK") > before[0], is_asked);
    EXPECT_EQ(Redirects("MOVED") > before[1], is_moved);
  };
  cluster_->BeginMigration(shard, 1, 0);
  add_and_find("the shard has not moved", false, false);
  cluster_->MoveKey(shard, 1, 0);
  add_and_find("the slot has not moved", true, false);
  cluster_->EndMigration(shard, 0);
  add_and_find("the slot has moved", false, true);
  add_and_find("the client knows it", false, false);

  const auto asks = [&] { return Redirects("ASK", 0); };
  cluster_->BeginMigration(shard, 0, 1);
  cluster_->MoveKey(shard, 0, 1);
  // A few keys of the shard, and one of node 2. Each node gets its commands in one piece.
  std::vector<std::string> keys;
  std::vector<std::string> late_keys;
  for (size_t i = 0, of_shard = 0, of_node_2 = 0; of_shard < 20 || of_node_2 == 0; ++i) {
    ASSERT_LT(i, 10000u) << "node 2 has no shard, or the servers do not count";
    const std::string key = "key" + std::to_string(i);
    const uint64_t asks_before = asks();
    const uint64_t calls_before = Calls("getrange", 2);
    ASSERT_EQ(filter->MayMatch(key), Answer::kNo) << filter->error();
    const bool is_of_shard = asks() > asks_before;
    const bool is_of_node_2 = Calls("getrange", 2) > calls_before;
    of_node_2 += is_of_node_2;
    of_shard += is_of_shard;
    const bool is_first_of_node_2 = is_of_node_2 && of_node_2 == 1;
    if (is_first_of_node_2 || (is_of_shard && of_shard <= 10)) keys.push_back(key);
    if (is_first_of_node_2 || (is_of_shard && of_shard > 10)) late_keys.push_back(key);
  }
  const auto give_up_and_begin_again = [&] {
    EXPECT_EQ(cluster_->node(0).Command({"CLUSTER", "SETSLOT", slot, "STABLE"}), "OK");
    cluster_->MoveKey(shard, 1, 0);
    EXPECT_EQ(cluster_->node(0).Command({"CLUSTER", "SETSLOT", slot, "MIGRATING", destination}),
              "OK");
  };
  give_up_and_begin_again();
  ASSERT_TRUE(filter->AddKeys(keys)) << filter->error();
  const auto run_late = [&](uint64_t num_asks, const std::function<void()>& call) {
    cluster_->MoveKey(shard, 0, 1);
    const uint64_t all_asks = asks() + num_asks;
    cluster_->node(2).Stop();
    std::thread client(call);
    const bool has_asked = Within30Seconds([&] { return asks() >= all_asks; });
    if (has_asked) give_up_and_begin_again();
    cluster_->node(2).Continue();
    client.join();
    ASSERT_TRUE(has_asked);
    EXPECT_EQ(asks(), all_asks);
  };
  std::vector<Answer> answers(keys.size());
  const uint64_t queries = Calls("getrange", 1);
  run_late(10, [&] { EXPECT_TRUE(filter->MayMatch(keys, answers.data())) << filter->error(); });
  EXPECT_EQ(Calls("getrange", 1), queries + 10);
  EXPECT_EQ(Count(answers, Answer::kMaybe), keys.size());

  // An addition creates no string at node 1, which would be in the way of the shard.
  run_late(1, [&] { EXPECT_TRUE(filter->AddKeys(late_keys)) << filter->error(); });
  EXPECT_TRUE(cluster_->node(1).KeysLike(shard).empty());
  EXPECT_EQ(CountLost(filter.get(), late_keys), 0u);

  std::string error;
  run_late(1, [&] { EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error; });
  const auto num_keys = [&](size_t node) { return cluster_->node(node).Command({"DBSIZE"}); };
  for (size_t i = 0; i < RedisCluster::kNodes; ++i) EXPECT_EQ(num_keys(i), "0");

  // Now the shard is lost. The client does not look for it for ever.
  EXPECT_FALSE(filter->MayMatch(keys, answers.data()));
  EXPECT_EQ(Count(answers, Answer::kNo), 0u);
}

// Every script has one key, so a cluster has no reason to refuse it (TRYAGAIN) while the key's slot
// moves.
TEST_F(RedisClusterTest, FilterIsCreatedAndDeletedWhileItsSlotsMove) {
  const std::string entry = "bloomline:{f}";
  const size_t from = cluster_->NodeOf(entry);
  const size_t to = (from + 1) % RedisCluster::kNodes;
  cluster_->BeginMigration(entry, from, to);
  const uint64_t asks = Redirects("ASK");
  const auto filter = Create();
  ASSERT_NE(filter, nullptr);
  EXPECT_GT(Redirects("ASK"), asks);
  EXPECT_EQ(Redirects("TRYAGAIN"), 0u);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  cluster_->EndMigration(entry, to);
  EXPECT_EQ(Create()->MayMatch("key"), Answer::kMaybe);
  const std::string shard = ShardsAt(0)[0];
  cluster_->BeginMigration(shard, 0, 1);
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  cluster_->EndMigration(shard, 1);
  for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
    EXPECT_EQ(cluster_->node(i).Command({"DBSIZE"}), "0");
  }
}

}  // namespace
}  // namespace bloomline::tests
