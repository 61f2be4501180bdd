#include "src/filters/line_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "src/kernels/probe_sequence.h"

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
  LineMemory memory;
  if (bytes < kHugePageBytes) {
    memory.start_ = std::aligned_alloc(kernels::kLineBytes, bytes);
    if (memory.start_ != nullptr) std::memset(memory.start_, 0, bytes);
    memory.data_ = static_cast<char*>(memory.start_);
    return memory;
  }
  if (bytes > SIZE_MAX - kHugePageBytes) return memory;
  const size_t mapped_bytes = bytes + kHugePageBytes;
  void* start =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return memory;
  memory.start_ = start;
  memory.mapped_bytes_ = mapped_bytes;
  const auto address = reinterpret_cast<uintptr_t>(start);
  memory.data_ = static_cast<char*>(start) + (kHugePageBytes - address % kHugePageBytes);
#ifdef MADV_HUGEPAGE
  madvise(memory.data_, bytes, MADV_HUGEPAGE);  // where the system does not, ordinary pages do
#endif
  return memory;
}

void LineMemory::Zero(uint64_t bytes) {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  if (mapped_bytes_ != 0 && madvise(data_, bytes, MADV_DONTNEED) == 0) return;
#endif
  std::memset(data_, 0, bytes);
}

LineMemory LineMemory::OfFile(int file, uint64_t bytes) {
  LineMemory memory;
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return memory;
  memory.start_ = start;
  memory.mapped_bytes_ = bytes;
  memory.data_ = static_cast<char*>(start);
  return memory;
}

}  // namespace bloomline::filters
