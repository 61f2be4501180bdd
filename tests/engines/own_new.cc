// An operator new of the program's own, as pools and arenas have: its blocks begin behind a header,
// so malloc does not know their addresses.
//
// malloc_usable_size then answers RocksDB, whose calls are left out where it was built for such a
// program (without ROCKSDB_MALLOC_USABLE_SIZE), and ends the process if anything else asks for the
// size of such a block. With the real one, this is undefined.
#include <dlfcn.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// Of blocks in use; no other block has it in front of it.
constexpr uint64_t kMark = 0x6f776e206e657721;

struct alignas(std::max_align_t) Header {
  uint64_t mark;
  uint64_t bytes;
};

Header* HeaderOf(void* memory) { return static_cast<Header*>(memory) - 1; }

void* Allocate(size_t bytes) noexcept {
  auto* const header = static_cast<Header*>(std::malloc(sizeof(Header) + bytes));
  if (header == nullptr) return nullptr;
  *header = {kMark, bytes};
  return header + 1;
}

void* AllocateOrThrow(size_t bytes) {
  void* const memory = Allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) noexcept {
  if (memory == nullptr) return;
  Header* const header = HeaderOf(memory);
  if (header->mark != kMark) std::abort();
  header->mark = 0;
  std::free(header);
}

// Reads what AddressSanitizer keeps from other functions: the bytes before a block of malloc.
__attribute__((no_sanitize("address"))) bool IsOwn(void* memory) {
  return memory != nullptr && *(volatile uint64_t*)&HeaderOf(memory)->mark == kMark;
}

bool IsInRocksDB(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && std::strstr(info.dli_fname, "librocksdb") != nullptr;
}

}  // namespace

void* operator new(size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new[](size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { Free(memory); }

// This one comes before that of the allocator for the whole process.
extern "C" size_t malloc_usable_size(void* memory) noexcept {
  if (IsOwn(memory)) {
    if (IsInRocksDB(__builtin_return_address(0))) return HeaderOf(memory)->bytes;
    std::fputs("malloc_usable_size is asked about a block of the program's operator new\n", stderr);
    std::abort();
  }
  static const auto real =
      reinterpret_cast<size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return real(memory);
}
