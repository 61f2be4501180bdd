// SharedBloomFilter on both sides of a fork: neither may read replies to the other's queries.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_keys.h"
#include "tests/redis/redis_server.h"

namespace bloomline {
namespace {

using tests::Keys;
using tests::RedisServer;

// The number of wrong answers, in queries of single keys and of many.
int CountWrong(SharedBloomFilter* filter, const std::vector<std::string>& keys, Answer expected) {
  int wrong = 0;
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<Answer> answers(views.size());
  for (size_t i = 0; i < 300; ++i) wrong += filter->MayMatch(views[i]) != expected;
  for (int round = 0; round < 5; ++round) {
    filter->MayMatch(views.size(), views.data(), answers.data());
    for (const Answer answer : answers) wrong += answer != expected;
  }
  return wrong;
}

TEST(RedisForkTest, ParentAndChildQueryAtTheSameTime) {
  if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
  const RedisServer server;
  RedisServers servers;
  servers.servers = {server.address()};
  servers.when_unavailable = WhenUnavailable::kError;
  SharedBloomFilterOptions options;
  options.capacity = 1000000;  // so empty that no missing key is a false positive
  std::string error;
  const auto filter = SharedBloomFilter::Create(servers, "f", options, &error);
  ASSERT_NE(filter, nullptr) << error;
  const std::vector<std::string> present = Keys(2000, "present");
  const std::vector<std::string> absent = Keys(2000, "absent");
  const std::vector<std::string_view> views(present.begin(), present.end());
  ASSERT_TRUE(filter->AddKeys(views.size(), views.data()));

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_added = filter->AddKey("by the child") == AddResult::kNew;
    _exit(is_added && CountWrong(filter.get(), absent, Answer::kNo) == 0 ? 0 : 1);
  }
  EXPECT_EQ(CountWrong(filter.get(), present, Answer::kMaybe), 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the child";
  // The child has closed its copy of the connection. The parent's must still work.
  EXPECT_EQ(filter->MayMatch("by the child"), Answer::kMaybe);
  EXPECT_EQ(filter->error(), "");
}

TEST(RedisForkTest, TheChildSendsNothingOnTheParentsConnection) {
  if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
  const RedisServer server;
  RedisServers servers;
  servers.servers = {server.address()};
  SharedBloomFilterOptions options;
  options.capacity = 1000;
  const auto filter = SharedBloomFilter::Create(servers, "f", options, nullptr);
  ASSERT_NE(filter, nullptr);
  const auto parents_command = [&] {
    // The parent's connection is the oldest one, so it is the first in the list.
    const std::string list = server.Command({"CLIENT", "LIST"});
    const size_t at = list.find("tot-cmds=");
    const size_t command = list.find(" cmd=");
    return list.substr(command, list.find(' ', command + 1) - command) +
           (at == std::string::npos ? "" : list.substr(at, list.find(' ', at) - at));
  };
  filter->AddKey("key");
  const std::string before = parents_command();
  EXPECT_EQ(before.rfind(" cmd=bitfield", 0), 0u) << before;
  for (const bool queries : {false, true}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::unique_ptr<SharedBloomFilter> mine(filter.get());
      const bool is_right = !queries || mine->MayMatch("key") == Answer::kMaybe;
      mine.reset();
      _exit(is_right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(parents_command(), before);
  }
  EXPECT_EQ(filter->MayMatch("absent"), Answer::kNo);
  EXPECT_EQ(filter->error(), "");
}

}  // namespace
}  // namespace bloomline
