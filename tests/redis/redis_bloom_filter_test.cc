// SharedBloomFilter on one working server: keys, answers, rates and bytes, also in several threads
// and processes; names, creation, deletion and permissions.
#include "bloomline/redis_bloom_filter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests::redis_bloom_filter_test {
namespace {

class RedisBloomFilterTest : public RedisFilterTest {};

TEST_F(RedisBloomFilterTest, NeverLosesAKey) {
  for (const double rate : {0.3, 0.01, 1e-4, 1e-6}) {
    const auto filter = Create("rate" + std::to_string(rate * 1e6), {5000, rate});
    ASSERT_NE(filter, nullptr);
    for (const KeyShape shape : kAllKeyShapes) {
      std::vector<std::string> keys = {"", std::string(1 << 20, 'x'), std::string("\0\r\n", 3)};
      KeyMaker key(shape);
      for (uint64_t i = 0; i < 600; ++i) keys.emplace_back(key(i));
      ASSERT_TRUE(filter->AddKeys(keys)) << filter->error();
      EXPECT_EQ(CountLost(filter.get(), keys), 0u);
      for (size_t i = 0; i < 20; ++i) EXPECT_EQ(filter->MayMatch(keys[i]), Answer::kMaybe);
    }
  }
}

TEST_F(RedisBloomFilterTest, BatchesMatchSingleCalls) {
  SharedBloomFilterOptions options{20000};
  options.shard_bytes = 4096;
  const auto filter = Create("f", options);
  EXPECT_EQ(filter->num_shards(), 7u);
  const std::vector<std::string> keys = Keys(20000, "key");
  std::vector<std::string_view> views(keys.begin(), keys.end());
  views[777] = views[776];  // twice in a batch: new only once
  for (const size_t n :
       {size_t{0}, size_t{1}, size_t{15}, size_t{17}, size_t{4096}, size_t{4097}, size_t{9999}}) {
    std::vector<AddResult> results(n, AddResult::kFailed);
    ASSERT_TRUE(filter->AddKeys(n, views.data(), results.data())) << filter->error();
    EXPECT_EQ(Count(results, AddResult::kFailed), 0u);
    EXPECT_EQ(Count(results, AddResult::kUnknown), 0u);
    if (n == 17) {
      EXPECT_EQ(Count(results, AddResult::kNew), 2u) << "15 were in";
    }
    if (n > 777) {
      EXPECT_EQ(results[777], AddResult::kPresent);
    }
  }
  std::vector<Answer> answers(views.size());
  ASSERT_TRUE(filter->MayMatch(views.size(), views.data(), answers.data()));
  for (size_t i = 0; i < views.size(); i += 97) {
    EXPECT_EQ(answers[i], filter->MayMatch(views[i]));
  }
  for (size_t i = 0; i < 9999; ++i) ASSERT_EQ(answers[i], Answer::kMaybe) << i;
  EXPECT_GT(Count(answers, Answer::kNo), 9900u);
}

TEST_F(RedisBloomFilterTest, AddKeyAndAddKeysSendOneCommandEach) {
  const auto filter = Create("f", {1000000});
  const uint64_t before = server_->Info("commandstats", "cmdstat_bitfield:calls");
  filter->AddKey("a");
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_bitfield:calls"), before + 1);
  filter->AddKeys(Keys(1600, "key"));
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_bitfield:calls"), before + 101);
  const uint64_t queries_before = server_->Info("commandstats", "cmdstat_getrange:calls");
  filter->MayMatch("a");
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_getrange:calls"), queries_before + 1);
}

// docs/redis.md: positions that an independent implementation computed.
TEST_F(RedisBloomFilterTest, LayoutIsTheDocumentedOne) {
  const std::string id = "00000000000000ff";
  std::string header =
      "bloomline-shared-bloom version=1 capacity=7000 false_positive_rate=0.01 "
      "seed=42 block_bytes=128 num_probes=6 blocks_per_shard=25 num_shards=3 id=" +
      id;
  header.resize(256, ' ');
  server_->Command({"SET", "bloomline:{golden}", header});
  std::string empty_shard = header;
  for (int block = 0; block < 25; ++block) empty_shard += std::string(127, '\0') + '\x01';
  for (const std::string shard : {"0", "1", "2"}) {
    server_->Command({"SET", "bloomline:shard:{golden:" + id + ":" + shard + "}", empty_shard});
  }
  const auto filter = Open("golden");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->capacity(), 7000u);
  EXPECT_EQ(filter->num_bytes(), 3u * 256 + 75 * 128);
  EXPECT_EQ(filter->MayMatch("hello"), Answer::kNo);

  // "hello" with seed 42: block 54, so shard 2 and block 4 there.
  const std::string key = "bloomline:shard:{golden:" + id + ":2}";
  const int hello[] = {280, 675, 748, 115, 227, 337};
  EXPECT_EQ(filter->AddKey("hello"), AddResult::kNew);
  for (const int bit : hello) {
    EXPECT_EQ(server_->Command({"GETBIT", key, std::to_string(2048 + 4 * 1024 + bit)}), "1") << bit;
  }
  EXPECT_EQ(server_->Command({"BITCOUNT", key, "256", "-1"}), std::to_string(25 + 6));

  // "world": block 3 of shard 0; written by another client.
  const std::string first = "bloomline:shard:{golden:" + id + ":0}";
  EXPECT_EQ(filter->MayMatch("world"), Answer::kNo);
  for (const int bit : {858, 298, 912, 402, 119, 66}) {
    EXPECT_EQ(filter->MayMatch("world"), Answer::kNo);
    server_->Command({"SETBIT", first, std::to_string(2048 + 3 * 1024 + bit), "1"});
  }
  EXPECT_EQ(filter->MayMatch("world"), Answer::kMaybe);
}

// Each of several writers adds all keys in its own order.
TEST_F(RedisBloomFilterTest, ExactlyOneOfConcurrentWritersSeesAKeyAsNew) {
  const std::vector<std::string> keys = Keys(3000, "key");
  SharedBloomFilterOptions options{1000000};  // so empty that no key is a false positive
  options.shard_bytes = 1 << 18;
  Create("f", options);
  std::vector<std::atomic<int>> times_new(keys.size());
  std::vector<std::thread> threads;
  for (const unsigned writer : {0, 1, 2, 3}) {
    threads.emplace_back([&, writer] {
      std::vector<size_t> order(keys.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937(writer));
      std::vector<std::string_view> views;
      for (const size_t i : order) views.push_back(keys[i]);
      std::vector<AddResult> results(views.size());
      ASSERT_TRUE(Open("f")->AddKeys(views, results.data()));
      EXPECT_EQ(Count(results, AddResult::kFailed) + Count(results, AddResult::kUnknown), 0u);
      for (size_t i = 0; i < results.size(); ++i) {
        if (results[i] == AddResult::kNew) ++times_new[order[i]];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(times_new[i], 1) << keys[i];
  EXPECT_EQ(CountLost(Open("f").get(), keys), 0u);
}

// Parent and child must not read replies to the other's queries.
TEST_F(RedisBloomFilterTest, ParentAndChildQueryAtTheSameTime) {
  servers_.when_unavailable = WhenUnavailable::kError;
  // So empty that no missing key is a false positive.
  const auto filter = Create("f", {1000000});
  ASSERT_NE(filter, nullptr);
  const std::vector<std::string> present = Keys(2000, "present");
  const std::vector<std::string> absent = Keys(2000, "absent");
  ASSERT_TRUE(filter->AddKeys(present));

  const auto count_wrong = [&](const std::vector<std::string>& keys, Answer expected) {
    size_t wrong = 0;
    std::vector<Answer> answers(keys.size());
    for (int round = 0; round < 5; ++round) {
      for (size_t i = 0; i < 60; ++i) wrong += filter->MayMatch(keys[i]) != expected;
      filter->MayMatch(keys, answers.data());
      wrong += keys.size() - Count(answers, expected);
    }
    return wrong;
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_added = filter->AddKey("by the child") == AddResult::kNew;
    _exit(is_added && count_wrong(absent, Answer::kNo) == 0 ? 0 : 1);
  }
  EXPECT_EQ(count_wrong(present, Answer::kMaybe), 0u);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the child";
  // The child has closed its copy of the connection. The parent's must still work.
  EXPECT_EQ(filter->MayMatch("by the child"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "");
}

// A filter's number is random: without it, two creators could share shards.
TEST_F(RedisBloomFilterTest, WithoutRandomNumbersNothingIsCreated) {
  std::string error;
  {
    const InjectedEntropy failing;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", {1000}, &error), nullptr);
  }
  EXPECT_TRUE(Has(error, "the system's generator failed"));
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  EXPECT_NE(Create("f", {1000}), nullptr);
}

// The permissions that docs/redis.md lists, on the keys it names.
TEST_F(RedisBloomFilterTest, DocumentedPermissionsAreEnough) {
  ASSERT_EQ(server_->Command({"ACL", "SETUSER", "app", "on", ">secret", "~bloomline:*", "+auth",
                              "+cluster|slots", "+wait", "+asking", "+eval", "+bitfield", "+exists",
                              "+getrange", "+setrange", "+unlink"}),
            "OK");
  servers_.username = "app";
  servers_.password = "secret";
  SharedBloomFilterOptions options{3000000};
  options.shard_bytes = 2 << 20;
  const auto filter = Create("f", options);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  // A client that may only read can open a filter.
  server_->Command({"ACL", "SETUSER", "reader", "on", ">secret", "~bloomline:*", "+auth",
                    "+cluster|slots", "+wait", "+asking", "+getrange"});
  servers_.username = "reader";
  const auto reader = Open("f");
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(reader->error(), "");
  EXPECT_EQ(reader->AddKey("another"), AddResult::kFailed);
  EXPECT_TRUE(Has(reader->error(), "NOPERM"));
  servers_.username = "app";
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:0}"})});
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:1}"})});
  EXPECT_EQ(filter->AddKey("key"), AddResult::kFailed);
  EXPECT_EQ(server_->Command({"KEYS", "bloomline:shard:*"}), "") << "the remnant is gone";
  Delete();
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
}

TEST_F(RedisBloomFilterTest, SecondCreatorWithOtherOptionsIsRefused) {
  SharedBloomFilterOptions existing{1000};
  existing.seed = 1234567890123456789;
  const auto first = Create("f", existing);
  for (const auto& [capacity, rate, seed] :
       {std::tuple(1001, 0.01, existing.seed), std::tuple(1000, 0.02, existing.seed),
        std::tuple(1000, 0.01, uint64_t{9876543210987654321u})}) {
    const SharedBloomFilterOptions options{static_cast<uint64_t>(capacity), rate, seed};
    std::string error;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", options, &error), nullptr);
    EXPECT_TRUE(Has(error,
                    "the filter 'f' exists with other parameters: capacity 1000, "
                    "false_positive_rate 0.01"));
    EXPECT_EQ(bool{Has(error, "another seed")}, seed != existing.seed);
    // Seeds may be secret.
    EXPECT_FALSE(Has(error, "1234567890"));
    EXPECT_FALSE(Has(error, "9876543210"));
  }
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "nothing left behind";
}

TEST_F(RedisBloomFilterTest, ShardsHaveTheirExactLength) {
  SharedBloomFilterOptions options{100000};
  options.shard_bytes = 65536;
  const auto filter = Create("f", options);
  ASSERT_EQ(filter->num_shards(), 2u);
  const std::string first = FirstShard();
  EXPECT_EQ(server_->Command({"STRLEN", first}), std::to_string(filter->num_bytes() / 2));
  EXPECT_EQ(server_->Command({"GETRANGE", first, "0", "255"}),
            server_->Command({"GET", "bloomline:{f}"}));
  const uint64_t used = std::stoull(server_->Command({"MEMORY", "USAGE", first}));
  EXPECT_LT(used, filter->num_bytes() / 2 * 5 / 4);
  options.shard_bytes *= 2;
  EXPECT_EQ(Create("f", options)->num_shards(), 2u) << "the shards are those that exist";
}

// Delete must not remove the shards of an entry that it would then not remove.
TEST_F(RedisBloomFilterTest, ForeignEntryIsNotTouched) {
  const auto filter = Create();
  ASSERT_EQ(filter->AddKey("key"), AddResult::kNew);
  const std::string header = server_->Command({"GET", "bloomline:{f}"});
  for (const std::string& other : {std::string("something else"), header.substr(0, 255)}) {
    server_->Command({"SET", "bloomline:{f}", other});
    ExpectRefused("is not the header of a filter");
    EXPECT_EQ(server_->Command({"GET", "bloomline:{f}"}), other);
  }
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "") << "its shards exist";
  server_->Command({"DEL", "bloomline:{f}"});
  server_->Command({"LPUSH", "bloomline:{f}", "x"});
  ExpectRefused("WRONGTYPE");
}

}  // namespace
}  // namespace bloomline::tests::redis_bloom_filter_test
