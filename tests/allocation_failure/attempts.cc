#include "tests/allocation_failure/attempts.h"

#include <cstdio>
#include <set>

namespace bloomline::tests {
namespace {

// More mean that a body never ends.
constexpr uint64_t kMaxAllocations = 20000;

// Totals of the whole run, printed at its end.
class Totals : public testing::Environment {
 public:
  void TearDown() override {
    std::printf(
        "functions %zu, failures injected %llu, escapes %llu, lost keys %llu (of %llu "
        "queried), leaks %llu\n",
        functions.size(), failures, escapes, lost_keys, keys, leaks);
  }

  std::set<std::string> functions;
  unsigned long long failures = 0, escapes = 0, keys = 0, lost_keys = 0, leaks = 0;
};

// GoogleTest owns it.
Totals& totals = *static_cast<Totals*>(testing::AddGlobalTestEnvironment(new Totals));

void FailEach(Functions functions, bool all_threads, const std::function<void(Attempt*)>& body) {
  totals.functions.insert(functions.begin(), functions.end());
  {
    SCOPED_TRACE("without a failure");
    Attempt none{FailurePlan()};
    body(&none);  // allocations made once per process happen here
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const bool all_after : {false, true}) {
    for (uint64_t n = 1;; ++n) {
      ASSERT_LT(n, kMaxAllocations);
      Attempt attempt(FailurePlan{n, all_after, all_threads});
      const int64_t before = LiveMemory();
      {
        SCOPED_TRACE((all_after ? "from this allocation on: " : "this allocation: ") +
                     std::to_string(n));
        body(&attempt);
      }
      const int64_t leaked = LiveMemory() - before;
      if (testing::Test::HasFailure()) {
        totals.failures += attempt.failed();
        if (totals.escapes + totals.lost_keys > 1000) return;
      } else if (leaked != 0) {
        ++totals.leaks;
        ADD_FAILURE() << "allocation " << n << ": " << leaked << " blocks or bytes leaked";
      }
      if (!attempt.HasFailed()) break;
      totals.failures += attempt.failed();
    }
  }
}

}  // namespace

void Attempt::CheckOutcome(bool succeeded, const std::string& error) const {
  if (succeeded) {
    EXPECT_EQ(error, kUntouched);
  } else {
    EXPECT_TRUE(HasFailed()) << error;
    EXPECT_NE(error, "");
    EXPECT_NE(error, kUntouched);
  }
}

void Attempt::CheckRefusal(bool succeeded, const std::string& error) {
  EXPECT_FALSE(succeeded);
  EXPECT_NE(error, "");
  EXPECT_NE(error, kUntouched);
}

void Attempt::CheckPresent(bool may_match) {
  ++totals.keys;
  if (may_match) return;
  ++totals.lost_keys;
  ADD_FAILURE() << "a key was lost";
}

void Attempt::CountEscape(const std::string& what) {
  ++totals.escapes;
  ADD_FAILURE() << "an exception escaped: " << what;
}

void FailEachAllocation(Functions functions, const std::function<void(Attempt*)>& body) {
  FailEach(functions, false, body);
}

void FailEachAllocationOfThreads(Functions functions, const std::function<void(Attempt*)>& body) {
  FailEach(functions, true, body);
}

void ExpectNoAllocation(Functions functions, const std::function<void()>& f) {
  totals.functions.insert(functions.begin(), functions.end());
  Attempt attempt(FailurePlan{1, true, false});
  attempt.Call(f);
  EXPECT_FALSE(attempt.HasFailed()) << "it allocates";
}

std::vector<std::string> MakeKeys(size_t n) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back("key " + std::to_string(i));
  return keys;
}

std::vector<std::string_view> Views(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

}  // namespace bloomline::tests
