#include "tests/no_memory.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace bloomline::tests {

thread_local bool no_memory = false;

}  // namespace bloomline::tests

void* operator new(size_t bytes) {
  void* const memory = bloomline::tests::no_memory ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /* bytes */) noexcept { std::free(memory); }
