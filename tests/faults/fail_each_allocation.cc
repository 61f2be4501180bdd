#include "tests/faults/fail_each_allocation.h"

#include "tests/support/repetitions.h"

namespace bloomline::tests {
namespace {

// More mean that a body never ends.
constexpr uint64_t kMaxAllocations = 20000;

void FailEach(bool all_threads, const std::function<void(Attempt*)>& body) {
  {
    SCOPED_TRACE("without a failure");
    Attempt none{FailurePlan()};
    body(&none);  // allocations made once per process happen here
    if (testing::Test::HasFailure()) return;
  }
  for (const bool all_after : {false, true}) {
    bool has_failed = true;
    // Where each takes long, a part of the later ones.
    for (uint64_t n = 1; has_failed; n += tests::kIsSlow && n > 16 ? 1 + n / 12 : 1) {
      SCOPED_TRACE((all_after ? "from this allocation on: " : "this allocation: ") +
                   std::to_string(n));
      ASSERT_LT(n, kMaxAllocations);
      Attempt attempt(FailurePlan{n, all_after, all_threads});
      const int64_t before = LiveMemory();
      body(&attempt);
      const int64_t leaked = LiveMemory() - before;
      if (testing::Test::HasFailure()) return;  // its messages have leaked, too
      EXPECT_EQ(leaked, 0) << "blocks or bytes leaked";
      has_failed = attempt.HasFailed();
    }
  }
}

}  // namespace

void FailEachAllocation(const std::function<void(Attempt*)>& body) { FailEach(false, body); }

void FailEachAllocationOfThreads(const std::function<void(Attempt*)>& body) {
  FailEach(true, body);
}

}  // namespace bloomline::tests
