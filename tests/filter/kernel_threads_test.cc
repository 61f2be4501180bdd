// Many threads choose the kernel at the same time. Under ctest each test is a process of its own,
// so that the choice is made again. tests/threads/tsan runs this under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "tests/support/each_kernel.h"
#include "tests/support/reader_threads.h"

namespace bloomline::tests::kernel_threads_test {
namespace {

std::string Build(Format format, int num_keys) {
  FilterBuilder builder({format});
  for (int i = 0; i < num_keys; ++i) builder.AddKey("key" + std::to_string(i));
  return builder.Finish();
}

TEST(KernelThreadsTest, FirstUseByManyThreadsIsOneChoice) {
  std::atomic<int> ready{0};
  std::atomic<int> wrong{0};
  std::vector<const char*> names(kReaders);
  std::vector<std::thread> threads;
  for (int t = 0; t < kReaders; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < kReaders) std::this_thread::yield();
      const std::string filter = Build(t % 2 == 0 ? Format::kBlocked : Format::kRibbon, 100);
      const FilterView view = FilterView::Open(filter);
      for (int i = 0; i < 100; ++i) wrong += view.MayMatch("key" + std::to_string(i)) ? 0 : 1;
      names[static_cast<size_t>(t)] = ActiveKernelName();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (const char* name : names) EXPECT_STREQ(name, names[0]);
}

TEST(KernelThreadsTest, ForcingAKernelWhileOthersBuildAndQueryLosesNoKey) {
  const std::vector<const kernels::Kernel*> kernels = SupportedKernels();
  const std::string active = ActiveKernelName();
  std::atomic<uint64_t> lost{0};
  std::atomic<uint64_t> queries{0};
  std::atomic<uint64_t> changes{0};
  std::atomic<uint64_t> refused{0};
  const std::string blocked = Build(Format::kBlocked, 1000);
  const std::string ribbon = Build(Format::kRibbon, 1000);
  {
    Busy busy;
    busy.Start(2, [&](std::mt19937_64& random) {
      changes += ForceKernel(kernels[random() % kernels.size()]->name, nullptr) ? 1 : 0;
      std::string error;
      refused += ForceKernel("nonesuch", &error) ? 0 : 1;
    });
    busy.Start(kReaders, [&](std::mt19937_64& random) {
      for (const Format format : {Format::kBlocked, Format::kRibbon}) {
        const std::string filter = Build(format, 1000);
        if (filter != (format == Format::kBlocked ? blocked : ribbon)) ++lost;
        const FilterView view = FilterView::Open(filter);
        std::vector<std::string> keys;
        for (int i = 0; i < 64; ++i) keys.push_back("key" + std::to_string(random() % 1000));
        const std::vector<std::string_view> views(keys.begin(), keys.end());
        bool may_match[64];
        view.MayMatch(views.size(), views.data(), may_match);
        for (size_t i = 0; i < views.size(); ++i) {
          lost += may_match[i] && view.MayMatch(views[i]) ? 0 : 1;
        }
        queries += 2 * views.size();
      }
    });
    LetThemWork([&] { return changes > 0 && refused > 0 && queries > 0; });
  }
  EXPECT_TRUE(ForceKernel(active, nullptr));
  std::printf("%llu kernel changes among %zu, %llu queries of present keys\n",
              static_cast<unsigned long long>(changes.load()), kernels.size(),
              static_cast<unsigned long long>(queries.load()));
  EXPECT_EQ(lost, 0u);
  EXPECT_GT(changes, 0u);
  EXPECT_GT(refused, 0u);
  EXPECT_GT(queries, 0u);
}

}  // namespace
}  // namespace bloomline::tests::kernel_threads_test
