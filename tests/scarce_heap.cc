#include "tests/scarce_heap.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "bloomline/build_memory.h"

namespace bloomline::tests {

std::atomic<size_t> scarce_heap_bytes{SIZE_MAX};
std::atomic<size_t> num_refused_by_heap{0};

}  // namespace bloomline::tests

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  using namespace bloomline;
  if (bytes >= tests::scarce_heap_bytes && ReservedBuildMemory() != 0) {
    ++tests::num_refused_by_heap;
    return nullptr;
  }
  return std::malloc(bytes);
}
void* operator new(size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /* bytes */) noexcept { std::free(memory); }
