// redis_bloom_filter.h: filters on a server. Allocations of hiredis, a shared library, do not fail
// here. Version 0.14 makes 13 to connect and read three replies: it ends the process if the fifth
// fails, and returns an error if another does.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/allocation_failure/redis_attempts.h"
#include "tests/redis/redis_server.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// Enough for a batch to fail with some replies read and others still to come.
constexpr size_t kKeys = 600;

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
    ASSERT_TRUE(filter->AddKeys(kKeys, keys_.data())) << filter->error();
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
    for (const Answer answer : answers) Attempt::CheckPresent(answer == Answer::kMaybe);
  }

  // Neither the filter that met the failure nor another one loses a key of the test or of `keys`.
  void CheckBoth(SharedBloomFilter* filter, const std::vector<std::string_view>& keys = {}) const {
    const auto other = Open();
    for (SharedBloomFilter* one : {filter, other.get()}) {
      CheckKeys(one, keys_);
      CheckKeys(one, keys);
    }
  }

  std::string NewName() { return "filter-that-needs-memory-" + std::to_string(++num_names_); }
  std::vector<std::string> NewKeys(size_t n) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back("new key " + std::to_string(++num_new_keys_));
    return keys;
  }

  // Both calls that add, and queries, of one open filter.
  void TryAdditions(const AddOptions& options);
  void TryQueries(WhenUnavailable when_unavailable);

  const std::string name_ = "the-filter-of-the-test";
  const std::vector<std::string> stored_ = MakeKeys(kKeys);
  const std::vector<std::string_view> keys_ = Views(stored_);
  const TempDir dir_;
  std::unique_ptr<RedisServer> server_;
  RedisServers servers_;
  size_t num_names_ = 0;
  size_t num_new_keys_ = 0;
};

// What a failed creation left behind does not disturb the next one.
TEST_F(RedisMemoryTest, CreateReturnsAFilterOrAnError) {
  FailEachForRedis({"SharedBloomFilter::Create"}, [&](Attempt* attempt) {
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
    ASSERT_TRUE(adder->AddKeys(kKeys, keys_.data())) << adder->error();
    CheckKeys(next.get(), keys_);
    EXPECT_TRUE(SharedBloomFilter::Delete(servers_, name, &error)) << error;
    EXPECT_EQ(SharedBloomFilter::Open(servers_, name, &error), nullptr);
    EXPECT_EQ(error, "there is no filter '" + name + "'");
  });
}

TEST_F(RedisMemoryTest, OpenReturnsAFilterOrAnError) {
  FailEachForRedis({"SharedBloomFilter::Create", "SharedBloomFilter::Open"}, [&](Attempt* attempt) {
    std::unique_ptr<SharedBloomFilter> created, opened;
    std::string create_error = Attempt::kUntouched, open_error = Attempt::kUntouched;
    attempt->Call([&] {
      created = SharedBloomFilter::Create(servers_, name_, RedisOptions(), &create_error);
      opened = SharedBloomFilter::Open(servers_, name_, &open_error);
    });
    attempt->CheckOutcome(created != nullptr, create_error);
    attempt->CheckOutcome(opened != nullptr, open_error);
    if (created != nullptr) CheckBoth(created.get());
    if (opened != nullptr) CheckBoth(opened.get());
  });
}

TEST_F(RedisMemoryTest, DifferentOptionsAndWrongNamesAreRefused) {
  SharedBloomFilterOptions other = RedisOptions();
  other.false_positive_rate = 0.4;
  const std::string bad = "a name with spaces in it", missing = "a-filter-that-nobody-made";
  FailEachForRedis({"SharedBloomFilter::Create", "SharedBloomFilter::Open"}, [&](Attempt* attempt) {
    std::unique_ptr<SharedBloomFilter> created, named, opened;
    std::string errors[3] = {Attempt::kUntouched, Attempt::kUntouched, Attempt::kUntouched};
    attempt->Call([&] {
      created = SharedBloomFilter::Create(servers_, name_, other, &errors[0]);
      named = SharedBloomFilter::Create(servers_, bad, other, &errors[1]);
      opened = SharedBloomFilter::Open(servers_, missing, &errors[2]);
    });
    Attempt::CheckRefusal(created != nullptr, errors[0]);
    Attempt::CheckRefusal(named != nullptr, errors[1]);
    Attempt::CheckRefusal(opened != nullptr, errors[2]);
  });
}

TEST_F(RedisMemoryTest, DeleteSucceedsOrReturnsAnError) {
  FailEachForRedis({"SharedBloomFilter::Delete"}, [&](Attempt* attempt) {
    const std::string name = NewName();
    std::string error;
    auto filter = SharedBloomFilter::Create(servers_, name, RedisOptions(), &error);
    ASSERT_NE(filter, nullptr) << error;
    bool deleted = false;
    error = Attempt::kUntouched;
    attempt->Call([&] { deleted = SharedBloomFilter::Delete(servers_, name, &error); });
    attempt->CheckOutcome(deleted, error);
    if (!deleted) {
      EXPECT_TRUE(SharedBloomFilter::Delete(servers_, name, &error)) << error;
    }
    EXPECT_EQ(SharedBloomFilter::Open(servers_, name, &error), nullptr);
    EXPECT_EQ(error, "there is no filter '" + name + "'");
  });
}

void RedisMemoryTest::TryAdditions(const AddOptions& options) {
  FailEachForRedis(
      {"SharedBloomFilter::AddKey", "SharedBloomFilter::error"}, [&](Attempt* attempt) {
        const auto filter = Open();
        const std::vector<std::string> stored = NewKeys(1);
        AddResult result = AddResult::kNew;
        attempt->Call([&] { result = filter->AddKey(stored[0], options); });
        EXPECT_EQ(result == AddResult::kFailed, attempt->HasFailed());
        EXPECT_EQ(filter->error().empty(), !attempt->HasFailed());
        CheckBoth(filter.get(),
                  result == AddResult::kFailed ? std::vector<std::string_view>() : Views(stored));
      });
  FailEachForRedis({"SharedBloomFilter::AddKeys"}, [&](Attempt* attempt) {
    const auto filter = Open();
    const std::vector<std::string> stored = NewKeys(kKeys);
    const std::vector<std::string_view> keys = Views(stored);
    std::vector<AddResult> results(keys.size(), AddResult::kNew);
    bool added = false;
    attempt->Call(
        [&] { added = filter->AddKeys(keys.size(), keys.data(), results.data(), options); });
    EXPECT_TRUE(added || attempt->HasFailed());
    EXPECT_EQ(filter->error().empty(), added);
    std::vector<std::string_view> acknowledged;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (results[i] != AddResult::kFailed) acknowledged.push_back(keys[i]);
    }
    EXPECT_EQ(acknowledged.size() == keys.size(), added);
    CheckBoth(filter.get(), acknowledged);
  });
  FailEachForRedis({"SharedBloomFilter::AddKeys"}, [&](Attempt* attempt) {
    const auto filter = Open();
    const std::vector<std::string> stored = NewKeys(kKeys);
    const std::vector<std::string_view> keys = Views(stored);
    bool added = false;
    attempt->Call([&] { added = filter->AddKeys(keys.size(), keys.data(), nullptr, options); });
    EXPECT_TRUE(added || attempt->HasFailed());
    CheckBoth(filter.get(), added ? keys : std::vector<std::string_view>());
  });
}

void RedisMemoryTest::TryQueries(WhenUnavailable when_unavailable) {
  servers_.when_unavailable = when_unavailable;
  const Answer unavailable =
      when_unavailable == WhenUnavailable::kError ? Answer::kError : Answer::kMaybe;
  FailEachForRedis({"SharedBloomFilter::MayMatch"}, [&](Attempt* attempt) {
    const auto filter = Open();
    Answer present = Answer::kNo, absent = Answer::kNo;
    attempt->Call([&] {
      present = filter->MayMatch(keys_[0]);
      absent = filter->MayMatch("an absent key");
    });
    Attempt::CheckPresent(present != Answer::kNo);
    EXPECT_TRUE(present == Answer::kMaybe || present == unavailable);
    EXPECT_TRUE(absent == Answer::kNo || (attempt->HasFailed() && absent == unavailable));
    EXPECT_TRUE(absent == Answer::kNo || !filter->error().empty());
    CheckBoth(filter.get());
  });
  FailEachForRedis({"SharedBloomFilter::MayMatch"}, [&](Attempt* attempt) {
    const auto filter = Open();
    std::vector<Answer> answers(kKeys, Answer::kNo);
    bool answered = false;
    attempt->Call([&] { answered = filter->MayMatch(kKeys, keys_.data(), answers.data()); });
    EXPECT_TRUE(answered || attempt->HasFailed());
    EXPECT_EQ(filter->error().empty(), answered);
    for (const Answer answer : answers) {
      Attempt::CheckPresent(answer != Answer::kNo);
      EXPECT_TRUE(answer == Answer::kMaybe || (!answered && answer == unavailable));
    }
    CheckBoth(filter.get());
  });
}

TEST_F(RedisMemoryTest, KeysAreAddedOrReportedAsFailed) { TryAdditions(AddOptions()); }

TEST_F(RedisMemoryTest, KeysAreReplicatedOrReportedAsFailed) {
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

// The answers and results of windows before the failed one stay, and are right.
TEST_F(RedisMemoryTest, FailedWindowKeepsEarlierAnswers) {
  constexpr size_t kMany = 10000;
  const std::vector<std::string> stored = NewKeys(kMany);
  const std::vector<std::string_view> keys = Views(stored);
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
  has_failed = true;
  for (uint64_t n = 1; has_failed; n += 29) {
    Attempt attempt(FailurePlan{n, true, false});
    std::vector<Answer> answers(kMany, Answer::kNo);
    bool answered = false;
    attempt.Call([&] { answered = filter->MayMatch(kMany, keys.data(), answers.data()); });
    for (const Answer answer : answers) Attempt::CheckPresent(answer != Answer::kNo);
    CheckBoth(filter.get());
    has_failed = attempt.HasFailed();
    EXPECT_EQ(answered, !has_failed);
  }
}

TEST_F(RedisMemoryTest, OtherFunctionsNeedNoMemory) {
  auto filter = Open();
  ExpectNoAllocation(
      {"SharedBloomFilter::error", "SharedBloomFilter::name", "SharedBloomFilter::capacity",
       "SharedBloomFilter::false_positive_rate", "SharedBloomFilter::num_bytes",
       "SharedBloomFilter::num_shards", "SharedBloomFilter::num_probes"},
      [&] {
        filter->error();
        filter->name();
        filter->capacity();
        filter->false_positive_rate();
        filter->num_bytes();
        filter->num_shards();
        filter->num_probes();
        filter.reset();
      });
}

// A cluster with a slot that is being moved, to which nodes redirect with ASK.
class RedisClusterMemoryTest : public RedisMemoryTest {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    cluster_ = std::make_unique<RedisCluster>();
    servers_.servers = {cluster_->node(0).address()};
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

TEST_F(RedisClusterMemoryTest, KeysAreAddedOrReportedAsFailed) { TryAdditions(AddOptions()); }
TEST_F(RedisClusterMemoryTest, QueriesGiveNoFalseNegative) {
  TryQueries(WhenUnavailable::kMayMatch);
}

}  // namespace
}  // namespace bloomline::tests
