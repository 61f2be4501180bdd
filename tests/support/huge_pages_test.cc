// Memory in huge pages: its alignment, and that all of it is freed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "src/filter/hash/hash_list.h"
#include "src/support/memory.h"

namespace {
bool maps_off_boundary = false;
bool maps_nothing = false;
}  // namespace

// The linker directs the library's calls here. Newer Linux kernels align large maps to huge pages;
// older ones do not.
extern "C" {
void* __real_mmap(void* at, size_t n, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t n, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t n, int protection, int flags, int file, off_t offset) {
  if (maps_nothing) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  if (!maps_off_boundary) return __real_mmap(at, n, protection, flags, file, offset);
  constexpr size_t kPage = 64 << 10;  // the largest of any system
  void* map = __real_mmap(at, n + 2 * kPage, protection, flags, file, offset);
  if (map == MAP_FAILED) return map;
  char* const middle = static_cast<char*>(map) + kPage;
  munmap(map, kPage);
  munmap(middle + n, kPage);
  return middle;
}
}  // extern "C"

namespace bloomline::support {
namespace {

size_t MappedBytes() {
  size_t pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HugePagesTest, LargeBlocksAreAlignedZeroedAndFreedWhole) {
  for (const bool off_boundary : {false, true}) {
    maps_off_boundary = off_boundary;
    size_t before = 0;
    for (int round = 0; round < 50; ++round) {
      if (round == 10) before = MappedBytes();
      for (const size_t bytes : {kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes - 1}) {
        auto* block = static_cast<char*>(AllocatePages(bytes));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kHugePageBytes, 0u) << bytes;
        EXPECT_EQ(block[0] | block[bytes / 2] | block[bytes - 1], 0);
        block[0] = block[bytes / 2] = block[bytes - 1] = 1;  // all of it can be written
        FreePages(block, bytes);
      }
    }
    // A leak of one block, or of what is cut off it, adds up to 40 huge pages or more. An
    // emulator's own memory grows by some pages.
    EXPECT_LT(MappedBytes(), before + 16 * kHugePageBytes);
  }
  maps_off_boundary = false;
}

TEST(HugePagesTest, ImpossibleSizesGiveNull) {
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - kHugePageBytes,
                             SIZE_MAX - 2 * kHugePageBytes, SIZE_MAX / 2}) {
    EXPECT_EQ(AllocatePages(bytes), nullptr) << bytes;
  }
}

TEST(HugePagesTest, AListOfHashesNeedsNone) {
  maps_nothing = true;
  filter::HashList list;
  constexpr uint64_t kNumHashes = 1000000;
  for (uint64_t hash = 0; hash < kNumHashes; ++hash) list.Append(hash);
  maps_nothing = false;
  uint64_t next = 0;
  list.ForEach([&](uint64_t hash) { next += hash == next ? 1 : 0; });
  EXPECT_EQ(next, kNumHashes);
}

}  // namespace
}  // namespace bloomline::support
