// A proxy applies every fault to every command that creates and deletes a filter, and delivers late
// copies at every point of the filter's later life. No query of an acknowledged key is ever
// answered "no".
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 200;

// The operations that go through the proxy.
enum class Operation { kCreate, kDelete };
constexpr const char* kOperationNames[] = {"create", "delete"};

// When the proxy delivers late commands.
enum class Release { kNever, kDuring, kBeforeUse, kAfterAdds, kAfterDelete, kAfterNewFilter };
constexpr const char* kReleaseNames[] = {"never",      "during",       "before use",
                                         "after adds", "after delete", "after a new filter"};

struct Case {
  Operation operation;
  std::vector<RedisStrike> strikes;
  int max_retries;
  Release release;
  size_t during = 0;  // number of commands after the first fault

  std::string ToString() const {
    std::string text = kOperationNames[static_cast<size_t>(operation)];
    for (const RedisStrike& strike : strikes) {
      text += ", command " + std::to_string(strike.at) + ": " + Name(strike.fault);
    }
    return text + ", " + std::to_string(max_retries) + " retries, released " +
           kReleaseNames[static_cast<size_t>(release)] + " " + std::to_string(during);
  }
};

struct Totals {
  std::atomic<size_t> cases{0};
  std::atomic<size_t> delivered{0};  // late commands
  std::atomic<size_t> failed{0};     // operations that reported failure
  std::atomic<size_t> queries{0};    // of acknowledged keys
};

// One server and the events of one case.
class Life {
 public:
  explicit Life(Totals* totals) : totals_(totals) {
    direct_.servers = {server_.address()};
    direct_.command_timeout_ms = 10000;  // only for a busy machine
    // Two shards.
    options_.capacity = 3300000;
    options_.false_positive_rate = 0.05;  // planning takes a quarter of the time of 0.01
    options_.shard_bytes = 3 << 19;
  }

  // Returns the commands that went through the proxy.
  std::vector<std::string> Run(const Case& c) {
    case_ = c;
    server_.Command({"FLUSHALL", "ASYNC"});
    filters_.clear();
    if (c.operation == Operation::kDelete) CreateAndAdd("zeroth");
    RedisProxy proxy(server_.port(), c.strikes);
    if (c.release == Release::kDuring) proxy.DeliverAt(c.strikes[0].at + c.during);
    const bool ok = RunOperation(proxy.address());
    if (c.strikes.empty()) Expect(ok, "failed without a fault");
    if (ok && c.operation == Operation::kCreate) ExpectComplete();
    const std::vector<std::string> commands = proxy.commands();
    const auto pass = [&](Release now) {
      if (c.release == now) proxy.Deliver();
      QueryAll();
    };
    if (c.operation == Operation::kDelete) DeleteLast();
    pass(Release::kBeforeUse);
    CreateAndAdd("first");
    pass(Release::kAfterAdds);
    DeleteLast();
    pass(Release::kAfterDelete);
    std::string error;
    // A creation that was reported as failed may succeed late.
    const bool may_come = c.operation == Operation::kCreate && !ok;
    Expect(SharedBloomFilter::Open(direct_, "f", &error) == nullptr || may_come,
           "came back after Delete");
    // A late copy of the last step of a creation brings back the entry alone.
    if (error.find("is damaged") != std::string::npos) DeleteLast();
    CreateAndAdd("second");
    pass(Release::kAfterNewFilter);
    DeleteLast();
    QueryAll();
    ++totals_->cases;
    totals_->failed += !ok;
    totals_->delivered += proxy.num_delivered();
    return commands;
  }

 private:
  // A filter and the keys that were acknowledged.
  struct Used {
    std::unique_ptr<SharedBloomFilter> filter;
    std::vector<std::string> keys;
    bool is_deleted = false;
  };

  bool RunOperation(const std::string& address) {
    RedisServers servers;
    servers.servers = {address};
    // Without a fault it has to succeed, also on a busy machine.
    servers.command_timeout_ms = case_.strikes.empty() ? 10000 : 30;
    servers.max_retries = case_.max_retries;
    std::string error;
    return case_.operation == Operation::kCreate
               ? SharedBloomFilter::Create(servers, "f", options_, &error) != nullptr
               : SharedBloomFilter::Delete(servers, "f", &error);
  }

  void CreateAndAdd(const std::string& prefix) {
    std::string error;
    Used used;
    used.filter = SharedBloomFilter::Create(direct_, "f", options_, &error);
    Expect(used.filter != nullptr, "Create: " + error);
    if (used.filter == nullptr) return;
    used.keys = Keys(kKeys, prefix);
    std::vector<AddResult> results(kKeys, AddResult::kFailed);
    Expect(used.filter->AddKeys(used.keys, results.data()), used.filter->error());
    for (size_t i = kKeys; i-- > 0;) {
      if (results[i] == AddResult::kFailed)
        used.keys.erase(used.keys.begin() + static_cast<long>(i));
    }
    filters_.push_back(std::move(used));
  }

  void DeleteLast() {
    std::string error;
    Expect(SharedBloomFilter::Delete(direct_, "f", &error), "Delete: " + error);
    if (!filters_.empty()) filters_.back().is_deleted = true;
  }

  // Clients that have a deleted filter open must not get "no" either.
  void QueryAll() {
    for (Used& used : filters_) {
      std::vector<Answer> answers(used.keys.size(), Answer::kNo);
      const bool available = used.filter->MayMatch(used.keys, answers.data());
      Expect(Count(answers, Answer::kNo) == 0, "wrong answers");
      Expect(used.is_deleted || available,
             "a filter that nobody deleted is lost: " + used.filter->error());
      totals_->queries += used.keys.size();
    }
  }

  void ExpectComplete() {
    const std::string header = server_.Command({"GET", "bloomline:{f}"});
    Expect(server_.Command({"TTL", "bloomline:{f}"}) == "-1", "the entry expires");
    size_t num_shards = 0;
    for (const std::string& shard : server_.KeysLike("bloomline:shard:{f:*")) {
      num_shards += server_.Command({"GETRANGE", shard, "0", "255"}) == header ? 1 : 0;
      Expect(server_.Command({"TTL", shard}) == "-1", "expires: " + shard);
    }
    Expect(num_shards == 2, "not two shards");
  }

  void Expect(bool condition, const std::string& otherwise) {
    EXPECT_TRUE(condition) << case_.ToString() << ": " << otherwise;
  }

  Totals* const totals_;
  RedisServer server_;
  RedisServers direct_;
  SharedBloomFilterOptions options_;
  Case case_;
  std::vector<Used> filters_;
};

constexpr RedisFault kFaults[] = {RedisFault::kHold,      RedisFault::kHoldOne,  RedisFault::kDrop,
                                  RedisFault::kCutInside, RedisFault::kCutAfter, RedisFault::kMute,
                                  RedisFault::kDieBefore, RedisFault::kDieAfter};
constexpr Release kReleases[] = {Release::kBeforeUse, Release::kAfterAdds, Release::kAfterDelete,
                                 Release::kAfterNewFilter};

bool CanBeDelivered(RedisFault fault) {
  return fault == RedisFault::kHold || fault == RedisFault::kHoldOne;
}

// Each command with each fault and each time of delivery.
void AppendCases(Operation operation, size_t num_commands, std::vector<Case>* cases) {
  for (size_t at = 0; at < num_commands; ++at) {
    for (const RedisFault fault : kFaults) {
      for (const int max_retries : {0, 2}) {
        if (fault == RedisFault::kHoldOne && max_retries == 0) continue;  // as kHold
        if (!CanBeDelivered(fault)) {
          cases->push_back({operation, {{fault, at}}, max_retries, Release::kNever});
          continue;
        }
        for (const Release release : kReleases) {
          cases->push_back({operation, {{fault, at}}, max_retries, release});
        }
        if (max_retries == 0) continue;  // no command follows
        for (const size_t during : {1, 4}) {
          cases->push_back({operation, {{fault, at}}, max_retries, Release::kDuring, during});
        }
      }
    }
  }
}

// Two faults, of which the second may hit a repeated command. Drawn at random, because there are
// too many cases.
void AppendPairs(Operation operation, size_t num_commands, size_t n, std::vector<Case>* cases) {
  std::mt19937 random(static_cast<unsigned>(operation));
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  for (size_t i = 0; i < n; ++i) {
    const size_t first = below(num_commands);
    const RedisStrike strikes[] = {{kFaults[below(std::size(kFaults))], first},
                                   {kFaults[below(std::size(kFaults))], first + 1 + below(6)}};
    cases->push_back({operation,
                      {strikes[0], strikes[1]},
                      static_cast<int>(1 + below(2)),
                      kReleases[below(std::size(kReleases))]});
  }
}

class RedisCreationTest : public RedisFilterTest {
 protected:
  std::unique_ptr<SharedBloomFilter> CreateBy(const RedisProxy& proxy, int max_retries,
                                              std::string* error) {
    RedisServers servers;
    servers.servers = {proxy.address()};
    servers.max_retries = max_retries;
    return SharedBloomFilter::Create(servers, "f", options_, error);
  }

  // The number of the command that makes the entry. Creates the filter to see it, and deletes it.
  size_t LastStep() {
    const RedisProxy proxy(server_->port(), {});
    EXPECT_NE(CreateBy(proxy, 2, nullptr), nullptr);
    EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", nullptr));
    const std::vector<std::string> commands = proxy.commands();
    const auto found = std::find(commands.begin(), commands.end(), "EVAL bloomline:{f}");
    EXPECT_NE(found, commands.end());
    return static_cast<size_t>(found - commands.begin());
  }
};

TEST_F(RedisCreationTest, NoFaultLosesAnAcknowledgedKey) {
  Totals totals;
  std::vector<Case> cases;
  {
    Life life(&totals);
    for (const Operation operation : {Operation::kCreate, Operation::kDelete}) {
      const std::vector<std::string> commands = life.Run({operation, {}, 0, Release::kNever});
      std::printf("%s: %zu commands\n", kOperationNames[static_cast<size_t>(operation)],
                  commands.size());
      AppendCases(operation, commands.size(), &cases);
      AppendPairs(operation, commands.size(), 20 * commands.size(), &cases);
    }
  }
  ASSERT_FALSE(HasFailure());

  // Most of the time of a case is waiting for time-outs.
  constexpr size_t kThreads = 4;
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Life life(&totals);
      for (size_t c = next++; c < cases.size(); c = next++) life.Run(cases[c]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf(
      "%zu cases, %zu late commands, %zu operations failed; %zu queries of acknowledged keys\n",
      totals.cases.load(), totals.delivered.load(), totals.failed.load(), totals.queries.load());
  EXPECT_GT(totals.delivered, cases.size() / 4) << "the proxy did not do its work";
  EXPECT_GT(totals.failed, cases.size() / 20);
}

// While the first creator waits for the reply to its last step, another creates the filter.
TEST_F(RedisCreationTest, SecondCreatorOpensTheFilterAndLeavesNoShards) {
  const size_t last_step = LastStep();
  RedisProxy proxy(server_->port(), {{RedisFault::kHold, last_step}});
  std::unique_ptr<SharedBloomFilter> slow;
  std::thread creator([&] { slow = CreateBy(proxy, 2, nullptr); });
  while (proxy.commands().size() <= last_step) std::this_thread::yield();
  EXPECT_EQ(server_->Command({"DBSIZE"}), "1") << "a shard";
  const auto quick = SharedBloomFilter::Create(servers_, "f", options_, nullptr);
  creator.join();
  ASSERT_NE(quick, nullptr);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(quick->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(slow->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2") << "the slow creator's shard was removed";
  proxy.Deliver();
  EXPECT_EQ(slow->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "2");
}

// A copy of the command that makes a shard is on its way when the shard is lost. It must not make
// the shard anew.
TEST_F(RedisCreationTest, LateCopyMakesNoShardOfAFilterThatIsUsed) {
  const size_t first_step = LastStep() - 1;
  RedisProxy proxy(server_->port(), {{RedisFault::kHoldOne, first_step}});
  const auto filter = CreateBy(proxy, 2, nullptr);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  server_->Command({"DEL", FirstShard()});
  proxy.Deliver();
  EXPECT_EQ(proxy.num_delivered(), 1u);
  EXPECT_EQ(server_->KeysLike("bloomline:shard:{f:*").size(), 1u) << "one that nobody uses";
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_NE(filter->error().find("is missing"), std::string::npos) << filter->error();
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", nullptr), nullptr);
}

// The creator does not learn that it has published the filter. It gives up while others use the
// filter.
TEST_F(RedisCreationTest, CreatorThatGivesUpDeletesNothingOfOthers) {
  const RedisProxy proxy(server_->port(), {{RedisFault::kMute, LastStep()}});
  std::string error;
  std::thread creator([&] { EXPECT_EQ(CreateBy(proxy, 0, &error), nullptr); });
  while (server_->Command({"EXISTS", "bloomline:{f}"}) != "1") std::this_thread::yield();
  const auto filter = SharedBloomFilter::Open(servers_, "f", nullptr);
  EXPECT_NE(filter, nullptr);
  if (filter != nullptr) {
    EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  }
  creator.join();
  EXPECT_NE(error.find("may have been made all the same"), std::string::npos) << error;
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "");
}

}  // namespace
}  // namespace bloomline::tests
