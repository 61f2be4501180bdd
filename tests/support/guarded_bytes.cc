#include "tests/support/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace bloomline::tests {

GuardedBytes::GuardedBytes(size_t max_bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t data_bytes = (max_bytes + page - 1) / page * page;
  map_bytes_ = data_bytes + 2 * page;
  void* map = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) std::abort();
  map_ = static_cast<char*>(map);
  start_ = map_ + page;
  end_ = start_ + data_bytes;
  if (mprotect(start_, data_bytes, PROT_READ | PROT_WRITE) != 0) std::abort();
}

GuardedBytes::~GuardedBytes() { munmap(map_, map_bytes_); }

char* GuardedBytes::RoomAtEnd(size_t size) {
  if (size > static_cast<size_t>(end_ - start_)) std::abort();
  return end_ - size;
}

std::string_view GuardedBytes::AtEnd(std::string_view bytes) {
  char* p = RoomAtEnd(bytes.size());
  bytes.copy(p, bytes.size());
  return {p, bytes.size()};
}

std::string_view GuardedBytes::AtStart(std::string_view bytes) {
  if (bytes.size() > static_cast<size_t>(end_ - start_)) std::abort();
  bytes.copy(start_, bytes.size());
  return {start_, bytes.size()};
}

}  // namespace bloomline::tests
