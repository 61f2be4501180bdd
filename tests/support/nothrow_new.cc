#include "tests/support/nothrow_new.h"

#include <cstddef>
#include <new>

namespace bloomline::tests {
thread_local void (*observe_nothrow_new)(char* memory) = nullptr;
}  // namespace bloomline::tests

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    void* const memory = ::operator new(bytes);
    if (const auto observe = bloomline::tests::observe_nothrow_new) {
      observe(static_cast<char*>(memory));
    }
    return memory;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
