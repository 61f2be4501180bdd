// Work for several threads is done with any number of them, even none.
#include "src/filter/writer/run_on_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "src/filter/format/layout.h"
#include "src/filter/format/shapes.h"
#include "src/filter/writer/payload_builder.h"

namespace bloomline::filter {
namespace {

// While it lives, no thread can start: there is no memory for its stack.
class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t none;
    pthread_getattr_default_np(&before_);
    pthread_getattr_default_np(&none);
    pthread_attr_setstacksize(&none, size_t{1} << 52);
    pthread_setattr_default_np(&none);
    pthread_attr_destroy(&none);
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      kept_ = true;
    }
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  bool IsKept() const { return kept_; }

 private:
  pthread_attr_t before_;
  bool kept_ = false;
};

void ExpectEachOnce(size_t n) {
  std::vector<std::atomic<int>> runs(n);
  RunOnThreads(n, [&](size_t i) { ++runs[i]; });
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(runs[i], 1) << i << " of " << n;
}

TEST(RunOnThreadsTest, EachTaskRunsOnce) {
  for (size_t n = 1; n < 10; ++n) ExpectEachOnce(n);
}

TEST(RunOnThreadsTest, EachTaskRunsOnceWithoutThreads) {
  const NoThreads none;
  if (!none.IsKept()) GTEST_SKIP() << "threads start here whatever the size of their stacks";
  for (size_t n = 1; n < 10; ++n) ExpectEachOnce(n);
}

TEST(RunOnThreadsTest, FiltersAreCompleteWithoutThreads) {
  const FilterShape shape = CompactShape(300000, 8, 0, UINT64_MAX);
  const auto build = [&](int num_threads) {
    HashList list;
    for (uint64_t i = 1; i <= 300000; ++i) EXPECT_TRUE(list.Append(i * 0x9E3779B97F4A7C15));
    std::optional<HashGroups> groups;
    std::vector<char> payload(shape.payload_bytes());
    EXPECT_TRUE(
        BuildPayload(&list, shape, kernels::ActiveKernel(), num_threads, payload.data(), &groups));
    return payload;
  };
  const std::vector<char> expected = build(1);
  const NoThreads none;
  if (!none.IsKept()) GTEST_SKIP() << "threads start here whatever the size of their stacks";
  EXPECT_TRUE(build(4) == expected);
}

}  // namespace
}  // namespace bloomline::filter
