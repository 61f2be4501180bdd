// SharedBloomFilter on both sides of a fork: neither may read replies to the other's queries.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_keys.h"

namespace bloomline::tests {
namespace {

// The number of wrong answers, in queries of single keys and of many.
int CountWrong(SharedBloomFilter* filter, const std::vector<std::string>& keys, Answer expected) {
  int wrong = 0;
  std::vector<Answer> answers(keys.size());
  for (size_t i = 0; i < 300; ++i) wrong += filter->MayMatch(keys[i]) != expected;
  for (int round = 0; round < 5; ++round) {
    filter->MayMatch(keys, answers.data());
    for (const Answer answer : answers) wrong += answer != expected;
  }
  return wrong;
}

class RedisForkTest : public RedisFilterTest {};

TEST_F(RedisForkTest, ParentAndChildQueryAtTheSameTime) {
  servers_.when_unavailable = WhenUnavailable::kError;
  // So empty that no missing key is a false positive.
  const auto filter = Create("f", Options(1000000));
  ASSERT_NE(filter, nullptr);
  const std::vector<std::string> present = Keys(2000, "present");
  const std::vector<std::string> absent = Keys(2000, "absent");
  ASSERT_TRUE(filter->AddKeys(present));

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

TEST_F(RedisForkTest, TheChildSendsNothingOnTheParentsConnection) {
  const auto filter = Create();
  ASSERT_NE(filter, nullptr);
  const auto parents_command = [&] {
    // The parent's connection is the oldest one, so it is the first in the list.
    const std::string list = server_->Command({"CLIENT", "LIST"});
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
}  // namespace bloomline::tests
