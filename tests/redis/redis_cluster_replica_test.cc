// Additions that replicas in a cluster confirm: no acknowledged key may be lost when a replica
// takes over.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/filter/bits/hash.h"
#include "src/redis/layout.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests::redis_cluster_replica_test {
namespace {

class RedisClusterReplicaTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    options_.capacity = 100000;
    cluster_ = std::make_unique<RedisCluster>(true);
    servers_.servers = {cluster_->node(1).address(), cluster_->node(2).address()};
    options_.shard_bytes = 4096;  // 31 shards
  }

  ::testing::AssertionResult ReplicaOfNode0TakesOver() {
    // All servers that are alive know it and serve. One that missed the others for as long as the
    // nodes' time-out refuses commands for seconds more.
    const auto serves = [](const RedisServer& server) {
      const std::string info = server.Command({"CLUSTER", "INFO"});
      return info.find("cluster_state:ok") != std::string::npos &&
             info.find("cluster_slots_ok:16384") != std::string::npos;
    };
    return Within30Seconds([&] {
      return cluster_->replica(0).Command({"INFO", "replication"}).find("role:master") !=
                 std::string::npos &&
             serves(cluster_->replica(0)) && serves(cluster_->node(1)) && serves(cluster_->node(2));
    });
  }

  // n keys of the filter "f" whose bits are in this shard.
  std::vector<std::string> KeysOf(const std::string& shard, size_t n, const std::string& prefix) {
    const std::string entry = redis::EntryKey("f");
    const std::string header = cluster_->node(cluster_->NodeOf(entry)).Command({"GET", entry});
    redis::Layout layout;
    EXPECT_TRUE(redis::DecodeHeader(header, &layout));
    std::vector<std::string> keys;
    for (int i = 0; keys.size() < n; ++i) {
      std::string key = prefix + std::to_string(i);
      const redis::Place place = redis::PlaceOf(layout, filter::Hash64(key, layout.seed));
      if (redis::ShardKey("f", layout.id, place.shard) == shard) keys.push_back(std::move(key));
    }
    return keys;
  }

  std::unique_ptr<RedisCluster> cluster_;
};

// One cluster for all, because it takes seconds to start.
TEST_F(RedisClusterReplicaTest, NoConfirmedKeyIsLostWhenANodeDies) {
  // The replica of node 0 has an older filter of this name, and lacks shards of the new one. So no
  // key is confirmed, wherever it lies.
  WaitForReplicas(cluster_->node(0), 1);
  ASSERT_NE(Create(), nullptr);
  WaitForReplicas(cluster_->node(0), 1);
  CutOff(&cluster_->node(0), &cluster_->replica(0));
  Delete();
  const auto filter = Create();
  ASSERT_NE(filter, nullptr);
  std::vector<std::string> keys = Keys(1000, "key");
  std::vector<AddResult> results(keys.size());
  EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 100)));
  EXPECT_EQ(Count(results, AddResult::kFailed), keys.size());
  EXPECT_TRUE(Has(filter->error(), "0 of 1 replicas confirmed"));
  cluster_->replica(0).Continue();
  WaitForReplicas(cluster_->node(0), 1);
  EXPECT_NE(filter->AddKey("first", Replicas(1, 10000)), AddResult::kFailed) << filter->error();

  // While a slot moves, the node that took the addition gets the WAIT.
  const std::string shard = cluster_->node(0).KeysLike("bloomline:shard:{f:*").at(0);
  const std::vector<std::string> moving = KeysOf(shard, 2, "moving");
  cluster_->BeginMigration(shard, 0, 1);
  cluster_->MoveKey(shard, 0, 1);
  EXPECT_EQ(filter->AddKey(moving[0], Replicas(1, 10000)), AddResult::kNew) << filter->error();
  CutOff(&cluster_->node(1), &cluster_->replica(1));
  EXPECT_EQ(filter->AddKey(moving[1], Replicas(1, 100)), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), cluster_->node(1).address() + ": 0 of 1 replicas confirmed"));
  cluster_->replica(1).Continue();
  WaitForReplicas(cluster_->node(1), 1);
  const std::string slot = cluster_->Slot(shard);
  EXPECT_EQ(cluster_->node(0).Command({"CLUSTER", "SETSLOT", slot, "STABLE"}), "OK");
  cluster_->MoveKey(shard, 1, 0);
  EXPECT_EQ(cluster_->node(1).Command({"CLUSTER", "SETSLOT", slot, "STABLE"}), "OK");

  // Node 0 dies.
  Adder adder(servers_, Replicas(1, 500), "added");
  ASSERT_TRUE(Within30Seconds([&] { return adder.num_acknowledged > 1000; }));
  cluster_->node(0).Kill();
  ASSERT_TRUE(ReplicaOfNode0TakesOver());
  const size_t at_failover = adder.num_acknowledged;
  // The dead node has no other replica to confirm, so its shards accept no keys for now.
  const std::vector<std::string> acknowledged = adder.Stop();
  EXPECT_EQ(CountLost(filter.get(), acknowledged), 0u) << "of " << acknowledged.size();
  EXPECT_EQ(filter->MayMatch(moving[0]), Answer::kMaybe);
  keys = Keys(1000, "later");
  EXPECT_TRUE(filter->AddKeys(keys, results.data())) << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 50)));
  EXPECT_TRUE(Has(filter->error(), "0 of 1 replicas"));
  EXPECT_GT(Count(results, AddResult::kFailed), 0u);
  EXPECT_GT(Count(results, AddResult::kPresent), 0u) << "the other nodes have their replicas";
  std::printf("%zu keys acknowledged, %zu of them when the replica took over, 0 lost\n",
              acknowledged.size(), at_failover);
}

}  // namespace
}  // namespace bloomline::tests::redis_cluster_replica_test
