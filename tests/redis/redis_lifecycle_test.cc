// SharedBloomFilter on one working server: names, creation, deletion and permissions.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/injected_entropy.h"

namespace bloomline {
namespace {

class RedisLifecycleTest : public tests::RedisFilterTest {};

// A filter's number is random: without it, two creators could share shards.
TEST_F(RedisLifecycleTest, WithoutRandomNumbersNothingIsCreated) {
  std::string error;
  {
    const tests::InjectedEntropy failing;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", Options(1000), &error), nullptr);
  }
  EXPECT_NE(error.find("the system's generator failed"), std::string::npos) << error;
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  EXPECT_NE(Create("f", Options(1000)), nullptr);
}

// A name like the key of another filter's shard.
TEST_F(RedisLifecycleTest, NoNameCollidesWithAnotherFiltersShard) {
  const auto filter = Create("f", Options(1000));
  ASSERT_EQ(filter->AddKey("key"), AddResult::kNew);
  const std::string shard = server_->Command({"KEYS", "*{f:*"});
  const size_t open = shard.find('{');
  const std::string name = shard.substr(open + 1, shard.find('}') - open - 1);
  ASSERT_EQ(name.size(), std::string("f:0123456789abcdef:0").size()) << shard;
  const auto other = Create(name, Options(1000));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->MayMatch("key"), Answer::kNo);
  EXPECT_EQ(other->AddKey("other"), AddResult::kNew);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "4");
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers_, name, &error)) << error;
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "");
  EXPECT_EQ(filter->MayMatch("other"), Answer::kNo);
}

// The permissions that docs/redis.md lists, on the keys it names.
TEST_F(RedisLifecycleTest, DocumentedPermissionsAreEnough) {
  ASSERT_EQ(server_->Command({"ACL", "SETUSER", "app", "on", ">secret", "~bloomline:*", "+auth",
                              "+cluster|slots", "+wait", "+asking", "+eval", "+bitfield", "+exists",
                              "+getrange", "+setrange", "+unlink"}),
            "OK");
  servers_.username = "app";
  servers_.password = "secret";
  SharedBloomFilterOptions options = Options(3000000);
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
  EXPECT_NE(reader->error().find("NOPERM"), std::string::npos) << reader->error();
  servers_.username = "app";
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:0}"})});
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:1}"})});
  EXPECT_EQ(filter->AddKey("key"), AddResult::kFailed);
  EXPECT_EQ(server_->Command({"KEYS", "bloomline:shard:*"}), "") << "the remnant is gone";
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
}

TEST_F(RedisLifecycleTest, SecondCreatorWithOtherOptionsIsRefused) {
  SharedBloomFilterOptions existing = Options(1000);
  existing.seed = 1234567890123456789;
  const auto first = Create("f", existing);
  for (const auto& [capacity, rate, seed] :
       {std::tuple(1001, 0.01, existing.seed), std::tuple(1000, 0.02, existing.seed),
        std::tuple(1000, 0.01, uint64_t{9876543210987654321u})}) {
    SharedBloomFilterOptions options = Options(static_cast<uint64_t>(capacity), rate);
    options.seed = seed;
    std::string error;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", options, &error), nullptr);
    EXPECT_NE(error.find("the filter 'f' exists with other parameters: capacity 1000, "
                         "false_positive_rate 0.01"),
              std::string::npos)
        << error;
    EXPECT_EQ(error.find("another seed") != std::string::npos, seed != existing.seed) << error;
    // Seeds may be secret.
    EXPECT_EQ(error.find("1234567890"), std::string::npos) << error;
    EXPECT_EQ(error.find("9876543210"), std::string::npos) << error;
  }
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "nothing left behind";
}

TEST_F(RedisLifecycleTest, ConcurrentCreatorsGetOneFilter) {
  constexpr size_t kCreators = 8;
  std::vector<std::unique_ptr<SharedBloomFilter>> filters(kCreators);
  std::vector<std::thread> threads;
  std::atomic<size_t> ready{0};
  for (size_t i = 0; i < kCreators; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kCreators) std::this_thread::yield();
      filters[i] = SharedBloomFilter::Create(servers_, "f", Options(3000000), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& filter : filters) ASSERT_NE(filter, nullptr);
  filters[0]->AddKey("key");
  for (const auto& filter : filters) EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "unused shards were removed";
}

TEST_F(RedisLifecycleTest, ShardsHaveTheirExactLength) {
  SharedBloomFilterOptions options = Options(100000);
  options.shard_bytes = 65536;
  const auto filter = Create("f", options);
  ASSERT_EQ(filter->num_shards(), 2u);
  const std::string first = FirstShard();
  EXPECT_EQ(server_->Command({"STRLEN", first}), std::to_string(filter->num_bytes() / 2));
  EXPECT_EQ(server_->Command({"GETRANGE", first, "0", "255"}),
            server_->Command({"GET", "bloomline:{f}"}));
  const uint64_t used = std::stoull(server_->Command({"MEMORY", "USAGE", first}));
  EXPECT_LT(used, filter->num_bytes() / 2 * 5 / 4);
}

TEST_F(RedisLifecycleTest, DeletedNameCanBeCreatedAgain) {
  const auto old = Create("f", Options(1000));
  old->AddKey("key");
  std::string error;
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << "succeeds also if there is none";
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", &error), nullptr);
  EXPECT_NE(error.find("no filter 'f'"), std::string::npos) << error;

  const auto anew = Create("f", Options(50000, 0.001));
  EXPECT_EQ(anew->MayMatch("key"), Answer::kNo);
  // Clients that have the old one open neither damage the new one nor answer "no".
  EXPECT_EQ(old->MayMatch("key"), Answer::kMaybe);
  EXPECT_NE(old->error(), "");
  EXPECT_EQ(old->AddKey("other"), AddResult::kFailed);
  EXPECT_EQ(anew->MayMatch("other"), Answer::kNo);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "nothing of the old filter came back";
}

// Clients compare headers as bytes. Delete must not remove the shards of an entry that it would
// then not remove.
TEST_F(RedisLifecycleTest, ForeignEntryIsNotTouched) {
  const auto filter = Create("f", Options(1000));
  ASSERT_EQ(filter->AddKey("key"), AddResult::kNew);
  const std::string header = server_->Command({"GET", "bloomline:{f}"});
  const size_t rate_end = header.find("rate=0.01") + std::string("rate=0.01").size();
  for (const std::string& other :
       {std::string("something else"), std::string(header).insert(rate_end, "0").substr(0, 256),
        std::string(header).insert(rate_end, "0"), header.substr(0, 255)}) {
    server_->Command({"SET", "bloomline:{f}", other});
    std::string error;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", Options(1000), &error), nullptr);
    EXPECT_NE(error.find("is not the header of a filter"), std::string::npos) << error;
    error.clear();
    EXPECT_FALSE(SharedBloomFilter::Delete(servers_, "f", &error));
    EXPECT_NE(error.find("is not the header of a filter"), std::string::npos) << error;
    EXPECT_EQ(server_->Command({"GET", "bloomline:{f}"}), other);
  }
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "") << "its shards exist";
  server_->Command({"LPUSH", "bloomline:{g}", "x"});
  std::string error;
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "g", &error), nullptr);
  EXPECT_NE(error.find("WRONGTYPE"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline
