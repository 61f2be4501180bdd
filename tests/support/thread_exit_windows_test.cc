// The end of a thread: destructors of its variables run before the memory of these is freed.
// MinGW's own order is the other one, which src/support/memory_calls_windows.cc changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "src/support/memory_calls.h"

namespace bloomline::support {
namespace {

std::atomic<int> num_intact{0}, num_damaged{0};

class Filled {
 public:
  Filled() { std::fill(std::begin(words_), std::end(words_), kWord); }
  // The heap writes to memory that is freed, and gives it to others.
  ~Filled() {
    const bool is_intact =
        std::all_of(std::begin(words_), std::end(words_), [](int word) { return word == kWord; });
    ++(is_intact ? num_intact : num_damaged);
  }
  int first() const { return words_[0]; }

 private:
  static constexpr int kWord = 12345;
  volatile int words_[64];
};

thread_local Filled filled;

TEST(ThreadExitWindowsTest, DestructorsUseNoFreedMemory) {
  FreeAligned(AllocateAligned(64, 64));  // so that the library's file is linked
  constexpr int kNumThreads = 20;
  for (int i = 0; i < kNumThreads; ++i) {
    std::thread([] { EXPECT_NE(filled.first(), 0); }).join();
  }
  EXPECT_EQ(num_damaged, 0);
  EXPECT_EQ(num_intact, kNumThreads);
}

}  // namespace
}  // namespace bloomline::support
