// The number of threads that builders start, and that their work is done even without any. This
// program's pthread_create counts calls and forwards them, or fails.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/writer/run_on_threads.h"

namespace {
std::atomic<int> num_started{0};
std::atomic<bool> none_starts{false};
}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
  static const auto system =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (none_starts) return EAGAIN;
  ++num_started;
  return system(thread, attributes, start, argument);
}

namespace bloomline {
namespace {

std::string_view KeyOf(const uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

int ThreadsOfFinish(Format format, double bits_per_key, uint64_t num_keys, int num_threads) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < num_keys; ++i) builder.AddKey(KeyOf(i));
  num_started = 0;
  const std::string bytes = builder.Finish(num_threads);
  const FilterView view = FilterView::Open(bytes);
  EXPECT_FALSE(view.AlwaysMatches());
  for (uint64_t i = 0; i < num_keys; i += 97) EXPECT_TRUE(view.MayMatch(KeyOf(i))) << i;
  return num_started;
}

TEST(RunOnThreadsTest, EachTaskRunsOnceEvenWithoutThreads) {
  for (const bool none : {false, true}) {
    for (size_t n = 1; n < 10; ++n) {
      std::vector<std::atomic<int>> runs(n);
      none_starts = none;
      filter::RunOnThreads(n, [&](size_t i) { ++runs[i]; });
      none_starts = false;
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(runs[i], 1) << i << " of " << n;
    }
  }
}

TEST(ThreadCountTest, FewKeysStartNoThread) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const uint64_t num_keys : {1, 10, 1000, 32768}) {
      EXPECT_EQ(ThreadsOfFinish(format, 10, num_keys, 8), 0) << FormatName(format) << num_keys;
    }
  }
}

TEST(ThreadCountTest, CompactHasOneForEach32768Keys) {
  EXPECT_EQ(ThreadsOfFinish(Format::kCompact, 10, 3 * 32768, 8), 2);
  EXPECT_EQ(ThreadsOfFinish(Format::kCompact, 10, 8 * 32768, 4), 3);
}

TEST(ThreadCountTest, BlockedHasSeveralFrom32MiBOn) {
  constexpr double kBits = 100;
  const auto num_keys = static_cast<uint64_t>(8 * (32 << 20) / kBits);
  EXPECT_EQ(ThreadsOfFinish(Format::kBlocked, kBits, num_keys * 9 / 10, 2), 0);
  EXPECT_GT(ThreadsOfFinish(Format::kBlocked, kBits, num_keys + 1000, 2), 0);
  // Two rounds for each of 8 windows, none with more threads than there are partitions of 256 KiB.
  EXPECT_LE(ThreadsOfFinish(Format::kBlocked, kBits, num_keys + 1000, 10000), 2 * 8 * 129);
}

}  // namespace
}  // namespace bloomline
