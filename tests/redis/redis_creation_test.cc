// A proxy breaks or mutes the connection at every command that creates and deletes a filter, once
// or twice, and delivers late copies at every point of the filter's later life. No query of an
// acknowledged key is ever answered "no".
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

// When the proxy delivers a late command.
enum class Arrival { kNever, kDuring, kBeforeUse, kAfterAdds, kAfterDelete, kAfterNewFilter };
constexpr const char* kArrivalNames[] = {"never",      "during",       "before use",
                                         "after adds", "after delete", "after a new filter"};

// The commands that begin an operation. They are not sent again.
constexpr size_t kCommandsOfConnect = 2;

struct Case {
  bool is_delete = false;  // the operation that goes through the proxy; else Create
  RedisFault fault = RedisFault::kNone;
  size_t at = 0;  // the command with the fault
  int max_retries = 0;
  Arrival arrival = Arrival::kNever;
  size_t during = 0;  // number of commands after the fault
  size_t again = 0;   // the fault comes again after so many commands; 0: it does not

  std::string ToString() const {
    return std::string(is_delete ? "delete" : "create") + ", command " + std::to_string(at) + ": " +
           Name(fault) + ", " + std::to_string(max_retries) + " retries, arrives " +
           kArrivalNames[static_cast<size_t>(arrival)] + " " + std::to_string(during) + ", again " +
           std::to_string(again);
  }
};

class RedisCreationTest : public RedisFilterTest {
 protected:
  void SetUp() override {
    RedisFilterTest::SetUp();
    options_ = Options(8000, 0.05);
    options_.shard_bytes = 4096;  // two shards
  }

  RedisServers By(const RedisProxy& proxy, int max_retries) const {
    RedisServers servers = servers_;
    servers.servers = {proxy.address()};
    servers.max_retries = max_retries;
    return servers;
  }

  // Returns the commands that went through the proxy.
  std::vector<std::string> Live(const Case& c) {
    SCOPED_TRACE(c.ToString());
    server_->Command({"FLUSHALL"});
    filters_.clear();
    if (c.is_delete) CreateAndAdd("zeroth");
    RedisProxy* running = nullptr;
    std::vector<RedisStrike> strikes = {{c.at, c.fault}};
    if (c.arrival == Arrival::kDuring) {
      strikes.push_back({c.at + c.during, RedisFault::kNone, [&] { running->Deliver(); }});
    }
    if (c.again > 0) strikes.push_back({c.at + c.again, c.fault});
    RedisProxy proxy(server_->port(), strikes);
    running = &proxy;
    RedisServers servers = By(proxy, c.max_retries);
    if (c.fault == RedisFault::kMute) servers.command_timeout_ms = 100;
    const int num_faults = c.fault == RedisFault::kNone ? 0 : c.again == 0 ? 1 : 2;
    std::string failure;
    const bool ok = RunOperation(servers, c.is_delete, &failure);
    if (num_faults == 0 || c.at >= kCommandsOfConnect) {
      EXPECT_TRUE(ok || num_faults > c.max_retries) << failure;
    }
    EXPECT_TRUE(ok || c.fault != RedisFault::kMute || Has(failure, "timed out after 100 ms"));
    if (ok && !c.is_delete) ExpectComplete();
    const std::vector<std::string> commands = proxy.commands();
    const auto pass = [&](Arrival now) {
      if (c.arrival == now) proxy.Deliver();
      QueryAll();
    };
    if (c.is_delete) DeleteLast();
    pass(Arrival::kBeforeUse);
    CreateAndAdd("first");
    pass(Arrival::kAfterAdds);
    DeleteLast();
    pass(Arrival::kAfterDelete);
    std::string error;
    // A creation that was reported as failed may succeed late.
    EXPECT_TRUE(SharedBloomFilter::Open(servers_, "f", &error) == nullptr || (!c.is_delete && !ok))
        << "came back after Delete";
    // A late copy of the last step of a creation brings back the entry alone.
    if (error.find("is damaged") != std::string::npos) DeleteLast();
    CreateAndAdd("second");
    pass(Arrival::kAfterNewFilter);
    DeleteLast();
    QueryAll();
    ++num_cases_;
    num_failed_ += !ok;
    num_delivered_ += proxy.num_delivered();
    return commands;
  }

  // The number of the command that makes the entry. Creates the filter to see it, and deletes it.
  size_t LastStep() {
    const std::vector<std::string> commands = Live({});
    const auto found = std::find(commands.begin(), commands.end(), "EVAL bloomline:{f}");
    EXPECT_NE(found, commands.end());
    return static_cast<size_t>(found - commands.begin());
  }

  size_t num_cases_ = 0;
  size_t num_failed_ = 0;     // operations that reported failure
  size_t num_delivered_ = 0;  // late commands

 private:
  // A filter and the keys that were acknowledged.
  struct Used {
    std::unique_ptr<SharedBloomFilter> filter;
    std::vector<std::string> keys;
    bool is_deleted = false;
  };

  bool RunOperation(const RedisServers& servers, bool is_delete, std::string* failure) {
    return is_delete ? SharedBloomFilter::Delete(servers, "f", failure)
                     : SharedBloomFilter::Create(servers, "f", options_, failure) != nullptr;
  }

  void CreateAndAdd(const std::string& prefix) {
    Used used = {Create(), Keys(200, prefix)};
    ASSERT_NE(used.filter, nullptr);
    EXPECT_TRUE(used.filter->AddKeys(used.keys)) << used.filter->error();
    filters_.push_back(std::move(used));
  }

  void DeleteLast() {
    std::string error;
    EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
    if (!filters_.empty()) filters_.back().is_deleted = true;
  }

  // Clients that have a deleted filter open must not get "no" either.
  void QueryAll() {
    for (Used& used : filters_) {
      std::vector<Answer> answers(used.keys.size(), Answer::kNo);
      const bool available = used.filter->MayMatch(used.keys, answers.data());
      EXPECT_EQ(Count(answers, Answer::kNo), 0u);
      EXPECT_TRUE(used.is_deleted || available) << "lost: " << used.filter->error();
    }
  }

  void ExpectComplete() {
    const std::string header = server_->Command({"GET", "bloomline:{f}"});
    EXPECT_EQ(server_->Command({"TTL", "bloomline:{f}"}), "-1");
    size_t num_shards = 0;
    for (const std::string& shard : server_->KeysLike("bloomline:shard:{f:*")) {
      num_shards += server_->Command({"GETRANGE", shard, "0", "255"}) == header ? 1 : 0;
      EXPECT_EQ(server_->Command({"TTL", shard}), "-1");
    }
    EXPECT_EQ(num_shards, 2u);
  }

  std::vector<Used> filters_;
};

TEST_F(RedisCreationTest, NoFaultLosesAnAcknowledgedKey) {
  for (const bool is_delete : {false, true}) {
    const size_t num_commands = Live({is_delete}).size();
    for (size_t at = 0; at < num_commands; ++at) {
      for (const int max_retries : {0, 2}) {
        for (const RedisFault fault : {RedisFault::kLose, RedisFault::kCutAfter}) {
          Live({is_delete, fault, at, max_retries});
        }
        for (const Arrival arrival : {Arrival::kBeforeUse, Arrival::kAfterAdds,
                                      Arrival::kAfterDelete, Arrival::kAfterNewFilter}) {
          Live({is_delete, RedisFault::kHold, at, max_retries, arrival});
        }
        for (const size_t during : {1, 4}) {
          Live({is_delete, RedisFault::kHold, at, max_retries, Arrival::kDuring, during});
        }
      }
      // Many retries: on a busy machine, other commands also time out.
      for (const int max_retries : {0, 10}) Live({is_delete, RedisFault::kMute, at, max_retries});
      // The second fault may hit the command that is sent again, or the connection for it.
      for (const int max_retries : {1, 2}) {
        for (const RedisFault fault : {RedisFault::kLose, RedisFault::kCutAfter}) {
          for (const size_t again : {1, 2, 3}) {
            Live({is_delete, fault, at, max_retries, Arrival::kNever, 0, again});
          }
        }
      }
    }
  }
  std::printf("%zu cases, %zu late commands, %zu operations failed\n", num_cases_, num_delivered_,
              num_failed_);
  EXPECT_GT(num_delivered_, num_cases_ / 4) << "the proxy did not do its work";
  EXPECT_GT(num_failed_, num_cases_ / 20);
}

// Before the first creator's last step, another creates the filter.
TEST_F(RedisCreationTest, SecondCreatorOpensTheFilterAndLeavesNoShards) {
  std::unique_ptr<SharedBloomFilter> quick;
  const RedisProxy proxy(server_->port(),
                         {{LastStep(), RedisFault::kNone, [&] { quick = Create(); }}});
  const auto slow = SharedBloomFilter::Create(By(proxy, 2), "f", options_, nullptr);
  ASSERT_NE(quick, nullptr);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(quick->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(slow->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "3") << "the slow creator's shards were removed";
}

// A copy of the command that makes a shard is on its way when the shard is lost. It must not make
// the shard anew.
TEST_F(RedisCreationTest, LateCopyMakesNoShardOfAFilterThatIsUsed) {
  RedisProxy proxy(server_->port(), {{LastStep() - 2, RedisFault::kHold}});
  const auto filter = SharedBloomFilter::Create(By(proxy, 2), "f", options_, nullptr);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  for (const std::string& shard : server_->KeysLike("bloomline:shard:{f:*")) {
    server_->Command({"DEL", shard});
  }
  proxy.Deliver();
  EXPECT_EQ(proxy.num_delivered(), 1u);
  EXPECT_EQ(server_->KeysLike("bloomline:shard:{f:*").size(), 1u) << "one that nobody uses";
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_TRUE(Has(filter->error(), "is missing"));
  EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", nullptr), nullptr);
}

// The creator does not learn that it has published the filter, which others may use.
TEST_F(RedisCreationTest, CreatorThatGivesUpDeletesNothingOfOthers) {
  const RedisProxy proxy(server_->port(), {{LastStep(), RedisFault::kCutAfter}});
  std::string error;
  EXPECT_EQ(SharedBloomFilter::Create(By(proxy, 0), "f", options_, &error), nullptr);
  EXPECT_TRUE(Has(error, "may have been made all the same"));
  const auto filter = Open("f");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
}

}  // namespace
}  // namespace bloomline::tests
