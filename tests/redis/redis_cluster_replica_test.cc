// Additions that replicas in a cluster confirm: no acknowledged key may be lost when a replica
// takes over.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/lifecycle.h"
#include "src/redis/router.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_keys.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline {
namespace {

using tests::Count;
using tests::CountLost;
using tests::CutOff;
using tests::Keys;
using tests::RedisCluster;
using tests::RedisServer;
using tests::Replicas;
using tests::Within30Seconds;

// Adds batch after batch until it is stopped. Keeps the acknowledged keys.
class Adder {
 public:
  Adder(const RedisServers& servers, const AddOptions& options, const std::string& prefix)
      : thread_([this, servers, options, prefix] {
          const auto filter = SharedBloomFilter::Open(servers, "f", nullptr);
          for (int batch = 0; !stop_ && filter != nullptr; ++batch) {
            const std::vector<std::string> keys = Keys(200, prefix + std::to_string(batch) + "/");
            std::vector<AddResult> results(keys.size(), AddResult::kFailed);
            filter->AddKeys(keys, results.data(), options);
            for (size_t i = 0; i < keys.size(); ++i) {
              if (results[i] != AddResult::kFailed) acknowledged_.push_back(keys[i]);
            }
            num_acknowledged = acknowledged_.size();
          }
        }) {}

  std::vector<std::string> Stop() {
    stop_ = true;
    thread_.join();
    return acknowledged_;
  }

  std::atomic<size_t> num_acknowledged{0};

 private:
  std::vector<std::string> acknowledged_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class RedisClusterReplicaTest : public tests::RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    servers_.give_up_ms = 0;
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

  void ReplaceNode0() {
    cluster_->node(0).Kill();
    cluster_->replica(0).Continue();
    ASSERT_TRUE(ReplicaOfNode0TakesOver());
  }

  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterReplicaTest, NoConfirmedKeyIsLostWhenANodeDies) {
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("first", Replicas(1, 10000)), AddResult::kNew);
  Adder adder(servers_, Replicas(1, 500), "key");
  ASSERT_TRUE(Within30Seconds([&] { return adder.num_acknowledged > 1000; }));
  cluster_->node(0).Kill();
  ASSERT_TRUE(ReplicaOfNode0TakesOver());
  const size_t at_failover = adder.num_acknowledged;
  // The dead node has no other replica to confirm, so its shards accept no keys for now.
  const std::vector<std::string> acknowledged = adder.Stop();
  EXPECT_EQ(CountLost(filter.get(), acknowledged), 0u) << "of " << acknowledged.size();
  std::vector<AddResult> results(1000);
  const std::vector<std::string> keys = Keys(1000, "later");
  EXPECT_TRUE(filter->AddKeys(keys, results.data())) << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 50)));
  EXPECT_NE(filter->error().find("0 of 1 replicas"), std::string::npos) << filter->error();
  EXPECT_GT(Count(results, AddResult::kFailed), 0u);
  EXPECT_GT(Count(results, AddResult::kPresent), 0u) << "the other nodes have their replicas";
  std::printf("%zu keys acknowledged, %zu of them when the replica took over, 0 lost\n",
              acknowledged.size(), at_failover);
}

// The replica that takes over lacks the last step of creation, which makes shards permanent.
TEST_F(RedisClusterReplicaTest, ShardsOfAConfirmedKeyStay) {
  std::string error;
  redis::Layout layout = redis::PlanLayout(options_);
  layout.id = 0xff;
  const std::vector<redis::Shard> shards = redis::ShardsOf("f", layout);
  const std::unique_ptr<redis::Router> router = redis::Router::Connect(servers_, &error);
  ASSERT_NE(router, nullptr) << error;
  ASSERT_TRUE(redis::MakeShards(router.get(), layout, shards, {}, &error)) << error;
  bool ours = false;
  ASSERT_TRUE(redis::PublishFilter(router.get(), "f", layout, {}, &ours, &error)) << error;
  tests::WaitForReplicas(cluster_->node(0), 1);
  CutOff(&cluster_->node(0), &cluster_->replica(0));
  auto filter = Create();
  ASSERT_NE(filter, nullptr);
  ReplaceNode0();
  cluster_->node(0).Restart();
  tests::WaitForReplicas(cluster_->replica(0), 1);
  const auto ttl_of_shards = [&] {
    std::set<std::string> ttls;
    for (const std::string& shard : cluster_->replica(0).KeysLike("bloomline:shard:*")) {
      const std::string ttl = cluster_->replica(0).Command({"TTL", shard});
      ttls.insert(ttl == "-1" ? "permanent" : "expires");
    }
    return ttls;
  };
  EXPECT_EQ(ttl_of_shards(), std::set<std::string>{"expires"});
  const std::vector<std::string> keys = Keys(1000, "key");
  ASSERT_TRUE(filter->AddKeys(keys, nullptr, Replicas(1, 10000))) << filter->error();
  EXPECT_EQ(ttl_of_shards(), std::set<std::string>{"permanent"});
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
}

}  // namespace
}  // namespace bloomline
