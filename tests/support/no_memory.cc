#include "tests/support/no_memory.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace bloomline::tests {

thread_local bool no_memory = false;

}  // namespace bloomline::tests

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return bloomline::tests::no_memory ? nullptr : std::malloc(bytes);
}
void* operator new(size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /* bytes */) noexcept { std::free(memory); }
