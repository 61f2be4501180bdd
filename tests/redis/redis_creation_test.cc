// A proxy breaks the connection at every command that creates and deletes a filter, once or twice,
// and delivers late copies at every point of the filter's later life. No query of an acknowledged
// key is ever answered "no".
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_proxy.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests::redis_creation_test {
namespace {

// The commands that begin an operation. They are not sent again.
constexpr size_t kCommandsOfConnect = 2;

class RedisCreationTest : public RedisFilterTest {
 protected:
  void SetUp() override {
    RedisFilterTest::SetUp();
    options_ = {8000, 0.05};
    options_.shard_bytes = 4096;  // two shards
  }

  using Strikes = std::map<size_t, RedisFault>;  // by the command's number

  // Creates or deletes the filter through the proxy. Then it is deleted and created anew, and the
  // proxy delivers its commands after step `arrival`. Returns the commands that went through it.
  std::vector<std::string> Live(bool is_delete, const Strikes& strikes, int max_retries,
                                size_t arrival = 0) {
    server_->Command({"FLUSHALL"});
    filters_.clear();
    if (is_delete) CreateAndAdd("zeroth");
    RedisProxy proxy(*server_, [&](size_t number) {
      return strikes.count(number) == 0 ? RedisFault::kNone : strikes.at(number);
    });
    RedisServers servers = servers_;
    servers.servers = {proxy.address()};
    servers.max_retries = max_retries;
    std::string failure;
    const bool ok = is_delete
                        ? SharedBloomFilter::Delete(servers, "f", &failure)
                        : SharedBloomFilter::Create(servers, "f", options_, &failure) != nullptr;
    if (strikes.empty() || strikes.begin()->first >= kCommandsOfConnect) {
      EXPECT_TRUE(ok || strikes.size() > static_cast<size_t>(max_retries)) << failure;
    }
    const std::vector<std::string> commands = proxy.commands();
    if (is_delete) DeleteLast();
    const std::function<void()> steps[] = {[] {}, [&] { CreateAndAdd("first"); },
                                           [&] { DeleteLast(); }, [&] { CreateAndAdd("second"); },
                                           [&] { DeleteLast(); }};
    for (size_t step = 0; step < std::size(steps); ++step) {
      steps[step]();
      if (step == arrival) num_delivered_ += proxy.Deliver();
      QueryAll();
      if (step != 2) continue;
      std::string error;
      // A creation that was reported as failed may succeed late.
      EXPECT_TRUE(SharedBloomFilter::Open(servers_, "f", &error) == nullptr || (!is_delete && !ok))
          << "came back after Delete";
      // A late copy of the last step of a creation brings back the entry alone.
      if (error.find("is damaged") != std::string::npos) DeleteLast();
    }
    ++num_cases_;
    num_failed_ += !ok;
    return commands;
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

  // Create opens the filter if it exists, with all its shards.
  void CreateAndAdd(const std::string& prefix) {
    Used used = {Create(), Keys(200, prefix)};
    ASSERT_NE(used.filter, nullptr);
    EXPECT_TRUE(used.filter->AddKeys(used.keys)) << used.filter->error();
    filters_.push_back(std::move(used));
  }

  void DeleteLast() {
    Delete();
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

  std::vector<Used> filters_;
};

TEST_F(RedisCreationTest, NoFaultLosesAnAcknowledgedKey) {
  for (const bool is_delete : {false, true}) {
    const size_t num_commands = Live(is_delete, {}, 0).size();
    for (size_t at = 0; at < num_commands; ++at) {
      SCOPED_TRACE((is_delete ? "delete, command " : "create, command ") + std::to_string(at));
      for (const int max_retries : {0, 2}) {
        SCOPED_TRACE(std::to_string(max_retries) + " retries");
        for (const RedisFault fault : {RedisFault::kLose, RedisFault::kCutAfter}) {
          SCOPED_TRACE(fault == RedisFault::kLose ? "lost" : "cut after");
          Live(is_delete, {{at, fault}}, max_retries);
          // The second fault may hit the command that is sent again, or the connection for it.
          for (const size_t again : {1, 2, 3}) {
            Live(is_delete, {{at, fault}, {at + again, fault}}, max_retries);
          }
        }
        for (const size_t arrival : {0, 1, 2, 3}) {
          SCOPED_TRACE("a copy arrives after step " + std::to_string(arrival));
          Live(is_delete, {{at, RedisFault::kHold}}, max_retries, arrival);
        }
      }
    }
  }
  EXPECT_GT(num_delivered_, num_cases_ / 4) << "the proxy did not do its work";
  EXPECT_GT(num_failed_, num_cases_ / 20);
}

// Before the first creator's last step, which makes the entry, another creates the filter.
TEST_F(RedisCreationTest, SecondCreatorOpensTheFilterAndLeavesNoShards) {
  const std::vector<std::string> commands = Live(false, {}, 0);
  const auto last = std::find(commands.begin(), commands.end(), "EVAL bloomline:{f}");
  ASSERT_NE(last, commands.end());
  std::unique_ptr<SharedBloomFilter> quick;
  const RedisProxy proxy(*server_, [&](size_t number) {
    if (number == static_cast<size_t>(last - commands.begin())) quick = Create();
    return RedisFault::kNone;
  });
  RedisServers servers = servers_;
  servers.servers = {proxy.address()};
  const auto slow = SharedBloomFilter::Create(servers, "f", options_, nullptr);
  ASSERT_NE(quick, nullptr);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(quick->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(slow->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(server_->Command({"DBSIZE"}), "3") << "the slow creator's shards were removed";
}

}  // namespace
}  // namespace bloomline::tests::redis_creation_test
