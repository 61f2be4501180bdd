// Memory in huge pages: where it begins, and that all of it goes back.
#include "src/memory/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace bloomline::memory {
namespace {

size_t MappedBytes() {
  size_t pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Small mappings in between, so that large ones do not begin on a boundary by themselves.
TEST(HugePagesTest, LargeBlocksAreAlignedZeroAndGoBackWhole) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<void*> between;
  size_t before = 0;
  for (int round = 0; round < 50; ++round) {
    if (round == 10) before = MappedBytes() - between.size() * page;
    for (const size_t bytes : {kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes - 1}) {
      auto* block = static_cast<char*>(AllocatePages(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kHugePageBytes, 0u) << bytes;
      EXPECT_EQ(block[0] | block[bytes / 2] | block[bytes - 1], 0);
      block[0] = block[bytes / 2] = block[bytes - 1] = 1;  // all of it is there
      between.push_back(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      FreePages(block, bytes);
    }
  }
  if (before == 0) GTEST_SKIP() << "no /proc here";
  EXPECT_LT(MappedBytes() - between.size() * page, before + kHugePageBytes);
  for (void* small : between) munmap(small, page);
}

TEST(HugePagesTest, LargeBlocksAreTheirOwn) {
  std::vector<char*> blocks;
  const std::vector<size_t> sizes = {kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes - 1,
                                     kHugePageBytes, 5 * kHugePageBytes};
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto* block = static_cast<char*>(AllocatePages(sizes[i]));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kHugePageBytes, 0u);
    EXPECT_EQ(std::count(block, block + sizes[i], 0), static_cast<ptrdiff_t>(sizes[i]));
    std::fill(block, block + sizes[i], static_cast<char>(i + 1));
    blocks.push_back(block);
  }
  FreePages(blocks[1], sizes[1]);  // leaves its neighbours alone
  for (const size_t i : {size_t{0}, size_t{2}, size_t{3}, size_t{4}}) {
    EXPECT_EQ(std::count(blocks[i], blocks[i] + sizes[i], static_cast<char>(i + 1)),
              static_cast<ptrdiff_t>(sizes[i]));
    FreePages(blocks[i], sizes[i]);
  }
}

TEST(HugePagesTest, SmallBlocksAreMemory) {
  for (const size_t bytes : {size_t{1}, size_t{64}, kHugePageBytes - 1}) {
    void* block = AllocatePages(bytes);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, bytes);
    FreePages(block, bytes);
  }
}

TEST(HugePagesTest, MoreThanThereCanBeIsNone) {
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - kHugePageBytes,
                             SIZE_MAX - 2 * kHugePageBytes, SIZE_MAX / 2}) {
    EXPECT_EQ(AllocatePages(bytes), nullptr) << bytes;
  }
}

}  // namespace
}  // namespace bloomline::memory
