#include "src/support/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#if defined(__linux__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__FreeBSD__)
#include <malloc_np.h>
#endif

namespace bloomline::support {
namespace {

constexpr size_t kAlignment = 64;  // a cache line

size_t RoundedUp(size_t bytes) {
  return (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
}

char* Map(size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// A block next to an earlier block is aligned at once, and the system sees both as one mapping.
// Otherwise we map more, and unmap the surplus at both ends.
char* MapAligned(size_t bytes) {
  char* memory = Map(bytes);
  if (memory == nullptr || reinterpret_cast<uintptr_t>(memory) % kHugePageBytes == 0) return memory;
  munmap(memory, bytes);
  memory = Map(bytes + kHugePageBytes);
  if (memory == nullptr) return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(memory) % kHugePageBytes;
  if (before != 0) munmap(memory, before);
  munmap(memory + before + bytes, kHugePageBytes - before);
  return memory + before;
}

}  // namespace

void* AllocatePages(size_t bytes) {
  if (bytes < kHugePageBytes) return ::operator new(bytes, std::nothrow);
  if (bytes > SIZE_MAX - 2 * kHugePageBytes) return nullptr;
  char* memory = MapAligned(RoundedUp(bytes));
#ifdef MADV_HUGEPAGE
  // The last page is left out if it is not full: a huge one would waste memory.
  if (memory != nullptr) madvise(memory, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void FreePages(void* memory, size_t bytes) {
  if (bytes < kHugePageBytes) {
    ::operator delete(memory);
  } else if (memory != nullptr) {
    munmap(memory, RoundedUp(bytes));
  }
}

size_t HeapBytes(size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) return 0;
  size_t set_aside = 0;
#if defined(__linux__) || defined(__FreeBSD__)
  set_aside = malloc_usable_size(memory);
#elif defined(__APPLE__)
  set_aside = malloc_size(memory);
#endif
  std::free(memory);
  return set_aside;
}

AlignedMemory::~AlignedMemory() {
  if (is_file_) {
    munmap(start_, num_bytes_);
  } else if (IsMapped()) {
    FreePages(start_, num_bytes_);
  } else {
    std::free(start_);
  }
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept { *this = std::move(other); }

AlignedMemory& AlignedMemory::operator=(AlignedMemory&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(num_bytes_, other.num_bytes_);
  std::swap(is_file_, other.is_file_);
  return *this;
}

AlignedMemory AlignedMemory::Zeroed(uint64_t bytes) {
  AlignedMemory memory;
  if (bytes > SIZE_MAX) return memory;
  const auto size = static_cast<size_t>(bytes);
  if (size < kHugePageBytes) {
    memory.start_ = std::aligned_alloc(kAlignment, size);
    if (memory.start_ != nullptr) std::memset(memory.start_, 0, size);
  } else {
    memory.start_ = AllocatePages(size);
  }
  if (memory.start_ != nullptr) memory.num_bytes_ = size;
  return memory;
}

void AlignedMemory::Zero() {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  if (IsMapped() && madvise(start_, num_bytes_, MADV_DONTNEED) == 0) return;
#endif
  if (start_ != nullptr) std::memset(start_, 0, num_bytes_);
}

AlignedMemory AlignedMemory::OfFile(int file, uint64_t bytes) {
  AlignedMemory memory;
  if (bytes > SIZE_MAX) {
    errno = ENOMEM;
    return memory;
  }
  const auto size = static_cast<size_t>(bytes);
  void* const start = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return memory;
  memory.start_ = start;
  memory.num_bytes_ = size;
  memory.is_file_ = true;
  return memory;
}

}  // namespace bloomline::support
