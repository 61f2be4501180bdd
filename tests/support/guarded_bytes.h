// Bytes that end at an inaccessible page: a read past their end ends the test.
#ifndef BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_
#define BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_

#include <cstddef>
#include <string_view>

namespace bloomline::tests {

class GuardedBytes {
 public:
  // A region for up to max_bytes, between two guard pages.
  explicit GuardedBytes(size_t max_bytes);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Copies `bytes` to the end of the region. Valid until the next call.
  std::string_view AtEnd(std::string_view bytes);
  // The last `size` bytes of the region, unchanged. Valid until the next call.
  char* RoomAtEnd(size_t size);
  // Copies `bytes` to the start of the region.
  std::string_view AtStart(std::string_view bytes);

 private:
  char* map_;
  size_t map_bytes_;
  char* start_;
  char* end_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_GUARDED_BYTES_H_
