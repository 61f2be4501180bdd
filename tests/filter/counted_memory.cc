#include "tests/filter/counted_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

size_t now = 0;
size_t most = 0;

void Count(size_t bytes) {
  now += bytes;
  most = std::max(most, now);
}

// A block begins with its size.
constexpr size_t kHeadBytes = alignof(std::max_align_t);

void* Allocate(size_t bytes) {
  void* const block = std::malloc(bytes + kHeadBytes);
  if (block == nullptr) return nullptr;
  *static_cast<size_t*>(block) = bytes;
  Count(bytes);
  return static_cast<char*>(block) + kHeadBytes;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  void* const block = static_cast<char*>(memory) - kHeadBytes;
  now -= *static_cast<size_t*>(block);
  std::free(block);
}

}  // namespace

// Not inlined, or GCC takes free() for a mistake.
__attribute__((noinline)) void* operator new(size_t bytes) {
  void* const memory = Allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// A sanitizer has one of its own, which does not go with the others.
__attribute__((noinline)) void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return Allocate(bytes);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { Free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept { Free(memory); }

#ifndef __APPLE__
// The linker's option --wrap leads calls here.
extern "C" {
void* __real_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void* address, size_t size);

void* __wrap_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  void* const memory = __real_mmap(address, size, protection, flags, file, offset);
  if (memory != MAP_FAILED) Count(size);
  return memory;
}
int __wrap_munmap(void* address, size_t size) {
  now -= size;
  return __real_munmap(address, size);
}
}
#endif

namespace bloomline::tests {

CountedMemory::CountedMemory() : before_(now) { most = now; }

size_t CountedMemory::peak() const { return most - before_; }

}  // namespace bloomline::tests
