// The system's calls on memory that the standard library has not, or not everywhere. Thread-safe.
#ifndef BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
#define BLOOMLINE_SUPPORT_MEMORY_CALLS_H_

#include <cstddef>

namespace bloomline::support {

// Memory that begins on a boundary of `alignment` bytes, a power of two, of which `bytes` is a
// multiple. Not initialised; null if there is none. FreeAligned takes null, too.
void* AllocateAligned(size_t alignment, size_t bytes);
void FreeAligned(void* memory);

// The first `bytes` bytes of an open file, read-only. Null on failure, with errno. The file may be
// closed. UnmapFile takes the same number.
void* MapFile(int descriptor, size_t bytes);
void UnmapFile(void* memory, size_t bytes);

// A huge page of x86-64 and of most ARM systems.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// `bytes` bytes, or null if there is no memory. Less than kHugePageBytes come from the heap and are
// not initialised. Larger blocks are mapped, zeroed, begin on a boundary of huge pages, and are in
// huge pages where the system gives these on demand: page faults cost 0.6 ns then for each 8 bytes
// that are new to the process, and 2.4 ns otherwise (docs/design.md).
//
// FreePages takes the same number and gives all back to the system. malloc is not used: aligned
// blocks of this size leave its heap in pieces.
void* AllocatePages(size_t bytes);
void FreePages(void* memory, size_t bytes);

// Gives the pages of a block of AllocatePages back to the system: they are zero when they are next
// touched. False if the system does not promise this; then the bytes are as they were.
bool DropContent(void* memory, size_t bytes);

// What the heap has set aside for a block of malloc or new, in bytes; 0 if it does not tell.
size_t UsableBytesOf(void* memory);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
