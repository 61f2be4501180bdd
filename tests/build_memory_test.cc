// The reserve of memory that builders share.
#include "bloomline/build_memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/filter.h"
#include "src/support/block_reserve.h"
#include "tests/scarce_heap.h"

namespace bloomline {
namespace {

using support::kBlockBytes;

class BuildMemoryTest : public testing::Test {
 protected:
  // Nothing is kept, and nothing was freed for a long time.
  void SetUp() override {
    ReleaseBuildMemory();
    SetMaxBuildMemory(support::kDefaultMaxReservedBytes);
    support::AdvanceReserveClock(support::kIdleSeconds);
  }
  void TearDown() override { SetUp(); }
};

std::vector<void*> Take(size_t count) {
  std::vector<void*> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(support::AllocateBlock(false));
    EXPECT_NE(blocks.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back()) % kBlockBytes, 0u);
    std::memset(blocks.back(), 0xAB, kBlockBytes);
  }
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), count);
  return blocks;
}

void Return(const std::vector<void*>& blocks) {
  for (void* block : blocks) support::FreeBlock(block);
}

TEST_F(BuildMemoryTest, OneFilterKeepsNothingTheNextOnesDo) {
  Return(Take(3));
  EXPECT_EQ(ReservedBuildMemory(), 0u);
  Return(Take(3));
  EXPECT_EQ(ReservedBuildMemory(), 3 * kBlockBytes);
  const std::vector<void*> taken = Take(3);
  EXPECT_EQ(ReservedBuildMemory(), 0u);
  Return(taken);
  // The same memory again, and no more than was missed.
  std::vector<void*> again = Take(3);
  EXPECT_EQ(std::set<void*>(taken.begin(), taken.end()),
            std::set<void*>(again.begin(), again.end()));
  Return(again);
  EXPECT_EQ(ReservedBuildMemory(), 3 * kBlockBytes);
}

TEST_F(BuildMemoryTest, FiltersFarApartKeepNothing) {
  for (int i = 0; i < 3; ++i) {
    Return(Take(2));
    EXPECT_EQ(ReservedBuildMemory(), 0u);
    support::AdvanceReserveClock(support::kIdleSeconds);
  }
}

TEST_F(BuildMemoryTest, WhatNobodyTookForAMinuteIsGivenBack) {
  Return(Take(4));
  Return(Take(4));
  support::AdvanceReserveClock(support::kIdleSeconds / 2);
  Return(Take(1));
  EXPECT_EQ(ReservedBuildMemory(), 4 * kBlockBytes);
  support::AdvanceReserveClock(support::kIdleSeconds / 2);
  Return(Take(1));  // and stays, as it is in use
  EXPECT_EQ(ReservedBuildMemory(), kBlockBytes);
  support::AdvanceReserveClock(support::kIdleSeconds);
  FilterBuilder(FilterOptions()).AddKey("a builder of one key");
  EXPECT_EQ(ReservedBuildMemory(), 0u);
}

TEST_F(BuildMemoryTest, IsBounded) {
  EXPECT_EQ(MaxBuildMemory(), size_t{80} << 20);
  SetMaxBuildMemory(3 * kBlockBytes - 1);
  EXPECT_EQ(MaxBuildMemory(), 2 * kBlockBytes);
  for (int i = 0; i < 3; ++i) Return(Take(5));
  EXPECT_EQ(ReservedBuildMemory(), 2 * kBlockBytes);
  SetMaxBuildMemory(kBlockBytes);
  EXPECT_EQ(ReservedBuildMemory(), kBlockBytes);
  SetMaxBuildMemory(0);
  EXPECT_EQ(ReservedBuildMemory(), 0u);
  for (int i = 0; i < 3; ++i) Return(Take(2));
  EXPECT_EQ(ReservedBuildMemory(), 0u);
  SetMaxBuildMemory(SIZE_MAX);
  EXPECT_EQ(MaxBuildMemory(), support::kMostReservedBytes);
}

TEST_F(BuildMemoryTest, IsBoundedWhateverOtherThreadsReturn) {
  for (int round = 0; round < 100; ++round) {
    SetMaxBuildMemory(support::kDefaultMaxReservedBytes);
    void* blocks[4];
    for (int twice = 0; twice < 2; ++twice) {  // the second time they are missed
      for (void*& block : blocks) block = support::AllocateBlock(false);
      if (twice == 0) Return({blocks, blocks + 4});
    }
    std::atomic<bool> has_begun{false};
    std::thread other([&] {
      has_begun = true;
      for (void* block : blocks) support::FreeBlock(block);
    });
    while (!has_begun) {
    }
    for (volatile int wait = 0; wait < 4 * round; wait = wait + 1) {
    }
    SetMaxBuildMemory(0);
    other.join();
    ASSERT_EQ(ReservedBuildMemory(), 0u) << "round " << round;
  }
}

TEST_F(BuildMemoryTest, CanBeReleased) {
  Return(Take(2));
  Return(Take(2));
  EXPECT_EQ(ReservedBuildMemory(), 2 * kBlockBytes);
  ReleaseBuildMemory();
  EXPECT_EQ(ReservedBuildMemory(), 0u);
}

// Not even a count may be wrong: a block that two threads took would hold the hashes of two
// filters.
TEST_F(BuildMemoryTest, ThreadsNeverShareABlock) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 300; ++round) {
        uint64_t* blocks[3];
        for (uint64_t*& block : blocks) {
          block = static_cast<uint64_t*>(support::AllocateBlock(true));
          *block = static_cast<uint64_t>(t);
        }
        std::this_thread::yield();
        for (uint64_t* block : blocks) {
          ASSERT_EQ(*block, static_cast<uint64_t>(t));
          support::FreeBlock(block);
        }
        if (round % 50 == t) ReleaseBuildMemory();
        if (round % 50 == t + 10) SetMaxBuildMemory(static_cast<size_t>(round % 7) * kBlockBytes);
        if (round % 50 == t + 20) support::AdvanceReserveClock(support::kIdleSeconds);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(ReservedBuildMemory(), 3 * kThreads * kBlockBytes);
  ReleaseBuildMemory();
  EXPECT_EQ(ReservedBuildMemory(), 0u);
}

std::string Filter(uint64_t num_keys, Format format) {
  FilterOptions options;
  options.format = format;
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < num_keys; ++i) {
    builder.AddKey({reinterpret_cast<const char*>(&i), sizeof(i)});
  }
  return builder.Finish();
}

TEST_F(BuildMemoryTest, FiltersAreTheSameFromUsedMemory) {
  constexpr uint64_t kKeys = 500000;  // 1 MiB in small chunks, and a part of two blocks
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const std::string fresh = Filter(kKeys, format);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Filter(kKeys, format) == fresh);
    EXPECT_GE(ReservedBuildMemory(), 2 * kBlockBytes);
    // A list that is smaller, and begins to use what is there earlier.
    const std::string small = Filter(kKeys / 8, format);
    ReleaseBuildMemory();
    EXPECT_TRUE(Filter(kKeys / 8, format) == small);
  }
}

// The heap has nothing, and the reserve has something: that is given back before a filter suffers.
TEST_F(BuildMemoryTest, WithoutMemoryTheReserveIsGivenBackFirst) {
  constexpr uint64_t kKeys = 500000;
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const std::string expected = Filter(kKeys, format);
    Return(Take(8));
    Return(Take(8));
    ASSERT_GE(ReservedBuildMemory(), 4 * kBlockBytes);
    // From 512 KiB on it is the filter, in kCompact also hashes.
    for (const size_t scarce_from : {size_t{512} << 10, size_t{16} << 10}) {
      tests::scarce_heap_bytes = scarce_from;
      const std::string filter = Filter(kKeys, format);
      tests::scarce_heap_bytes = SIZE_MAX;
      EXPECT_TRUE(filter == expected) << filter.size() << " bytes";
      EXPECT_GT(tests::num_refused_by_heap.exchange(0), 0u);
      Return(Take(8));
      Return(Take(8));
    }
  }
}

TEST_F(BuildMemoryTest, AForkedChildBuilds) {
  constexpr uint64_t kKeys = 500000;
  const std::string expected = Filter(kKeys, Format::kBlocked);
  Filter(kKeys, Format::kBlocked);
  ASSERT_GE(ReservedBuildMemory(), kBlockBytes);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool same = true;
    for (int i = 0; i < 3; ++i) same &= Filter(kKeys, Format::kBlocked) == expected;
    ReleaseBuildMemory();
    _exit(same && ReservedBuildMemory() == 0 ? 0 : 1);
  }
  EXPECT_TRUE(Filter(kKeys, Format::kBlocked) == expected);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_GE(ReservedBuildMemory(), kBlockBytes);
}

}  // namespace
}  // namespace bloomline
