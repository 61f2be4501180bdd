// Memory for filters: zeroed memory, or the pages of a file.
#ifndef BLOOMLINE_SUPPORT_ALIGNED_MEMORY_H_
#define BLOOMLINE_SUPPORT_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "src/support/memory_calls.h"

namespace bloomline::support {

// Owns memory that begins at a cache line, a multiple of 64 bytes. Null until it is allocated or
// mapped.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  ~AlignedMemory();
  AlignedMemory(AlignedMemory&& other) noexcept;
  AlignedMemory& operator=(AlignedMemory&& other) noexcept;

  // Returns `bytes` zero bytes, a positive multiple of 64, or null if memory is missing. From 2 MiB
  // on they are in huge pages where the system gives them, and are zeroed when first touched.
  static AlignedMemory Zeroed(uint64_t bytes);

  // Maps the first `bytes` bytes of an open file, read-only. Null on failure, with errno set.
  static AlignedMemory OfFile(int file, uint64_t bytes);

  char* data() const { return static_cast<char*>(start_); }

  // Zeroes memory that Zeroed gave. Mapped pages go back to the system until they are touched.
  void Zero();

 private:
  bool IsMapped() const { return num_bytes_ >= kHugePageBytes; }  // memory of Zeroed

  void* start_ = nullptr;
  size_t num_bytes_ = 0;
  bool is_file_ = false;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_ALIGNED_MEMORY_H_
