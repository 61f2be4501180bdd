#include "src/memory/filter_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace bloomline::filters {
namespace {

constexpr size_t kAlignment = 64;  // a cache line

}  // namespace

LineMemory::~LineMemory() {
  if (is_file_) {
    munmap(start_, num_bytes_);
  } else if (IsMapped()) {
    memory::FreePages(start_, num_bytes_);
  } else {
    std::free(start_);
  }
}

LineMemory::LineMemory(LineMemory&& other) noexcept { *this = std::move(other); }

LineMemory& LineMemory::operator=(LineMemory&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(num_bytes_, other.num_bytes_);
  std::swap(is_file_, other.is_file_);
  return *this;
}

LineMemory LineMemory::Zeroed(uint64_t bytes) {
  LineMemory lines;
  if (bytes > SIZE_MAX) return lines;
  if (bytes < memory::kHugePageBytes) {
    lines.start_ = std::aligned_alloc(kAlignment, bytes);
    if (lines.start_ != nullptr) std::memset(lines.start_, 0, bytes);
  } else {
    lines.start_ = memory::AllocatePages(bytes);
  }
  if (lines.start_ != nullptr) lines.num_bytes_ = bytes;
  return lines;
}

void LineMemory::Zero() {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  if (IsMapped() && madvise(start_, num_bytes_, MADV_DONTNEED) == 0) return;
#endif
  if (start_ != nullptr) std::memset(start_, 0, num_bytes_);
}

LineMemory LineMemory::OfFile(int file, uint64_t bytes) {
  LineMemory lines;
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return lines;
  lines.start_ = start;
  lines.num_bytes_ = bytes;
  lines.is_file_ = true;
  return lines;
}

}  // namespace bloomline::filters
