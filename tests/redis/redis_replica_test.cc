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
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests::redis_replica_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kMillisecond = std::chrono::milliseconds(1);

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
  const std::vector<std::string> keys = Keys(1000, "key");
  std::vector<AddResult> results(keys.size());
  // The first addition fails at the entry, which must be on both replicas as well. Within 100 ms
  // a busy machine's replica did not confirm either.
  EXPECT_EQ(filter->AddKey("key", Replicas(2, 1000)), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), "1 of 2 replicas confirmed"));
  EXPECT_TRUE(Has(filter->error(), "(bloomline:{f})"));
  EXPECT_EQ(filter->MayMatch("key"), Answer::kNo) << "it was not sent";
  EXPECT_EQ(filter->AddKey("key", Replicas(1, 10000)), AddResult::kNew) << filter->error();
  replica_->Stop();
  EXPECT_FALSE(filter->AddKeys(keys, results.data(), Replicas(1, 50)));
  EXPECT_EQ(Count(results, AddResult::kFailed), results.size());
  EXPECT_TRUE(Has(filter->error(),
                  primary_->address() + ": 0 of 1 replicas confirmed the addition within 50 ms"));
  EXPECT_EQ(CountLost(filter.get(), keys), 0u) << "the primary has them";
  replica_->Continue();
  EXPECT_TRUE(filter->AddKeys(keys, results.data(), Replicas(1, 10000)));
  EXPECT_EQ(Count(results, AddResult::kPresent), results.size());
}

TEST_F(RedisReplicaTest, ReplicasMayTakeLongerThanACommandMay) {
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
  EXPECT_TRUE(Has(filter->error(), "0 of 1 replicas"));
  EXPECT_GE(Clock::now() - start, 1000 * kMillisecond);
  // The time-out of other commands is unchanged.
  primary_->Stop();
  const Clock::time_point stopped = Clock::now();
  EXPECT_EQ(filter->AddKey("key"), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), "timed out after 300 ms"));
  EXPECT_LT(Clock::now() - stopped, 1000 * kMillisecond);
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

}  // namespace
}  // namespace bloomline::tests::redis_replica_test
