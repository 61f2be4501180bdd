// Memory for a filter's lines: zeroed when first touched, or a file's pages.
#ifndef BLOOMLINE_MEMORY_FILTER_MEMORY_H_
#define BLOOMLINE_MEMORY_FILTER_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "src/memory/huge_pages.h"

namespace bloomline::filters {

// Owns memory that begins on a 64-byte line. Null until it is allocated or mapped.
class LineMemory {
 public:
  LineMemory() = default;
  ~LineMemory();
  LineMemory(LineMemory&& other) noexcept;
  LineMemory& operator=(LineMemory&& other) noexcept;

  // `bytes` zero bytes, a positive multiple of 64, in huge pages where one of them fits. Null if
  // they cannot be had.
  static LineMemory Zeroed(uint64_t bytes);

  // The first `bytes` bytes of an open file, read-only. Null on failure, with errno set.
  static LineMemory OfFile(int file, uint64_t bytes);

  char* data() const { return static_cast<char*>(start_); }

  // Zeroes what Zeroed gave: pages go back to the system until they are touched.
  void Zero();

 private:
  bool IsMapped() const { return num_bytes_ >= memory::kHugePageBytes; }  // of what Zeroed gave

  void* start_ = nullptr;
  size_t num_bytes_ = 0;
  bool is_file_ = false;
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_MEMORY_FILTER_MEMORY_H_
