// A proxy applies every fault to every command that creates, finishes and deletes a filter, and
// delivers late copies at every point of the filter's later life. No query of an acknowledged key
// is ever answered "no".
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_keys.h"
#include "tests/redis/redis_proxy.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 200;

// The operations that go through the proxy.
enum class Operation {
  kCreate,
  kCreateOverDead,  // a creator died between the metadata and the last step; a shard has expired
                    // since
  kOpenUnfinished,  // a creator died there; all shards exist
  kDelete,
};
constexpr const char* kOperationNames[] = {"create", "create over a dead one", "open unfinished",
                                           "delete"};

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
  std::mutex mutex;
  size_t cases = 0;
  size_t delivered = 0;      // late commands
  size_t failed = 0;         // operations that reported failure
  size_t queries = 0;        // of acknowledged keys
  size_t wrong = 0;          // answers "no" for one of them
  size_t unavailable = 0;    // no answer, although the filter was not deleted
  size_t other_defects = 0;  // all other failures below
  std::vector<std::string> reports;
};

// One server and the events of one case.
class Life {
 public:
  explicit Life(Totals* totals) : totals_(totals) {
    direct_.servers = {server_.address()};
    direct_.command_timeout_ms = 10000;  // only for a busy machine
    // Two shards, each larger than the MiB that is filled at a time.
    options_.capacity = 3300000;
    options_.false_positive_rate = 0.05;  // planning takes a quarter of the time of 0.01
    options_.shard_bytes = 3 << 19;
  }

  // Returns the commands that went through the proxy.
  std::vector<std::string> Run(const Case& c) {
    case_ = c;
    server_.Command({"FLUSHALL", "ASYNC"});
    filters_.clear();
    SetUp();
    RedisProxy proxy(server_.port(), c.strikes);
    if (c.release == Release::kDuring) proxy.DeliverAt(c.strikes[0].at + c.during);
    const bool ok = RunOperation(proxy.address());
    if (c.strikes.empty()) Expect(ok, "failed without a fault");
    if (ok && c.operation != Operation::kDelete) ExpectFinished();
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
    Expect(SharedBloomFilter::Open(direct_, "f", &error) == nullptr, "came back after Delete");
    CreateAndAdd("second");
    pass(Release::kAfterNewFilter);
    DeleteLast();
    QueryAll();
    ExpectNothingPermanent();

    const std::lock_guard<std::mutex> lock(totals_->mutex);
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

  void SetUp() {
    if (case_.operation == Operation::kCreate) return;
    if (case_.operation == Operation::kDelete) {
      CreateAndAdd("zeroth");
      return;
    }
    std::string error;
    Expect(SharedBloomFilter::Create(direct_, "f", options_, &error) != nullptr, error);
    // The state that a creator leaves if it dies between its last two steps
    // (docs/redis_protocol.md).
    server_.Command({"HSET", "bloomline:{f}", "unfinished", "1"});
    const std::vector<std::string> shards = server_.KeysLike("bloomline:shard:*");
    for (const std::string& shard : shards) server_.Command({"EXPIRE", shard, "1000"});
    if (case_.operation == Operation::kCreateOverDead) server_.Command({"DEL", shards.back()});
  }

  bool RunOperation(const std::string& address) {
    RedisServers servers;
    servers.servers = {address};
    // Without a fault it has to succeed, also on a busy machine.
    servers.command_timeout_ms = case_.strikes.empty() ? 10000 : 30;
    servers.give_up_ms = 0;
    servers.max_retries = case_.max_retries;
    std::string error;
    switch (case_.operation) {
      case Operation::kCreate:
      case Operation::kCreateOverDead:
        return SharedBloomFilter::Create(servers, "f", options_, &error) != nullptr;
      case Operation::kOpenUnfinished:
        return SharedBloomFilter::Open(servers, "f", &error) != nullptr;
      case Operation::kDelete:
        return SharedBloomFilter::Delete(servers, "f", &error);
    }
    return false;
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
      const size_t n = used.keys.size();
      std::vector<Answer> answers(n, Answer::kNo);
      const bool available = used.filter->MayMatch(used.keys, answers.data());
      const size_t wrong = Count(answers, Answer::kNo);
      const bool is_lost = !used.is_deleted && !available;
      if (wrong > 0) Report(std::to_string(wrong) + " wrong answers");
      if (is_lost) Report("a filter that nobody deleted is lost: " + used.filter->error());
      const std::lock_guard<std::mutex> lock(totals_->mutex);
      totals_->queries += n;
      totals_->wrong += wrong;
      totals_->unavailable += is_lost;
    }
  }

  // Before any key is added.
  void ExpectFinished() {
    Expect(server_.Command({"HEXISTS", "bloomline:{f}", "unfinished"}) == "0", "unfinished");
    const std::string metadata = server_.Command({"HGET", "bloomline:{f}", "metadata"});
    const std::string id = metadata.substr(metadata.rfind('=') + 1);
    const std::vector<std::string> shards = server_.KeysLike("bloomline:shard:{f:" + id + ":*");
    Expect(shards.size() == 2, "not two shards");
    for (const std::string& shard : shards) {
      Expect(server_.Command({"TTL", shard}) == "-1", "expires though in use: " + shard);
    }
  }

  void ExpectNothingPermanent() {
    for (const std::string& key : server_.KeysLike("*")) {
      const std::string ttl = server_.Command({"TTL", key});
      Expect(ttl != "-1", "left for ever: " + key);
    }
  }

  void Expect(bool condition, const std::string& otherwise) {
    if (condition) return;
    Report(otherwise);
    const std::lock_guard<std::mutex> lock(totals_->mutex);
    ++totals_->other_defects;
  }

  void Report(const std::string& text) {
    const std::lock_guard<std::mutex> lock(totals_->mutex);
    totals_->reports.push_back(case_.ToString() + ": " + text);
  }

  Totals* const totals_;
  RedisServer server_;
  RedisServers direct_;
  SharedBloomFilterOptions options_;
  Case case_;
  std::vector<Used> filters_;
};

constexpr RedisFault kFaults[] = {RedisFault::kHold,          RedisFault::kHoldOne,
                                  RedisFault::kDrop,          RedisFault::kDuplicate,
                                  RedisFault::kDuplicateRest, RedisFault::kCutInside,
                                  RedisFault::kCutAfter,      RedisFault::kMute,
                                  RedisFault::kDieBefore,     RedisFault::kDieAfter};
constexpr Release kReleases[] = {Release::kBeforeUse, Release::kAfterAdds, Release::kAfterDelete,
                                 Release::kAfterNewFilter};

bool PassesToo(RedisFault fault) {
  return fault == RedisFault::kDuplicate || fault == RedisFault::kDuplicateRest;
}

bool CanBeDelivered(RedisFault fault) {
  return PassesToo(fault) || fault == RedisFault::kHold || fault == RedisFault::kHoldOne;
}

// Each command with each fault and each time of delivery.
void AppendCases(Operation operation, size_t num_commands, std::vector<Case>* cases) {
  for (size_t at = 0; at < num_commands; ++at) {
    for (const RedisFault fault : kFaults) {
      for (const int max_retries : {0, 2}) {
        if (PassesToo(fault) && max_retries > 0) continue;                // nothing to retry
        if (fault == RedisFault::kHoldOne && max_retries == 0) continue;  // as kHold
        if (!CanBeDelivered(fault)) {
          cases->push_back({operation, {{fault, at}}, max_retries, Release::kNever});
          continue;
        }
        for (const Release release : kReleases) {
          cases->push_back({operation, {{fault, at}}, max_retries, release});
        }
        if (operation == Operation::kCreateOverDead) continue;  // as kCreate
        if (!PassesToo(fault) && max_retries == 0) continue;    // no command follows
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

class RedisCreationTest : public RedisFilterTest {};

TEST_F(RedisCreationTest, NoFaultLosesAnAcknowledgedKey) {
  Totals totals;
  std::vector<Case> cases;
  {
    Life life(&totals);
    for (const Operation operation : {Operation::kCreate, Operation::kCreateOverDead,
                                      Operation::kOpenUnfinished, Operation::kDelete}) {
      const std::vector<std::string> commands = life.Run({operation, {}, 0, Release::kNever});
      std::printf("%s: %zu commands\n", kOperationNames[static_cast<size_t>(operation)],
                  commands.size());
      AppendCases(operation, commands.size(), &cases);
      AppendPairs(operation, commands.size(), 2 * commands.size(), &cases);
    }
  }
  ASSERT_EQ(totals.reports, std::vector<std::string>());

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
      "%zu cases, %zu late commands, %zu operations failed; %zu queries of acknowledged keys, %zu "
      "wrong answers, %zu filters lost, %zu other defects\n",
      totals.cases, totals.delivered, totals.failed, totals.queries, totals.wrong,
      totals.unavailable, totals.other_defects);
  for (size_t i = 0; i < std::min<size_t>(totals.reports.size(), 20); ++i) {
    ADD_FAILURE() << totals.reports[i];
  }
  EXPECT_EQ(totals.wrong, 0u);
  EXPECT_EQ(totals.unavailable, 0u);
  EXPECT_EQ(totals.other_defects, 0u);
  EXPECT_GT(totals.delivered, cases.size() / 4) << "the proxy did not do its work";
  EXPECT_GT(totals.failed, cases.size() / 20);
}

// While the first creator waits for the reply to its ticket, or to its publication, another creates
// the filter.
TEST_F(RedisCreationTest, SecondCreatorOpensTheFilterAndLeavesNoShards) {
  const auto create = [&](const RedisProxy& proxy) {
    RedisServers servers;
    servers.servers = {proxy.address()};
    return SharedBloomFilter::Create(servers, "f", options_, nullptr);
  };
  std::vector<std::string> commands;
  {
    const RedisProxy proxy(server_->port(), {});
    ASSERT_NE(create(proxy), nullptr);
    commands = proxy.commands();
  }
  const auto ticket = std::find(commands.begin(), commands.end(), "EVAL bloomline:{f}");
  ASSERT_NE(ticket, commands.end());
  for (const size_t late : {0, 1}) {
    ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", nullptr));
    const size_t at = static_cast<size_t>(ticket - commands.begin()) + late;
    RedisProxy proxy(server_->port(), {{RedisFault::kHold, at}});
    std::unique_ptr<SharedBloomFilter> slow;
    std::thread creator([&] { slow = create(proxy); });
    while (proxy.commands().size() <= at) std::this_thread::yield();
    EXPECT_EQ(server_->Command({"DBSIZE"}), std::to_string(1 + late)) << "a shard, and the ticket";
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
}

// The creator does not learn that it has published the filter. It gives up while others use the
// filter.
TEST_F(RedisCreationTest, CreatorThatGivesUpDeletesNothingOfOthers) {
  size_t publish = 0;
  {
    const RedisProxy proxy(server_->port(), {});
    RedisServers servers;
    servers.servers = {proxy.address()};
    ASSERT_NE(SharedBloomFilter::Create(servers, "f", options_, nullptr), nullptr);
    const std::vector<std::string> commands = proxy.commands();
    while (commands.at(publish) != "EVAL bloomline:{f}") ++publish;  // the ticket
    ++publish;
    ASSERT_EQ(commands.at(publish), "EVAL bloomline:{f}");
  }
  ASSERT_TRUE(SharedBloomFilter::Delete(servers_, "f", nullptr));
  const RedisProxy proxy(server_->port(), {{RedisFault::kMute, publish}});
  std::string error;
  std::thread creator([&] {
    RedisServers servers;
    servers.servers = {proxy.address()};
    servers.max_retries = 0;
    servers.give_up_ms = 0;  // it could still remove the shards
    EXPECT_EQ(SharedBloomFilter::Create(servers, "f", options_, &error), nullptr);
  });
  while (server_->Command({"HEXISTS", "bloomline:{f}", "metadata"}) != "1") {
    std::this_thread::yield();
  }
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
