// SharedBloomFilter while the server is down, silent, broken or without its data: never a false
// negative, and always an error message.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"
#include "tests/redis/redis_server.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests::redis_failure_test {
namespace {

using Clock = std::chrono::steady_clock;

class RedisFailureTest : public RedisFilterTest {
 protected:
  std::unique_ptr<SharedBloomFilter> CreateWithErrors() {
    servers_.when_unavailable = WhenUnavailable::kError;
    return Create();
  }
};

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

TEST_F(RedisFailureTest, KilledServerMeansMayMatchOrErrorUntilItIsBack) {
  for (const bool with_errors : {false, true}) {
    Start({"--appendonly", "yes", "--appendfsync", "always"});
    const auto filter = with_errors ? CreateWithErrors() : Create();
    filter->AddKey("key");
    EXPECT_EQ(filter->MayMatch("never added"), Answer::kNo);
    server_->Kill();
    const Answer unavailable = with_errors ? Answer::kError : Answer::kMaybe;
    EXPECT_EQ(filter->MayMatch("never added"), unavailable);
    EXPECT_TRUE(Has(filter->error(), server_->address() + ": cannot connect: Connection refused"));
    EXPECT_EQ(filter->AddKey("another"), AddResult::kFailed);
    EXPECT_TRUE(Has(filter->error(), "Connection refused"));
    std::vector<Answer> answers(2, Answer::kNo);
    EXPECT_FALSE(filter->MayMatch(Keys(2, "key"), answers.data()));
    EXPECT_EQ(Count(answers, unavailable), 2u);
    ExpectRefused(server_->address() + ": cannot connect");
    server_->Restart();
    EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
    EXPECT_EQ(filter->error(), "");
    EXPECT_EQ(filter->MayMatch("another"), Answer::kNo) << "the addition was reported as failed";
    EXPECT_EQ(filter->AddKey("another"), AddResult::kNew);
  }
}

// The server dies and restarts while threads add keys: acknowledged keys are found.
TEST_F(RedisFailureTest, NoAcknowledgedKeyIsLostWhenTheServerIsKilled) {
  Start({"--appendonly", "yes", "--appendfsync", "always"});
  const auto filter = Create("f", {1000000});
  Adder first(servers_, {}, "first");
  Adder second(servers_, {}, "second");
  // Each thread has added keys before each kill and after the last.
  for (int kill = 0; kill < 4; ++kill) {
    if (kill > 0) server_->Restart();
    const size_t before[] = {first.num_acknowledged, second.num_acknowledged};
    EXPECT_TRUE(Within30Seconds([&] {
      return first.num_acknowledged > before[0] + 300 && second.num_acknowledged > before[1] + 300;
    }));
  }
  EXPECT_EQ(CountLost(filter.get(), first.Stop()), 0u);
  EXPECT_EQ(CountLost(filter.get(), second.Stop()), 0u);
}

// Waiting for a replica, of which there is none, may take longer than a command.
TEST_F(RedisFailureTest, SilentServerTimesOutAndReplicasMayTakeLonger) {
  servers_.max_retries = 0;
  servers_.when_unavailable = WhenUnavailable::kError;
  Create();
  servers_.connect_timeout_ms = servers_.command_timeout_ms = 100;
  std::unique_ptr<SharedBloomFilter> filter;
  Clock::time_point start;
  ASSERT_TRUE(Within30Seconds([&] {  // late if the server gets no CPU time
    filter = SharedBloomFilter::Open(servers_, "f", nullptr);
    start = Clock::now();
    return filter != nullptr && filter->AddKey("key", Replicas(1, 1000)) == AddResult::kFailed &&
           Has(filter->error(), "0 of 1 replicas");
  }));
  EXPECT_GE(MsSince(start), 1000);
  server_->Stop();
  start = Clock::now();
  EXPECT_EQ(filter->MayMatch("key"), Answer::kError);
  EXPECT_GE(MsSince(start), 100);
  EXPECT_LT(MsSince(start), 30000);  // it ends, also on a busy machine
  EXPECT_TRUE(Has(filter->error(), "timed out after 100 ms"));
  server_->Continue();
  EXPECT_TRUE(Within30Seconds([&] { return filter->MayMatch("a key") == Answer::kNo; }))
      << filter->error();
}

// A call has many batches. Only the first one waits for the dead server.
TEST_F(RedisFailureTest, DeadServerIsTriedAgainByTheNextCallOnly) {
  Create();
  std::atomic<bool> is_dead{false};
  const RedisProxy proxy(*server_,
                         [&](size_t) { return is_dead ? RedisFault::kLose : RedisFault::kNone; });
  servers_.servers = {proxy.address()};
  servers_.max_retries = 1;
  const auto filter = Open("f");
  ASSERT_NE(filter, nullptr);
  const size_t num_of_open = proxy.commands().size();
  is_dead = true;
  EXPECT_FALSE(filter->AddKeys(Keys(20000, "key")));
  EXPECT_EQ(proxy.commands().size(), num_of_open + 2);
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_NE(filter->error(), "");
  EXPECT_EQ(proxy.commands().size(), num_of_open + 4);
}

// Whatever replaces or removes a shard, and also if another client then creates a filter of this
// name.
TEST_F(RedisFailureTest, NoWayToLoseShardsMeansNo) {
  std::string shard;
  const auto del = [&] { server_->Command({"DEL", shard}); };
  const auto put = [&](const std::string& content) { server_->Command({"SET", shard, content}); };
  const struct {
    const char* name;
    std::function<void()> lose;
  } ways[] = {
      {"DEL", del},
      {"expiry",
       [&] {
         server_->Command({"PEXPIRE", shard, "1"});
         EXPECT_TRUE(Within30Seconds([&] { return server_->KeysLike(shard).empty(); }));
       }},
      {"FLUSHALL", [&] { server_->Command({"FLUSHALL"}); }},
      {"eviction",
       [&] {
         server_->Command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
         server_->Command({"CONFIG", "SET", "maxmemory", "4mb"});
         for (int i = 0; !server_->KeysLike("bloomline:shard:*").empty() && i < 100000; ++i) {
           server_->Command({"SET", "other" + std::to_string(i), std::string(10000, 'x')});
         }
         server_->Command({"CONFIG", "SET", "maxmemory", "0"});
       }},
      {"restart", [&] { server_->Restart(); }},
      {"a string without markers", [&] { put(std::string(30000, 'x')); }},
      {"a shorter string", [&] { put("x"); }},
      {"another type",
       [&] {
         del();
         server_->Command({"LPUSH", shard, "x"});
       }},
      // Another client's additions create the string again.
      {"a string made by BITFIELD",
       [&] {
         const std::string length = server_->Command({"STRLEN", shard});
         del();
         server_->Command({"BITFIELD", shard, "SET", "u1", "100000", "1"});
         server_->Command({"SETRANGE", shard, std::to_string(std::stoul(length) - 1), {"\0", 1}});
       }},
  };
  for (const auto& way : ways) {
    SCOPED_TRACE(way.name);
    std::string error;
    server_->Command({"FLUSHALL"});
    const auto filter = CreateWithErrors();
    const std::vector<std::string> keys = Keys(500, "key");
    ASSERT_TRUE(filter->AddKeys(keys)) << filter->error();
    shard = FirstShard();
    way.lose();
    std::vector<Answer> answers(keys.size(), Answer::kNo);
    ASSERT_TRUE(Within30Seconds([&] { return !filter->MayMatch(keys, answers.data()); }));
    EXPECT_EQ(Count(answers, Answer::kError), keys.size());
    EXPECT_NE(filter->error(), "");
    EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", &error), nullptr);
    EXPECT_EQ(filter->AddKey("key0"), AddResult::kFailed);
    EXPECT_TRUE(Has(filter->error(), shard));
    if (server_->Command({"TYPE", shard}) != "list") {
      EXPECT_EQ(server_->KeysLike(shard).size(), 0u) << "what BITFIELD has made is removed";
    }
    // A creator gets an error, or a new filter if the name is free. The old one stays lost.
    if (SharedBloomFilter::Create(servers_, "f", options_, &error) == nullptr) {
      EXPECT_TRUE(error.find("is damaged") != std::string::npos ||
                  error.find("WRONGTYPE") != std::string::npos)
          << error;
    }
    Delete();
    EXPECT_EQ(Create()->AddKey("another"), AddResult::kNew);
    EXPECT_FALSE(filter->MayMatch(keys, answers.data()));
    EXPECT_EQ(Count(answers, Answer::kError), keys.size());
  }
}

// A container goes to the server in groups of 1,024 keys, of which the last one succeeds.
TEST_F(RedisFailureTest, TheFirstErrorOfAContainerStays) {
  options_.shard_bytes = 4096;
  const auto filter = Create();
  server_->Command({"DEL", FirstShard()});
  std::string lost, kept;
  for (int i = 0; lost.empty() || kept.empty(); ++i) {
    const std::string key = "key" + std::to_string(i);
    filter->MayMatch(key);
    (filter->error().empty() ? kept : lost) = key;
  }
  std::vector<std::string> keys(1100, kept);
  keys[0] = lost;
  std::vector<AddResult> results(keys.size(), AddResult::kNew);
  EXPECT_FALSE(filter->AddKeys(keys, results.data()));
  EXPECT_TRUE(Has(filter->error(), "is missing"));
  EXPECT_EQ(results[0], AddResult::kFailed);
  EXPECT_EQ(Count(results, AddResult::kFailed), 1u);
  std::vector<Answer> answers(keys.size(), Answer::kNo);
  EXPECT_FALSE(filter->MayMatch(keys, answers.data()));
  EXPECT_TRUE(Has(filter->error(), "is missing"));
  EXPECT_EQ(Count(answers, Answer::kMaybe), keys.size());
  EXPECT_TRUE(filter->AddKeys({kept}));
  EXPECT_EQ(filter->error(), "");
}

TEST_F(RedisFailureTest, ReplicaIsNotQueriedBecauseItLags) {
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  const RedisServer other;
  // The server keeps its clients' connections, but its refusal to write shows what it is now.
  server_->Command({"REPLICAOF", "127.0.0.1", std::to_string(other.port())});
  EXPECT_EQ(filter->AddKey("other"), AddResult::kFailed);
  EXPECT_TRUE(Has(filter->error(), "replica"));
  EXPECT_EQ(filter->MayMatch("other"), Answer::kMaybe);
  EXPECT_TRUE(Has(filter->error(), "replica"));
  ExpectRefused("replica");
}

TEST_F(RedisFailureTest, SeveralServersWithoutAClusterAreRefused) {
  servers_.servers.push_back("127.0.0.1:1");
  ExpectRefused("not part of a cluster");
}

TEST_F(RedisFailureTest, ServersOfOtherProtocolsAreErrors) {
  servers_.command_timeout_ms = 100;
  for (const std::string reply :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "", "+OK\r\n", ":1\r\n", "*0\r\n", "*1\r\n*0\r\n",
        "$-1\r\n", "$5\r\nab", "-ERR unknown command\r\n", "*1\r\n*3\r\n:0\r\n:99999\r\n*0\r\n",
        "-MOVED 1 127.0.0.1:1\r\n", "-ASK 1 127.0.0.1:1\r\n"}) {
    const ScriptedServer wrong([&](const auto&) { return reply; });
    servers_.servers = {wrong.address()};
    SCOPED_TRACE(reply);
    ExpectRefused("redis");
  }
}

}  // namespace
}  // namespace bloomline::tests::redis_failure_test
