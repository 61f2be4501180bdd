// SharedBloomFilter on both sides of a fork: neither may read replies to the other's queries.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_filter_test.h"

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

}  // namespace
}  // namespace bloomline::tests
