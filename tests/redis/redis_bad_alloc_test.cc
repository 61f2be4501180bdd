// Memory that is missing in the middle of a call: the next call must not read the replies to the
// commands of this one, nor answer for its keys.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/faults/failing_new.h"
#include "tests/redis/redis_filter_test.h"

namespace bloomline::tests {
namespace {

// Calls f() with its n-th allocation failing. Returns whether it has that many; it may throw.
template <typename F>
bool FailsAt(uint64_t n, F f) {
  Arm({n}, 0);
  try {
    f();
  } catch (const std::bad_alloc&) {
  }
  return Disarm().failed != 0;
}

class RedisBadAllocTest : public RedisFilterTest {};

TEST_F(RedisBadAllocTest, CallsAfterAnExceptionAreRight) {
  servers_.when_unavailable = WhenUnavailable::kError;
  const auto filter = Create("f", {1000000});  // so empty that no missing key matches
  const std::vector<std::string> present = Keys(6, "present");
  const std::vector<std::string> absent = Keys(6, "absent");
  const std::vector<std::string> unconfirmed = Keys(6, "unconfirmed");
  ASSERT_TRUE(filter->AddKeys(present));
  std::vector<Answer> answers(6);
  std::vector<AddResult> results(6);
  uint64_t num_failures = 0;
  for (bool failed = true; failed; ++num_failures) {
    SCOPED_TRACE(num_failures);
    failed = FailsAt(num_failures + 1, [&] { filter->MayMatch(absent, answers.data()); });
    EXPECT_EQ(CountLost(filter.get(), present), 0u);
    // There is no replica. The call waits for one after the replies.
    failed |= FailsAt(num_failures + 1,
                      [&] { filter->AddKeys(unconfirmed, results.data(), Replicas(1, 1)); });
    EXPECT_EQ(Count(results, AddResult::kFailed), results.size());
    EXPECT_EQ(CountLost(filter.get(), absent), absent.size());
    const std::string key = "key" + std::to_string(num_failures);
    failed |= FailsAt(num_failures + 1, [&] { filter->AddKey(key); });
    EXPECT_NE(filter->AddKey(key), AddResult::kFailed) << filter->error();
    EXPECT_EQ(filter->MayMatch(key), Answer::kMaybe);
  }
  EXPECT_GT(num_failures, 20u);
}

}  // namespace
}  // namespace bloomline::tests
