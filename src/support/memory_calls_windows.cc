#ifdef _WIN32
#include <malloc.h>

#include <cstdint>

#include "src/support/memory_calls.h"
#include "src/support/windows_calls.h"

extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* module);

namespace bloomline::support {
namespace {

// When a thread ends, a key of pthreads has libstdc++ call the destructors of the thread's
// variables, and another has GCC, which emulates such variables, free their memory. The older key
// is first, and that is GCC's: destructors would use freed memory, such as that of RocksDB's
// PerfContext. So this makes libstdc++'s key before any such variable is used. It is in this file
// because each program with filters links it.
__attribute__((constructor(101))) void OrderThreadExit() {
  __cxa_thread_atexit([](void*) {}, nullptr, nullptr);
}

}  // namespace

void* AllocateAligned(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }

void FreeAligned(void* memory) { _aligned_free(memory); }

void* MapFile(int descriptor, size_t bytes) {
  const uint64_t size = bytes;
  const HANDLE mapping =
      CreateFileMappingW(HandleOf(descriptor), nullptr, PAGE_READONLY,
                         static_cast<DWORD>(size >> 32), static_cast<DWORD>(size), nullptr);
  if (mapping == nullptr) {
    FailedCall();
    return nullptr;
  }
  void* const memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  if (memory == nullptr) FailedCall();
  CloseHandle(mapping);  // the view keeps it
  return memory;
}

void UnmapFile(void* memory, size_t /*bytes*/) { UnmapViewOfFile(memory); }

bool DropContent(void* /*memory*/, size_t /*bytes*/) { return false; }

size_t UsableBytesOf(void* memory) { return _msize(memory); }

}  // namespace bloomline::support
#endif  // _WIN32
