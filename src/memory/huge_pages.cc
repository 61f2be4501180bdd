#include "src/memory/huge_pages.h"

#include <cstdint>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bloomline::memory {

void* AllocatePages(size_t bytes) {
  if (bytes < kHugePageBytes) return ::operator new(bytes, std::nothrow);
  void* memory = ::operator new (bytes, std::align_val_t{kHugePageBytes}, std::nothrow);
  if (memory != nullptr) UseHugePages(static_cast<char*>(memory), bytes);
  return memory;
}

void FreePages(void* memory, size_t bytes) {
  if (bytes < kHugePageBytes) {
    ::operator delete(memory);
  } else {
    ::operator delete (memory, std::align_val_t{kHugePageBytes});
  }
}

void UseHugePages([[maybe_unused]] char* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  const size_t before = -reinterpret_cast<uintptr_t>(memory) % kHugePageBytes;
  if (bytes < before + kHugePageBytes) return;
  madvise(memory + before, (bytes - before) / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
#endif
}

}  // namespace bloomline::memory
