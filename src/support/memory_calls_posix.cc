#ifndef _WIN32
#include <sys/mman.h>

#include <cstdlib>

#include "src/support/memory_calls.h"
#if defined(__linux__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__FreeBSD__)
#include <malloc_np.h>
#endif

namespace bloomline::support {

void* AllocateAligned(size_t alignment, size_t bytes) {
  return std::aligned_alloc(alignment, bytes);
}

void FreeAligned(void* memory) { std::free(memory); }

void* MapFile(int descriptor, size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void UnmapFile(void* memory, size_t bytes) { munmap(memory, bytes); }

bool DropContent([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__  // elsewhere MADV_DONTNEED may keep the content
  return madvise(memory, bytes, MADV_DONTNEED) == 0;
#else
  return false;
#endif
}

size_t UsableBytesOf([[maybe_unused]] void* memory) {
#if defined(__linux__) || defined(__FreeBSD__)
  return malloc_usable_size(memory);
#elif defined(__APPLE__)
  return malloc_size(memory);
#else
  return 0;
#endif
}

}  // namespace bloomline::support
#endif  // !_WIN32
