// redis_bloom_filter.h and c_redis.h: filters on a server. Allocations of hiredis, a shared
// library, do not fail here. Version 0.14 makes 13 to connect and read three replies: it ends the
// process if the fifth fails, and returns an error if another does.
#include <dirent.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/c_redis.h"
#include "bloomline/redis_bloom_filter.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/redis/redis_server.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// Enough for a batch to fail with some replies read and others still to come.
constexpr size_t kKeys = 600;

// Few probes make planning fast, which happens thousands of times. The tests fill a hundredth of
// the filter, so that hardly any key is a false positive.
SharedBloomFilterOptions RedisOptions() {
  SharedBloomFilterOptions options;
  options.capacity = 5000000;
  options.false_positive_rate = 1.0 / 3;  // 15 digits: a short text needs no memory
  options.shard_bytes = 256 << 10;
  return options;
}

size_t NumOpenFiles() {
  size_t n = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
}

// As FailEachAllocation; also checks that no connection stays open.
void FailEachForRedis(const std::function<void(Attempt*)>& body) {
  FailEachAllocation([&](Attempt* attempt) {
    const size_t before = NumOpenFiles();
    body(attempt);
    EXPECT_EQ(NumOpenFiles(), before);
  });
}

TEST(RedisOptions, WrongOnesAreRefusedWithoutMemory) {
  std::vector<RedisServers> wrong(8);
  wrong[0].servers = {"an address that is none, however long it may be"};
  wrong[1].servers = {"redis://user:a%password@host:99999999"};
  wrong[2].servers = {"rediss://one-host.example:1", "redis://other-host.example:2"};
  wrong[3].servers = {"redis://a-user:a-password@one-host.example", "redis://b:c@other.example"};
  wrong[4].tls.ca_file = "/a/file/without/an/address/that/wants/TLS.pem";
  wrong[5].username = "a user whose name needs memory";
  wrong[6].database = -1;
  wrong[7].when_unavailable = static_cast<WhenUnavailable>(99);
  const std::string name = "name-that-needs-memory-of-its-own";
  for (const RedisServers& servers : wrong) {
    ExpectRefused([&](std::string* error) {
      return SharedBloomFilter::Create(servers, name, RedisOptions(), error);
    });
    ExpectRefused(
        [&](std::string* error) { return SharedBloomFilter::Open(servers, name, error); });
    ExpectRefused(
        [&](std::string* error) { return SharedBloomFilter::Delete(servers, name, error); });
  }
  SharedBloomFilterOptions options = RedisOptions();
  options.capacity = 0;
  const RedisServers servers;
  ExpectRefused(
      [&](std::string* error) { return SharedBloomFilter::Create(servers, name, options, error); });
  AddOptions add;
  add.min_replicas = -1;
  ExpectSentence([&] { return add.Validate(); });
}

class RedisMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    const std::string socket = dir_.Path("socket");
    server_ = std::make_unique<RedisServer>(std::vector<std::string>{"--unixsocket", socket});
    servers_.servers = {"unix://" + socket};
    Fill();
  }

  // Creates the filter of the test, with keys that every query must find.
  void Fill() {
    std::string error;
    const auto filter = SharedBloomFilter::Create(servers_, name_, RedisOptions(), &error);
    ASSERT_NE(filter, nullptr) << error;
    ASSERT_TRUE(filter->AddKeys(kKeys, keys_.views.data())) << filter->error();
  }

  std::unique_ptr<SharedBloomFilter> Open() const {
    std::string error;
    auto filter = SharedBloomFilter::Open(servers_, name_, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  static void CheckKeys(SharedBloomFilter* filter, const std::vector<std::string_view>& keys) {
    std::vector<Answer> answers(keys.size(), Answer::kNo);
    EXPECT_TRUE(filter->MayMatch(keys.size(), keys.data(), answers.data()));
    EXPECT_EQ(filter->error(), "");
    for (const Answer answer : answers) EXPECT_TRUE(answer == Answer::kMaybe);
  }

  // Neither the filter that met the failure nor another one loses a key of the test or of `keys`.
  void CheckBoth(SharedBloomFilter* filter, const std::vector<std::string_view>& keys = {}) const {
    const auto other = Open();
    for (SharedBloomFilter* one : {filter, other.get()}) {
      CheckKeys(one, keys_.views);
      CheckKeys(one, keys);
    }
  }

  std::string NewName() { return "filter-that-needs-memory-" + std::to_string(++num_names_); }
  std::vector<std::string> NewKeys(size_t n) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back("new key " + std::to_string(++num_new_keys_));
    return keys;
  }

  void TryAdditions(const AddOptions& options);
  void TryQueries(WhenUnavailable when_unavailable);

  const std::string name_ = "the-filter-of-the-test";
  const ManyKeys keys_{kKeys};
  const TempDir dir_;
  std::unique_ptr<RedisServer> server_;
  RedisServers servers_;
  size_t num_names_ = 0;
  size_t num_new_keys_ = 0;
};

// What a failed creation or deletion left behind does not disturb the next one.
TEST_F(RedisMemoryTest, CreateAndDeleteSucceedOrReturnAnError) {
  FailEachForRedis([&](Attempt* attempt) {
    const std::string name = NewName();
    std::unique_ptr<SharedBloomFilter> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call(
        [&] { filter = SharedBloomFilter::Create(servers_, name, RedisOptions(), &error); });
    attempt->CheckOutcome(filter != nullptr, error);
    const auto next = SharedBloomFilter::Create(servers_, name, RedisOptions(), &error);
    ASSERT_NE(next, nullptr) << error;
    EXPECT_NEAR(next->false_positive_rate(), RedisOptions().false_positive_rate, 1e-15);
    SharedBloomFilter* const adder = filter != nullptr ? filter.get() : next.get();
    ASSERT_TRUE(adder->AddKeys(10, keys_.views.data())) << adder->error();
    CheckKeys(next.get(), {keys_.views.begin(), keys_.views.begin() + 10});
    error = Attempt::kUntouched;
    bool deleted = false;
    attempt->Call([&] { deleted = SharedBloomFilter::Delete(servers_, name, &error); });
    attempt->CheckOutcome(deleted, error);
    EXPECT_TRUE(deleted || SharedBloomFilter::Delete(servers_, name, &error)) << error;
    EXPECT_EQ(SharedBloomFilter::Open(servers_, name, &error), nullptr);
    EXPECT_EQ(error, "there is no filter '" + name + "'");
  });
}

TEST_F(RedisMemoryTest, OpenReturnsAFilterOrAnError) {
  FailEachForRedis([&](Attempt* attempt) {
    std::unique_ptr<SharedBloomFilter> opened;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { opened = SharedBloomFilter::Open(servers_, name_, &error); });
    attempt->CheckOutcome(opened != nullptr, error);
    if (opened != nullptr) CheckBoth(opened.get());
  });
  SharedBloomFilterOptions other = RedisOptions();
  other.false_positive_rate = 0.4;
  ExpectRefused(
      [&](std::string* error) { return SharedBloomFilter::Create(servers_, name_, other, error); });
  const std::string missing = "a-filter-that-nobody-made";
  ExpectRefused(
      [&](std::string* error) { return SharedBloomFilter::Open(servers_, missing, error); });
}

void RedisMemoryTest::TryAdditions(const AddOptions& options) {
  FailEachForRedis([&](Attempt* attempt) {
    const auto filter = Open();
    const std::vector<std::string> stored = NewKeys(kKeys);
    const std::vector<std::string_view> keys(stored.begin(), stored.end());
    std::vector<AddResult> results(keys.size(), AddResult::kNew);
    bool added = false;
    attempt->Call([&] {
      results[0] = filter->AddKey(keys[0], options);
      added = filter->AddKeys(keys.size() - 1, keys.data() + 1, results.data() + 1, options);
    });
    EXPECT_TRUE(added || attempt->HasFailed());
    EXPECT_EQ(filter->error().empty(), added);
    std::vector<std::string_view> acknowledged;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (results[i] != AddResult::kFailed) acknowledged.push_back(keys[i]);
    }
    EXPECT_EQ(acknowledged.size() == keys.size(), !attempt->HasFailed());
    CheckBoth(filter.get(), acknowledged);
  });
}

void RedisMemoryTest::TryQueries(WhenUnavailable when_unavailable) {
  servers_.when_unavailable = when_unavailable;
  const Answer unavailable =
      when_unavailable == WhenUnavailable::kError ? Answer::kError : Answer::kMaybe;
  FailEachForRedis([&](Attempt* attempt) {
    const auto filter = Open();
    std::vector<Answer> answers(kKeys, Answer::kNo);
    Answer absent = Answer::kNo;
    bool answered = false;
    attempt->Call([&] {
      absent = filter->MayMatch("an absent key");
      answered = filter->MayMatch(kKeys, keys_.views.data(), answers.data());
    });
    EXPECT_TRUE(answered || attempt->HasFailed());
    EXPECT_EQ(filter->error().empty(), answered);
    EXPECT_TRUE(absent == Answer::kNo || (attempt->HasFailed() && absent == unavailable));
    for (const Answer answer : answers) {
      EXPECT_TRUE(answer == Answer::kMaybe || (!answered && answer == unavailable));
    }
    CheckBoth(filter.get());
  });
}

TEST_F(RedisMemoryTest, KeysAreAddedOrReportedAsFailed) {
  TryAdditions(AddOptions());
  const RedisServer replica({"--replicaof", "127.0.0.1", std::to_string(server_->port())});
  WaitForReplicas(*server_, 1);
  AddOptions options;
  options.min_replicas = 1;
  TryAdditions(options);
}

TEST_F(RedisMemoryTest, QueriesGiveNoFalseNegative) {
  TryQueries(WhenUnavailable::kMayMatch);
  TryQueries(WhenUnavailable::kError);
}

// The results of windows before the failed one stay, and are right.
TEST_F(RedisMemoryTest, FailedWindowKeepsEarlierAnswers) {
  constexpr size_t kMany = 10000;
  const std::vector<std::string> stored = NewKeys(kMany);
  const std::vector<std::string_view> keys(stored.begin(), stored.end());
  const auto filter = Open();
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; n += 29) {
    Attempt attempt(FailurePlan{n, true, false});
    std::vector<AddResult> results(kMany, AddResult::kNew);
    attempt.Call([&] { filter->AddKeys(kMany, keys.data(), results.data()); });
    std::vector<std::string_view> acknowledged;
    for (size_t i = 0; i < kMany; ++i) {
      if (results[i] != AddResult::kFailed) acknowledged.push_back(keys[i]);
    }
    CheckBoth(filter.get(), acknowledged);
    has_failed = attempt.HasFailed();
    EXPECT_EQ(acknowledged.size() < kMany, has_failed);
  }
}

TEST_F(RedisMemoryTest, CFunctionsLoseNoKey) {
  auto* const servers = bloomline_redisservers_create();
  const std::string& address = servers_.servers[0];
  const char* const text = address.c_str();
  ASSERT_TRUE(bloomline_redisservers_set_servers(servers, 1, &text));
  FailEachForRedis([&](Attempt* attempt) {
    int results[kKeys] = {}, answers[kKeys] = {};
    bloomline_shared_t* filter = nullptr;
    bool added = false;
    attempt->Call([&] {
      bloomline_redisservers_set_password(servers, nullptr);
      filter = bloomline_shared_open(servers, name_.c_str(), nullptr);
      if (filter == nullptr) return;
      added = bloomline_shared_add_keys(filter, kKeys, keys_.starts.data(), keys_.lengths.data(),
                                        nullptr, results);
      bloomline_shared_may_match_keys(filter, kKeys, keys_.starts.data(), keys_.lengths.data(),
                                      answers);
    });
    EXPECT_TRUE(added || attempt->HasFailed());
    for (size_t i = 0; filter != nullptr && i < kKeys; ++i) {
      EXPECT_TRUE(answers[i] != bloomline_shared_no) << "every key is in the filter";
    }
    bloomline_shared_destroy(filter);
  });
  bloomline_redisservers_destroy(servers);
}

// A cluster with a slot that is being moved, to which nodes redirect with ASK.
class RedisClusterMemoryTest : public RedisMemoryTest {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    cluster_ = std::make_unique<RedisCluster>(/*with_replicas=*/true);
    servers_.servers = {cluster_->node(0).address()};
    // No failover on a busy machine.
    for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
      for (const RedisServer* server : {&cluster_->node(i), &cluster_->replica(i)}) {
        server->Command({"CONFIG", "SET", "cluster-node-timeout", "60000"});
      }
    }
    Fill();
    for (size_t i = 0; i < RedisCluster::kNodes; ++i) {
      const std::string shard = cluster_->node(i).Command({"KEYS", "bloomline:shard:*"});
      if (shard.empty()) continue;
      const std::string first = shard.substr(0, shard.find(' '));
      const size_t to = (i + 1) % RedisCluster::kNodes;
      cluster_->BeginMigration(first, i, to);
      cluster_->MoveKey(first, i, to);
      return;
    }
    FAIL() << "no node has a shard";
  }
  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterMemoryTest, AdditionsAndQueriesLoseNoKey) {
  TryAdditions(AddOptions());
  AddOptions options;
  options.min_replicas = 1;
  options.replica_timeout_ms = 10000;
  TryAdditions(options);
  TryQueries(WhenUnavailable::kMayMatch);
}

}  // namespace
}  // namespace bloomline::tests
