// Bytes that end at an inaccessible page: a read past their end ends the test.
#ifndef BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_
#define BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace bloomline::tests {

class GuardedBytes {
 public:
  // A region for up to max_bytes, between two guard pages.
  explicit GuardedBytes(size_t max_bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    data_bytes_ = (max_bytes + page - 1) / page * page;
    void* const map =
        mmap(nullptr, data_bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) std::abort();
    start_ = static_cast<char*>(map) + page;
    if (mprotect(start_, data_bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedBytes() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    munmap(start_ - page, data_bytes_ + 2 * page);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Copies `bytes` to the end of the region. Valid until the next call.
  std::string_view AtEnd(std::string_view bytes) {
    char* const p = RoomAtEnd(bytes.size());
    bytes.copy(p, bytes.size());
    return {p, bytes.size()};
  }
  // The last `size` bytes of the region, unchanged. Valid until the next call.
  char* RoomAtEnd(size_t size) {
    if (size > data_bytes_) std::abort();
    return start_ + data_bytes_ - size;
  }
  // Copies `bytes` to the start of the region.
  std::string_view AtStart(std::string_view bytes) {
    if (bytes.size() > data_bytes_) std::abort();
    bytes.copy(start_, bytes.size());
    return {start_, bytes.size()};
  }

 private:
  size_t data_bytes_;
  char* start_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_
