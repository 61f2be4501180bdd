#include "tests/support/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace bloomline::tests {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
void* Reserve(size_t bytes) {
  void* map = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return map == MAP_FAILED ? nullptr : map;
}
bool AllowAccess(void* start, size_t bytes) {
  return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}
void Release(void* map, size_t bytes) { munmap(map, bytes); }

}  // namespace

GuardedBytes::GuardedBytes(size_t max_bytes) {
  const size_t page = PageBytes();
  const size_t data_bytes = (max_bytes + page - 1) / page * page;
  map_bytes_ = data_bytes + 2 * page;
  map_ = static_cast<char*>(Reserve(map_bytes_));
  if (map_ == nullptr) std::abort();
  start_ = map_ + page;
  end_ = start_ + data_bytes;
  if (!AllowAccess(start_, data_bytes)) std::abort();
}

GuardedBytes::~GuardedBytes() { Release(map_, map_bytes_); }

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
