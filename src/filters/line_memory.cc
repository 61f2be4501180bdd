#include "src/filters/line_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "src/kernels/probe_sequence.h"
#include "src/memory/huge_pages.h"

namespace bloomline::filters {

LineMemory::~LineMemory() {
  if (mapped_bytes_ != 0) {
    munmap(start_, mapped_bytes_);
  } else {
    std::free(start_);
  }
}

LineMemory::LineMemory(LineMemory&& other) noexcept { *this = std::move(other); }

LineMemory& LineMemory::operator=(LineMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(start_, other.start_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

LineMemory LineMemory::Zeroed(uint64_t bytes) {
  LineMemory lines;
  if (bytes < memory::kHugePageBytes) {
    lines.start_ = std::aligned_alloc(kernels::kLineBytes, bytes);
    if (lines.start_ != nullptr) std::memset(lines.start_, 0, bytes);
    lines.data_ = static_cast<char*>(lines.start_);
    return lines;
  }
  if (bytes > SIZE_MAX - memory::kHugePageBytes) return lines;
  const size_t mapped_bytes = bytes + memory::kHugePageBytes;
  void* start =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return lines;
  lines.start_ = start;
  lines.mapped_bytes_ = mapped_bytes;
  const auto address = reinterpret_cast<uintptr_t>(start);
  lines.data_ =
      static_cast<char*>(start) + (memory::kHugePageBytes - address % memory::kHugePageBytes);
  memory::UseHugePages(lines.data_, bytes);
  return lines;
}

void LineMemory::Zero(uint64_t bytes) {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  if (mapped_bytes_ != 0 && madvise(data_, bytes, MADV_DONTNEED) == 0) return;
#endif
  std::memset(data_, 0, bytes);
}

LineMemory LineMemory::OfFile(int file, uint64_t bytes) {
  LineMemory lines;
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return lines;
  lines.start_ = start;
  lines.mapped_bytes_ = bytes;
  lines.data_ = static_cast<char*>(start);
  return lines;
}

}  // namespace bloomline::filters
