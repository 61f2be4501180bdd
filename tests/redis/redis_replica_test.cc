// Additions that replicas confirm, of one server and in a cluster: no acknowledged key may be lost
// when a replica takes over.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/filter/bits/hash.h"
#include "src/redis/redis_layout.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests::redis_replica_test {
namespace {

class RedisReplicaTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    options_.capacity = 100000;
    // By the command and on disk, a replica synchronises at once, otherwise within 2 seconds.
    primary_ =
        std::make_unique<RedisServer>(std::vector<std::string>{"--repl-diskless-sync", "no"});
    replica_ = std::make_unique<RedisServer>();
    replica_->Command({"REPLICAOF", "127.0.0.1", std::to_string(primary_->port())});
    WaitForReplicas(*primary_, 1);
    servers_.servers = {primary_->address()};
  }

  std::unique_ptr<RedisServer> primary_;
  std::unique_ptr<RedisServer> replica_;
};

// The promise of min_replicas: a replica that takes over has every confirmed key.
TEST_F(RedisReplicaTest, ConfirmedKeysSurviveTheFailoverToAReplicaThatLags) {
  const auto before = Create();
  const std::vector<std::string> confirmed = Keys(10000, "confirmed");
  const std::vector<std::string> late = Keys(1000, "late");
  std::vector<AddResult> results(confirmed.size());
  ASSERT_TRUE(before->AddKeys(confirmed, results.data(), Replicas(1, 10000)));
  EXPECT_GT(Count(results, AddResult::kNew), 9900u);
  CutOff(primary_.get(), replica_.get());
  // Without WAIT these keys are acknowledged and lost. With it they are not acknowledged.
  ASSERT_TRUE(before->AddKeys(late));
  EXPECT_EQ(before->AddKey("refused", Replicas(1, 50)), AddResult::kFailed);
  primary_->Kill();
  replica_->Continue();
  replica_->Command({"REPLICAOF", "NO", "ONE"});
  servers_.servers = {replica_->address()};
  const auto filter = Open("f");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(CountLost(filter.get(), confirmed), 0u);
  EXPECT_GT(CountLost(filter.get(), late), 900u) << "all but false positives";
  // Adding them again after the failover repairs the filter.
  ASSERT_TRUE(filter->AddKeys(late));
  EXPECT_EQ(CountLost(filter.get(), late), 0u);
}

TEST_F(RedisReplicaTest, TooFewReplicasAreAFailureThatNamesTheirNumber) {
  const auto filter = Create();
  // The first addition fails at the entry, which must be on both replicas as well. On a busy
  // machine, the one replica may not confirm it at once either.
  EXPECT_TRUE(Within30Seconds([&] {
    EXPECT_EQ(filter->AddKey("key", Replicas(2, 100)), AddResult::kFailed);
    return bool{Has(filter->error(), "1 of 2 replicas confirmed")};
  })) << filter->error();
  EXPECT_TRUE(Has(filter->error(), "(bloomline:{f})"));
  EXPECT_EQ(filter->MayMatch("key"), Answer::kNo) << "it was not sent";
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kNew) << filter->error();
  replica_->Stop();
  std::vector<AddResult> results(100);  // in several commands, none of which is confirmed
  EXPECT_FALSE(filter->AddKeys(Keys(100, "other"), results.data(), Replicas(1, 50)));
  EXPECT_EQ(Count(results, AddResult::kFailed), 100u);
  EXPECT_TRUE(Has(filter->error(),
                  primary_->address() + ": 0 of 1 replicas confirmed the addition within 50 ms"));
  replica_->Continue();
  EXPECT_EQ(filter->AddKey("other99", Replicas(1, 10000)), AddResult::kPresent) << filter->error();
}

TEST_F(RedisReplicaTest, ConfirmingADeletedFilterFailsAndCreatesNothing) {
  const auto filter = Create();
  Delete();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), "bloomline:{f} is missing"));
  const auto anew = Create();
  EXPECT_EQ(anew->AddKey("key", Replicas(1, 10000)), AddResult::kNew) << anew->error();
  Delete();
  // This client's entry was confirmed; the shards are deleted.
  EXPECT_EQ(anew->AddKey("key", Replicas(1, 10000)), AddResult::kFailed);
  EXPECT_EQ(primary_->Command({"DBSIZE"}), "0");
}

// A BITFIELD that changes no bit is not propagated, and since Redis 7.2 a WAIT after it does not
// wait.
TEST_F(RedisReplicaTest, KeyThatAnotherAddedIsNotConfirmedBeforeItIsOnTheReplica) {
  const auto other = Create();
  auto filter = Create();
  EXPECT_EQ(filter->AddKey("first", Replicas(1, 10000)), AddResult::kNew);
  replica_->Stop();
  EXPECT_EQ(other->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 100)), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), "0 of 1 replicas"));
  // Nor by a client whose own connection has written nothing yet.
  EXPECT_EQ(Create()->AddKey("key", Replicas(1, 100)), AddResult::kFailed);
  replica_->Continue();
  // Before 7.2, too, the addition counts as a write.
  const auto writes = [&] { return primary_->Info("persistence", "rdb_changes_since_last_save"); };
  const uint64_t before = writes();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kPresent) << filter->error();
  EXPECT_GT(writes(), before);
  EXPECT_EQ(Create()->AddKey("key", Replicas(1, 10000)), AddResult::kPresent);
}

// The connection breaks while the client waits for the replica. WAIT on the new connection must
// wait, too.
TEST_F(RedisReplicaTest, RepeatedAdditionsAreConfirmedOnTheNewConnection) {
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("first", Replicas(1, 10000)), AddResult::kNew);
  replica_->Stop();
  std::atomic<bool> is_done{false};
  AddResult result = AddResult::kFailed;
  std::thread adder([&] {
    result = filter->AddKey("key", Replicas(1, 90000));  // longer than the waits below
    is_done = true;
  });
  const auto waits = [&] { return primary_->Info("clients", "blocked_clients") == 1; };
  EXPECT_TRUE(Within30Seconds(waits));
  EXPECT_EQ(primary_->Command({"CLIENT", "KILL", "TYPE", "normal"}), "1");
  EXPECT_TRUE(Within30Seconds(waits)) << "the new connection";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(is_done) << "the replica is stopped";
  replica_->Continue();
  adder.join();
  EXPECT_EQ(result, AddResult::kUnknown) << filter->error();
}

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
    redis::RedisLayout layout;
    EXPECT_TRUE(redis::DecodeHeader(header, &layout));
    std::vector<std::string> keys;
    for (int i = 0; keys.size() < n; ++i) {
      std::string key = prefix + std::to_string(i);
      const redis::BlockPlace place = redis::PlaceOf(layout, filter::Hash64(key, layout.seed));
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
  cluster_->LetReplicasTakeOver(true);
  cluster_->node(0).Kill();
  ASSERT_TRUE(ReplicaOfNode0TakesOver());
  cluster_->LetReplicasTakeOver(false);
  // The dead node has no other replica to confirm, so its shards accept no keys for now.
  const std::vector<std::string> acknowledged = adder.Stop();
  EXPECT_EQ(CountLost(filter.get(), acknowledged), 0u) << "of " << acknowledged.size();
  EXPECT_EQ(filter->MayMatch(moving[0]), Answer::kMaybe);
  keys = Keys(1000, "later");
  EXPECT_TRUE(filter->AddKeys(keys, results.data())) << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
  EXPECT_TRUE(Within30Seconds([&] {  // a busy machine's replicas may be late
    EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 50)));
    EXPECT_GT(Count(results, AddResult::kFailed), 0u);
    return Count(results, AddResult::kPresent) > 0;
  })) << "the other nodes have their replicas";
}

}  // namespace
}  // namespace bloomline::tests::redis_replica_test
