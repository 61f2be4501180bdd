#ifdef _WIN32
#include <new>

#include "src/support/huge_pages.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {

void* AllocatePages(size_t bytes) {
  if (bytes < kHugePageBytes) return ::operator new(bytes, std::nothrow);
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void FreePages(void* memory, size_t bytes) {
  if (bytes < kHugePageBytes) {
    ::operator delete(memory);
  } else if (memory != nullptr) {
    VirtualFree(memory, 0, MEM_RELEASE);
  }
}

}  // namespace bloomline::support
#endif  // _WIN32
