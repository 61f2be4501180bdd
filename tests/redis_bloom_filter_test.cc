// SharedBloomFilter on one server that works.
#include "bloomline/redis_bloom_filter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/key_shapes.h"
#include "tests/redis_server.h"

namespace bloomline {
namespace {

using tests::RedisServer;

class RedisBloomFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    server_ = std::make_unique<RedisServer>();
    servers_.servers = {server_->address()};
  }

  static SharedBloomFilterOptions Options(uint64_t capacity, double rate = 0.01) {
    SharedBloomFilterOptions options;
    options.capacity = capacity;
    options.false_positive_rate = rate;
    return options;
  }

  std::unique_ptr<SharedBloomFilter> Create(const std::string& name,
                                            const SharedBloomFilterOptions& options) {
    std::string error;
    auto filter = SharedBloomFilter::Create(servers_, name, options, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  std::unique_ptr<SharedBloomFilter> Open(const std::string& name) {
    std::string error;
    auto filter = SharedBloomFilter::Open(servers_, name, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  std::unique_ptr<RedisServer> server_;
  RedisServers servers_;
};

std::vector<std::string> Keys(size_t n, const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

std::vector<std::string_view> Views(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

size_t Count(const std::vector<Answer>& answers, Answer answer) {
  return static_cast<size_t>(std::count(answers.begin(), answers.end(), answer));
}

size_t Count(const std::vector<AddResult>& results, AddResult result) {
  return static_cast<size_t>(std::count(results.begin(), results.end(), result));
}

TEST_F(RedisBloomFilterTest, NeverLosesAKey) {
  for (const double rate : {0.3, 0.01, 1e-4, 1e-6}) {
    const auto filter = Create("rate" + std::to_string(rate * 1e6), Options(5000, rate));
    ASSERT_NE(filter, nullptr);
    for (const tests::KeyShape shape : tests::kAllKeyShapes) {
      std::vector<std::string> keys;
      tests::KeyMaker key(shape);
      for (uint64_t i = 0; i < 600; ++i) keys.emplace_back(key(i));
      const std::vector<std::string_view> views = Views(keys);
      ASSERT_TRUE(filter->AddKeys(views.size(), views.data())) << filter->error();
      std::vector<Answer> answers(views.size(), Answer::kNo);
      ASSERT_TRUE(filter->MayMatch(views.size(), views.data(), answers.data()));
      EXPECT_EQ(Count(answers, Answer::kMaybe), views.size());
      for (size_t i = 0; i < 20; ++i) EXPECT_EQ(filter->MayMatch(views[i]), Answer::kMaybe);
    }
  }
}

TEST_F(RedisBloomFilterTest, HandlesEmptyHugeAndBinaryKeys) {
  const auto filter = Create("f", Options(1000));
  const std::vector<std::string> keys = {"", std::string(1 << 20, 'x'), std::string("\0\r\n", 3)};
  for (const std::string& key : keys) {
    EXPECT_EQ(filter->MayMatch(key), Answer::kNo);
    EXPECT_EQ(filter->AddKey(key), AddResult::kNew);
    EXPECT_EQ(filter->AddKey(key), AddResult::kPresent);
    EXPECT_EQ(filter->MayMatch(key), Answer::kMaybe);
  }
}

TEST_F(RedisBloomFilterTest, BatchesAnswerAsSingleCalls) {
  SharedBloomFilterOptions options = Options(20000);
  options.shard_bytes = 4096;
  const auto filter = Create("f", options);
  EXPECT_EQ(filter->num_shards(), 6u);
  const std::vector<std::string> keys = Keys(20000, "key");
  std::vector<std::string_view> views = Views(keys);
  views[777] = views[776];  // twice in a batch: new once
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

TEST_F(RedisBloomFilterTest, RateAndMemoryAreAsPromised) {
  for (const double rate : {0.05, 0.01, 0.001}) {
    constexpr size_t kKeys = 40000;
    SharedBloomFilterOptions options = Options(kKeys, rate);
    options.shard_bytes = 16384;
    const auto filter = Create("f" + std::to_string(rate), options);
    const std::vector<std::string> keys = Keys(kKeys, "key");
    const std::vector<std::string_view> views = Views(keys);
    std::vector<AddResult> results(kKeys);
    ASSERT_TRUE(filter->AddKeys(kKeys, views.data(), results.data())) << filter->error();
    // A key is not new with the rate at that moment, so by far fewer than at the end.
    EXPECT_GT(static_cast<double>(Count(results, AddResult::kNew)), kKeys * (1 - rate / 2));

    const size_t queries = rate < 0.005 ? 400000 : 200000;
    const std::vector<std::string> absent = Keys(queries, "absent");
    const std::vector<std::string_view> absent_views = Views(absent);
    std::vector<Answer> answers(queries);
    ASSERT_TRUE(filter->MayMatch(queries, absent_views.data(), answers.data()));
    const double measured =
        static_cast<double>(Count(answers, Answer::kMaybe)) / static_cast<double>(queries);
    std::printf("rate %g: measured %g, %u probes, %.3f bits per key\n", rate, measured,
                static_cast<unsigned>(filter->num_probes()),
                static_cast<double>(filter->num_bytes()) * 8 / kKeys);
    // Four standard deviations of chance are 9 % at 2000 expected, 20 % at 400.
    EXPECT_NEAR(measured / rate, 1, rate < 0.005 ? 0.2 : 0.09);
  }
}

TEST_F(RedisBloomFilterTest, AddIsOneCommandAndOneForManyKeys) {
  const auto filter = Create("f", Options(1000000));
  const uint64_t before = server_->Info("commandstats", "cmdstat_bitfield:calls");
  filter->AddKey("a");
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_bitfield:calls"), before + 1);
  const std::vector<std::string> keys = Keys(1600, "key");
  const std::vector<std::string_view> views = Views(keys);
  filter->AddKeys(views.size(), views.data());
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_bitfield:calls"), before + 101);
  const uint64_t queries_before = server_->Info("commandstats", "cmdstat_getrange:calls");
  filter->MayMatch("a");
  EXPECT_EQ(server_->Info("commandstats", "cmdstat_getrange:calls"), queries_before + 1);
}

// docs/redis.md: positions computed by an implementation that shares nothing with this one.
TEST_F(RedisBloomFilterTest, LayoutIsTheDocumentedOne) {
  const std::string id = "00000000000000ff";
  server_->Command({"HSET", "bloomline:{golden}", "metadata",
                    "bloomline-shared-bloom version=1 capacity=7000 false_positive_rate=0.01 "
                    "seed=42 block_bytes=128 num_probes=6 blocks_per_shard=25 num_shards=3 id=" +
                        id});
  std::string empty_shard;
  for (int block = 0; block < 25; ++block) empty_shard += std::string(127, '\0') + '\x01';
  for (const std::string shard : {"0", "1", "2"}) {
    server_->Command({"SET", "bloomline:shard:{golden:" + id + ":" + shard + "}", empty_shard});
  }
  const auto filter = Open("golden");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->capacity(), 7000u);
  EXPECT_EQ(filter->num_bytes(), 75u * 128);
  EXPECT_EQ(filter->MayMatch("hello"), Answer::kNo);

  // "hello" with seed 42: block 54, so shard 2 and block 4 there.
  const std::string key = "bloomline:shard:{golden:" + id + ":2}";
  const int hello[] = {280, 675, 748, 115, 227, 337};
  EXPECT_EQ(filter->AddKey("hello"), AddResult::kNew);
  for (const int bit : hello) {
    EXPECT_EQ(server_->Command({"GETBIT", key, std::to_string(4 * 1024 + bit)}), "1") << bit;
  }
  EXPECT_EQ(server_->Command({"BITCOUNT", key}), std::to_string(25 + 6));

  // "world": block 3 of shard 0; written by somebody else.
  const std::string first = "bloomline:shard:{golden:" + id + ":0}";
  EXPECT_EQ(filter->MayMatch("world"), Answer::kNo);
  for (const int bit : {858, 298, 912, 402, 119, 66}) {
    EXPECT_EQ(filter->MayMatch("world"), Answer::kNo);
    server_->Command({"SETBIT", first, std::to_string(3 * 1024 + bit), "1"});
  }
  EXPECT_EQ(filter->MayMatch("world"), Answer::kMaybe);
}

TEST_F(RedisBloomFilterTest, FiltersOfSeveralNamesAreApart) {
  const auto a = Create("a", Options(1000));
  const auto b = Create("b", Options(1000));
  EXPECT_EQ(a->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(b->MayMatch("key"), Answer::kNo);
  EXPECT_EQ(b->AddKey("key"), AddResult::kNew);
}

// A name that has the form of another filter's shard.
TEST_F(RedisBloomFilterTest, NoNameMakesAKeyOfAnotherFilter) {
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

// Those that docs/redis.md lists, on the keys it names.
TEST_F(RedisBloomFilterTest, DocumentedPermissionsAreEnough) {
  ASSERT_EQ(server_->Command(
                {"ACL",      "SETUSER",        "app",       "on",      ">secret",   "~bloomline:*",
                 "+auth",    "+cluster|slots", "+wait",     "+asking", "+eval",     "+bitfield",
                 "+del",     "+exists",        "+expire",   "+getbit", "+getrange", "+hdel",
                 "+hexists", "+hget",          "+hkeys",    "+hmget",  "+hset",     "+hsetnx",
                 "+persist", "+pttl",          "+setrange", "+strlen", "+time",     "+unlink"}),
            "OK");
  servers_.username = "app";
  servers_.password = "secret";
  SharedBloomFilterOptions options = Options(3000000);
  options.shard_bytes = 2 << 20;
  const auto filter = Create("f", options);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  server_->Command({"HSET", "bloomline:{f}", "unfinished", "1"});
  EXPECT_EQ(Open("f")->MayMatch("key"), Answer::kMaybe);
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:0}"})});
  server_->Command({"DEL", server_->Command({"KEYS", "bloomline:shard:*:1}"})});
  EXPECT_EQ(filter->AddKey("key"), AddResult::kFailed);
  EXPECT_EQ(server_->Command({"KEYS", "bloomline:shard:*"}), "") << "the remnant is gone";
  std::string error;
  EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
}

// Who may only read can open what is finished.
TEST_F(RedisBloomFilterTest, ReadersNeedFewPermissions) {
  Create("f", Options(1000))->AddKey("key");
  server_->Command({"ACL", "SETUSER", "reader", "on", ">secret", "~bloomline:*", "+auth",
                    "+cluster|slots", "+wait", "+asking", "+getrange", "+hmget", "+strlen"});
  servers_.username = "reader";
  servers_.password = "secret";
  const auto filter = Open("f");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "");
  EXPECT_EQ(filter->AddKey("another"), AddResult::kFailed);
  EXPECT_NE(filter->error().find("NOPERM"), std::string::npos) << filter->error();
}

TEST_F(RedisBloomFilterTest, SecondCreatorWithTheSameOptionsOpens) {
  const auto first = Create("f", Options(1000));
  first->AddKey("key");
  EXPECT_EQ(Create("f", Options(1000))->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(Open("f")->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2");
}

TEST_F(RedisBloomFilterTest, SecondCreatorWithOtherOptionsIsToldBoth) {
  const auto first = Create("f", Options(1000));
  SharedBloomFilterOptions other_seed = Options(1000);
  other_seed.seed = 5;
  for (const SharedBloomFilterOptions& options : {Options(1001), Options(1000, 0.02), other_seed}) {
    std::string error;
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", options, &error), nullptr);
    EXPECT_NE(error.find("exists with other parameters"), std::string::npos) << error;
    EXPECT_NE(error.find("capacity=1000 false_positive_rate=0.01 seed=0"), std::string::npos);
    EXPECT_NE(error.find("wanted is 'bloomline-shared-bloom version=1 capacity=" +
                         std::to_string(options.capacity)),
              std::string::npos);
  }
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "nothing left behind";
}

TEST_F(RedisBloomFilterTest, CreatorsAtOnceGetOneFilter) {
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
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "shards made in vain are gone";
  EXPECT_EQ(server_->Command({"TTL", "bloomline:{f}"}), "-1");
}

TEST_F(RedisBloomFilterTest, ShardsDoNotExpireAndHaveTheirExactLength) {
  SharedBloomFilterOptions options = Options(100000);
  options.shard_bytes = 65536;
  const auto filter = Create("f", options);
  ASSERT_EQ(filter->num_shards(), 2u);
  const std::string keys = server_->Command({"KEYS", "bloomline:shard:{f:*"});
  const std::string first = keys.substr(0, keys.find(' '));
  EXPECT_EQ(server_->Command({"TTL", first}), "-1");
  EXPECT_EQ(server_->Command({"STRLEN", first}), std::to_string(filter->num_bytes() / 2));
  const uint64_t used = std::stoull(server_->Command({"MEMORY", "USAGE", first}));
  EXPECT_LT(used, filter->num_bytes() / 2 * 5 / 4);
}

TEST_F(RedisBloomFilterTest, DeleteRemovesAllAndMakesRoomForOthers) {
  const auto old = Create("f", Options(1000));
  old->AddKey("key");
  std::string error;
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << "there is none now, either";
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", &error), nullptr);
  EXPECT_NE(error.find("no filter 'f'"), std::string::npos) << error;

  const auto anew = Create("f", Options(50000, 0.001));
  EXPECT_EQ(anew->MayMatch("key"), Answer::kNo);
  // Whoever has the old one open neither damages the new one nor says "no".
  EXPECT_EQ(old->MayMatch("key"), Answer::kMaybe);
  EXPECT_NE(old->error(), "");
  EXPECT_EQ(old->AddKey("other"), AddResult::kFailed);
  EXPECT_EQ(anew->MayMatch("other"), Answer::kNo);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "nothing of the old one came back";
}

// Each of several writers adds all keys, in an order of its own.
TEST_F(RedisBloomFilterTest, ExactlyOneOfConcurrentWritersSeesAKeyAsNew) {
  constexpr size_t kWriters = 4;
  const std::vector<std::string> keys = Keys(3000, "key");
  SharedBloomFilterOptions options = Options(1000000);  // so empty that none is a false positive
  options.shard_bytes = 1 << 18;
  Create("f", options);
  std::vector<std::atomic<int>> times_new(keys.size());
  std::vector<std::thread> threads;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      const auto filter = Open("f");
      std::vector<size_t> order(keys.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(writer)));
      std::vector<std::string_view> views;
      for (const size_t i : order) views.push_back(keys[i]);
      std::vector<AddResult> results(views.size());
      // Half of them one by one, half as batches.
      const size_t singles = writer % 2 == 0 ? views.size() : 0;
      for (size_t i = 0; i < singles; ++i) results[i] = filter->AddKey(views[i]);
      for (size_t i = singles; i < views.size(); i += 100) {
        ASSERT_TRUE(filter->AddKeys(100, &views[i], &results[i])) << filter->error();
      }
      for (size_t i = 0; i < results.size(); ++i) {
        ASSERT_NE(results[i], AddResult::kFailed);
        ASSERT_NE(results[i], AddResult::kUnknown);
        if (results[i] == AddResult::kNew) ++times_new[order[i]];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto filter = Open("f");
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(times_new[i], 1) << keys[i];
    ASSERT_EQ(filter->MayMatch(keys[i]), Answer::kMaybe);
  }
}

TEST_F(RedisBloomFilterTest, ProcessesShareAFilter) {
  constexpr int kProcesses = 3;
  Create("f", Options(100000));
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto filter = SharedBloomFilter::Open(servers_, "f", nullptr);
      const std::vector<std::string> keys = Keys(5000, std::to_string(process) + "/");
      const std::vector<std::string_view> views = Views(keys);
      _exit(filter != nullptr && filter->AddKeys(views.size(), views.data()) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto filter = Open("f");
  for (int process = 0; process < kProcesses; ++process) {
    const std::vector<std::string> keys = Keys(5000, std::to_string(process) + "/");
    const std::vector<std::string_view> views = Views(keys);
    std::vector<Answer> answers(views.size());
    ASSERT_TRUE(filter->MayMatch(views.size(), views.data(), answers.data()));
    EXPECT_EQ(Count(answers, Answer::kMaybe), views.size());
  }
}

TEST_F(RedisBloomFilterTest, BadNamesAndOptionsAreRefusedBeforeAnythingIsMade) {
  std::string error;
  EXPECT_EQ(SharedBloomFilter::Create(servers_, "a b", Options(1000), &error), nullptr);
  EXPECT_NE(error.find("'a b'"), std::string::npos) << error;
  EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", Options(0), &error), nullptr);
  EXPECT_NE(error.find("capacity is 0"), std::string::npos) << error;
  RedisServers bad = servers_;
  bad.max_retries = -1;
  EXPECT_EQ(SharedBloomFilter::Open(bad, "f", &error), nullptr);
  EXPECT_NE(error.find("max_retries is -1"), std::string::npos) << error;
  EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", Options(0), nullptr), nullptr);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
}

// Its own text is what Delete looks for: it must not say that all is gone and leave the metadata.
TEST_F(RedisBloomFilterTest, MetadataInAnotherSpellingIsNotDeletedHalf) {
  const auto filter = Create("f", Options(1000));
  ASSERT_EQ(filter->AddKey("key"), AddResult::kNew);
  std::string metadata = server_->Command({"HGET", "bloomline:{f}", "metadata"});
  const size_t rate = metadata.find("false_positive_rate=0.01");
  ASSERT_NE(rate, std::string::npos) << metadata;
  metadata.insert(rate + std::string("false_positive_rate=0.01").size(), "0");
  server_->Command({"HSET", "bloomline:{f}", "metadata", metadata});
  std::string error;
  EXPECT_FALSE(SharedBloomFilter::Delete(servers_, "f", &error));
  EXPECT_NE(error.find("spelling"), std::string::npos) << error;
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "") << "its shards are there";
}

TEST_F(RedisBloomFilterTest, ForeignMetadataIsNotTouched) {
  std::string error;
  server_->Command({"HSET", "bloomline:{f}", "metadata", "something else"});
  EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", Options(1000), &error), nullptr);
  EXPECT_NE(error.find("'something else'"), std::string::npos) << error;
  EXPECT_FALSE(SharedBloomFilter::Delete(servers_, "f", &error));
  EXPECT_EQ(server_->Command({"HGET", "bloomline:{f}", "metadata"}), "something else");
  server_->Command({"LPUSH", "bloomline:{g}", "x"});
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "g", &error), nullptr);
  EXPECT_NE(error.find("WRONGTYPE"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline
