#include "src/support/aligned_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "src/support/memory_calls.h"

namespace bloomline::support {
namespace {

constexpr size_t kAlignment = 64;  // a cache line

}  // namespace

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
