// SharedBloomFilter on a cluster of three nodes, also while slots move and nodes die.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests::redis_cluster_test {
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

  // Their names have a random number, so about one filter in 60 has two keys in one slot, and a
  // test that moves a slot with one key would leave the other behind.
  bool EachKeyHasItsSlot(const std::string& entry) {
    std::set<std::string> slots = {cluster_->Slot(entry)};
    size_t num_keys = 1;
    for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
      for (const std::string& shard : ShardsAt(i)) {
        slots.insert(cluster_->Slot(shard));
        ++num_keys;
      }
    }
    return slots.size() == num_keys;
  }

  // Of all nodes.
  uint64_t Redirects(const std::string& kind) {
    uint64_t sum = 0;
    for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
      sum += cluster_->node(i).Info("errorstats", "errorstat_" + kind + ":count");
    }
    return sum;
  }

  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterTest, ShardsSpreadAndADeadNodeAffectsOnlyItsOwn) {
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

// Every script has one key, so a cluster has no reason to refuse it (TRYAGAIN) while the key's slot
// moves. Each slot leaves the node that got the last one, which has the highest epoch. From another
// node, a third one may have read a late message and still take the destination for the owner; it
// would tell the source, which drops the slot and its keys (MIGRATE then fails with MOVED).
TEST_F(RedisClusterTest, FilterIsCreatedUsedAndDeletedWhileItsSlotsMove) {
  const std::string entry = "bloomline:{f}";
  const size_t from = cluster_->NodeOf(entry);
  const size_t to = (from + 1) % RedisCluster::kNodes;
  cluster_->BeginMigration(entry, from, to);
  const uint64_t asks = Redirects("ASK");
  auto filter = Create();
  ASSERT_NE(filter, nullptr);
  EXPECT_GT(Redirects("ASK"), asks);
  while (!EachKeyHasItsSlot(entry)) {
    Delete();
    filter = Create();
    ASSERT_NE(filter, nullptr);
  }
  cluster_->EndMigration(entry, to);

  std::vector<std::string> added;
  const auto add_and_find = [&](const std::string& state, bool is_asked, bool is_moved) {
    SCOPED_TRACE(state);
    for (const std::string& key : Keys(500, state)) added.push_back(key);
    const uint64_t before[] = {Redirects("ASK"), Redirects("MOVED")};
    std::vector<AddResult> results(added.size());
    EXPECT_TRUE(filter->AddKeys(added, results.data())) << filter->error();
    EXPECT_EQ(Count(results, AddResult::kUnknown), 0u);
    EXPECT_EQ(CountLost(filter.get(), added), 0u);
    EXPECT_EQ(Redirects("ASK") > before[0], is_asked);
    EXPECT_EQ(Redirects("MOVED") > before[1], is_moved);
  };
  const std::string shard = ShardsAt(to).at(0);
  cluster_->BeginMigration(shard, to, from);
  add_and_find("the shard has not moved", false, false);
  cluster_->MoveKey(shard, to, from);
  add_and_find("the slot has not moved", true, false);
  cluster_->EndMigration(shard, from);
  add_and_find("the slot has moved", false, true);
  add_and_find("the client knows it", false, false);

  cluster_->BeginMigration(shard, from, to);
  Delete();
  cluster_->EndMigration(shard, to);
  for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
    EXPECT_EQ(cluster_->node(i).Command({"DBSIZE"}), "0");
  }
  EXPECT_EQ(Redirects("TRYAGAIN"), 0u);
}

}  // namespace
}  // namespace bloomline::tests::redis_cluster_test
