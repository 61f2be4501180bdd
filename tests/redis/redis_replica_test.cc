// Additions that replicas confirm: no acknowledged key may be lost when a replica takes over.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_keys.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kMillisecond = std::chrono::milliseconds(1);

class RedisReplicaTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    options_.capacity = 100000;
    servers_.give_up_ms = 0;
  }

  void StartPrimaryAndReplica() {
    primary_ =
        std::make_unique<RedisServer>(std::vector<std::string>{"--repl-diskless-sync-delay", "0"});
    replica_ = std::make_unique<RedisServer>(
        std::vector<std::string>{"--replicaof", "127.0.0.1", std::to_string(primary_->port())});
    WaitForReplicas(*primary_, 1);
    servers_.servers = {primary_->address()};
  }

  std::unique_ptr<RedisServer> primary_;
  std::unique_ptr<RedisServer> replica_;
};

TEST_F(RedisReplicaTest, OptionsAreValidated) {
  const auto refused = [](int n, int timeout_ms, const std::string& words) {
    const std::string error = Replicas(n, timeout_ms).Validate();
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  EXPECT_EQ(AddOptions().Validate(), "");
  EXPECT_EQ(Replicas(1000, 600000).Validate(), "");
  refused(-1, 1, "min_replicas is -1; allowed: 0 to 1000");
  refused(1001, 1, "min_replicas is 1001; allowed: 0 to 1000");
  refused(1, 0, "replica_timeout_ms is 0; allowed: 1 to 600000");
  refused(0, 600001, "replica_timeout_ms is 600001; allowed: 1 to 600000");
  StartPrimaryAndReplica();
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("key", Replicas(-1, 1)), AddResult::kFailed);
  EXPECT_NE(filter->error().find("min_replicas is -1"), std::string::npos) << filter->error();
  EXPECT_EQ(filter->MayMatch("key"), Answer::kNo);
}

TEST_F(RedisReplicaTest, AcknowledgedKeysAreOnTheReplica) {
  StartPrimaryAndReplica();
  const auto filter = Create();
  const std::vector<std::string> keys = Keys(10000, "key");
  std::vector<AddResult> results(keys.size());
  EXPECT_EQ(filter->AddKey(keys[0], Replicas(1, 10000)), AddResult::kNew) << filter->error();
  ASSERT_TRUE(filter->AddKeys(keys, results.data(), Replicas(1, 10000)));
  EXPECT_EQ(results[0], AddResult::kPresent);
  EXPECT_GT(Count(results, AddResult::kNew), 9900u);
  EXPECT_EQ(Count(results, AddResult::kFailed), 0u);
  const std::string shard = primary_->KeysLike("bloomline:shard:{f:*").at(0);
  EXPECT_EQ(replica_->Command({"GET", shard}), primary_->Command({"GET", shard}));
  EXPECT_EQ(filter->MayMatch("absent"), Answer::kNo);
}

TEST_F(RedisReplicaTest, TooFewReplicasAreAFailureThatNamesTheirNumber) {
  StartPrimaryAndReplica();
  const auto filter = Create();
  const std::vector<std::string> keys = Keys(1000, "key");
  std::vector<AddResult> results(keys.size());
  // The first addition fails at the entry, which must be on both replicas as well. Within 100 ms
  // a busy machine's replica did not confirm either.
  EXPECT_EQ(filter->AddKey("key", Replicas(2, 1000)), AddResult::kFailed);
  EXPECT_NE(filter->error().find("1 of 2 replicas confirmed"), std::string::npos)
      << filter->error();
  EXPECT_NE(filter->error().find("(bloomline:{f})"), std::string::npos) << filter->error();
  EXPECT_EQ(filter->MayMatch("key"), Answer::kNo) << "it was not sent";
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kNew) << filter->error();
  replica_->Stop();
  EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 50)));
  EXPECT_EQ(Count(results, AddResult::kFailed), results.size());
  EXPECT_NE(filter->error().find(primary_->address() +
                                 ": 0 of 1 replicas confirmed the addition within 50 ms"),
            std::string::npos)
      << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u) << "the primary has them";
  replica_->Continue();
  EXPECT_TRUE(filter->AddKeys(keys, results.data(), Replicas(1, 10000)));
  EXPECT_EQ(Count(results, AddResult::kPresent), results.size());
}

TEST_F(RedisReplicaTest, ReplicasMayTakeLongerThanACommandMay) {
  StartPrimaryAndReplica();
  Create();
  servers_.command_timeout_ms = 300;
  servers_.max_retries = 0;
  // On a busy machine the server may miss the first ones.
  std::unique_ptr<SharedBloomFilter> filter;
  ASSERT_TRUE(Within30Seconds([&] {
    filter = SharedBloomFilter::Open(servers_, "f", nullptr);
    return filter != nullptr && filter->AddKey("first", Replicas(1, 10000)) != AddResult::kFailed;
  }));
  replica_->Stop();
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 1000)), AddResult::kFailed);
  EXPECT_NE(filter->error().find("0 of 1 replicas"), std::string::npos) << filter->error();
  EXPECT_GE(Clock::now() - start, 1000 * kMillisecond);
  // The time-out of other commands is unchanged.
  primary_->Stop();
  const Clock::time_point stopped = Clock::now();
  EXPECT_EQ(filter->AddKey("key"), AddResult::kFailed);
  EXPECT_NE(filter->error().find("timed out after 300 ms"), std::string::npos) << filter->error();
  EXPECT_LT(Clock::now() - stopped, 1000 * kMillisecond);
}

TEST_F(RedisReplicaTest, ConfirmingADeletedFilterFailsAndCreatesNothing) {
  StartPrimaryAndReplica();
  const auto filter = Create();
  std::string error;
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kFailed);
  EXPECT_NE(filter->error().find("bloomline:{f} is missing"), std::string::npos) << filter->error();
  const auto anew = Create();
  EXPECT_EQ(anew->AddKey("key", Replicas(1, 10000)), AddResult::kNew) << anew->error();
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  // This client's entry was confirmed; the shards are deleted.
  EXPECT_EQ(anew->AddKey("key", Replicas(1, 10000)), AddResult::kFailed);
  EXPECT_EQ(primary_->Command({"DBSIZE"}), "0");
}

// A BITFIELD that changes no bit is not propagated, and since Redis 7.2 a WAIT after it does not
// wait.
TEST_F(RedisReplicaTest, KeyThatAnotherAddedIsNotConfirmedBeforeItIsOnTheReplica) {
  StartPrimaryAndReplica();
  const auto other = Create();
  auto filter = Create();
  EXPECT_EQ(filter->AddKey("first", Replicas(1, 10000)), AddResult::kNew);
  replica_->Stop();
  EXPECT_EQ(other->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 100)), AddResult::kFailed);
  EXPECT_NE(filter->error().find("0 of 1 replicas"), std::string::npos) << filter->error();
  // Nor by a client whose own connection has written nothing yet.
  EXPECT_EQ(Create()->AddKey("key", Replicas(1, 100)), AddResult::kFailed);
  replica_->Continue();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kPresent) << filter->error();
  EXPECT_EQ(Create()->AddKey("key", Replicas(1, 10000)), AddResult::kPresent);
}

// The same on servers of all versions, by another sign: the addition counts as a write.
TEST_F(RedisReplicaTest, AdditionThatChangesNoBitIsPropagated) {
  StartPrimaryAndReplica();
  const auto num_writes = [&] {
    const std::string info = primary_->Command({"INFO", "persistence"});
    const std::string name = "rdb_changes_since_last_save:";
    const size_t at = info.find(name);
    EXPECT_NE(at, std::string::npos) << info;
    return at == std::string::npos ? 0 : std::stoll(info.substr(at + name.size()));
  };
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kNew);
  const long long before = num_writes();
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kPresent);
  EXPECT_GT(num_writes(), before);
}

// The connection breaks while the client waits for the replica. WAIT on the new connection must
// wait, too.
TEST_F(RedisReplicaTest, RepeatedAdditionsAreConfirmedOnTheNewConnection) {
  StartPrimaryAndReplica();
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("first", Replicas(1, 10000)), AddResult::kNew);
  replica_->Stop();
  std::atomic<bool> is_done{false};
  AddResult result = AddResult::kFailed;
  std::thread adder([&] {
    result = filter->AddKey("key", Replicas(1, 10000));
    is_done = true;
  });
  const auto waits = [&] { return primary_->Info("clients", "blocked_clients") == 1; };
  EXPECT_TRUE(Within30Seconds(waits));
  EXPECT_EQ(primary_->Command({"CLIENT", "KILL", "TYPE", "normal"}), "1");
  EXPECT_TRUE(Within30Seconds(waits)) << "the new connection";
  std::this_thread::sleep_for(100 * kMillisecond);
  EXPECT_FALSE(is_done) << "the replica is stopped";
  replica_->Continue();
  adder.join();
  EXPECT_EQ(result, AddResult::kUnknown) << filter->error();
}

TEST_F(RedisReplicaTest, WaitForReplicasWaitsForTheWritesOfOthers) {
  StartPrimaryAndReplica();
  replica_->Stop();
  EXPECT_EQ(primary_->Command({"SET", "key", "value"}), "OK");
  std::atomic<bool> continued{false};
  std::thread thread([&] {
    std::this_thread::sleep_for(200 * kMillisecond);
    continued = true;
    replica_->Continue();
  });
  WaitForReplicas(*primary_, 1);
  EXPECT_TRUE(continued);
  thread.join();
}

TEST_F(RedisReplicaTest, SentinelPromotesAReplicaThatLags) {
  StartPrimaryAndReplica();
  const RedisSentinel sentinel(*primary_);
  ASSERT_TRUE(Within30Seconds([&] { return sentinel.NumReplicas() == 1; }));
  const auto before = Create();
  const std::vector<std::string> replicated = Keys(1000, "replicated");
  const std::vector<std::string> late = Keys(1000, "late");
  ASSERT_TRUE(before->AddKeys(replicated, nullptr, Replicas(1, 10000)));
  CutOff(primary_.get(), replica_.get());
  // Without WAIT these keys are acknowledged and lost. With it they are not acknowledged.
  ASSERT_TRUE(before->AddKeys(late));
  EXPECT_EQ(before->AddKey("refused", Replicas(1, 50)), AddResult::kFailed);
  primary_->Kill();
  replica_->Continue();
  ASSERT_TRUE(Within30Seconds([&] { return sentinel.PrimaryAddress() == replica_->address(); }));
  servers_.servers = {sentinel.PrimaryAddress()};
  std::unique_ptr<SharedBloomFilter> filter;
  ASSERT_TRUE(Within30Seconds([&] {
    filter = SharedBloomFilter::Open(servers_, "f", nullptr);
    return filter != nullptr;
  }));
  EXPECT_EQ(CountLost(filter.get(), replicated), 0u);
  EXPECT_GT(CountLost(filter.get(), late), 900u) << "all but false positives";
  // Adding them again after the failover repairs the filter.
  ASSERT_TRUE(filter->AddKeys(late));
  EXPECT_EQ(CountLost(filter.get(), late), 0u);
}

}  // namespace
}  // namespace bloomline::tests
