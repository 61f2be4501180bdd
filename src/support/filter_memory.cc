#include "src/support/filter_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace bloomline::support {
namespace {

constexpr size_t kAlignment = 64;  // a cache line

}  // namespace

FilterMemory::~FilterMemory() {
  if (is_file_) {
    munmap(start_, num_bytes_);
  } else if (IsMapped()) {
    support::FreePages(start_, num_bytes_);
  } else {
    std::free(start_);
  }
}

FilterMemory::FilterMemory(FilterMemory&& other) noexcept { *this = std::move(other); }

FilterMemory& FilterMemory::operator=(FilterMemory&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(num_bytes_, other.num_bytes_);
  std::swap(is_file_, other.is_file_);
  return *this;
}

FilterMemory FilterMemory::Zeroed(uint64_t bytes) {
  FilterMemory memory;
  if (bytes > SIZE_MAX) return memory;
  if (bytes < bloomline::support::kHugePageBytes) {
    memory.start_ = std::aligned_alloc(kAlignment, bytes);
    if (memory.start_ != nullptr) std::memset(memory.start_, 0, bytes);
  } else {
    memory.start_ = bloomline::support::AllocatePages(bytes);
  }
  if (memory.start_ != nullptr) memory.num_bytes_ = bytes;
  return memory;
}

void FilterMemory::Zero() {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  if (IsMapped() && madvise(start_, num_bytes_, MADV_DONTNEED) == 0) return;
#endif
  if (start_ != nullptr) std::memset(start_, 0, num_bytes_);
}

FilterMemory FilterMemory::OfFile(int file, uint64_t bytes) {
  FilterMemory memory;
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return memory;
  memory.start_ = start;
  memory.num_bytes_ = bytes;
  memory.is_file_ = true;
  return memory;
}

}  // namespace bloomline::support
