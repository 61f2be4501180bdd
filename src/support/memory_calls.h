// System calls on memory that the standard library lacks. Thread-safe.
#ifndef BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
#define BLOOMLINE_SUPPORT_MEMORY_CALLS_H_

#include <cstddef>

namespace bloomline::support {

// Returns memory at a multiple of `alignment`, a power of two that divides `bytes`. It is not
// initialised. Null if memory is missing; FreeAligned takes null, too.
void* AllocateAligned(size_t alignment, size_t bytes);
void FreeAligned(void* memory);

// Maps the first `bytes` bytes of an open file, read-only. Null on failure, with errno. The file
// may be closed. UnmapFile takes the same number.
void* MapFile(int descriptor, size_t bytes);
void UnmapFile(void* memory, size_t bytes);

// A huge page of x86-64 and of most ARM systems.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// Returns `bytes` bytes, or null if memory is missing. Less than kHugePageBytes come from the heap
// and are not initialised. Larger blocks are mapped, zeroed, begin on a boundary of huge pages, and
// are in huge pages where the system gives these on demand: page faults cost 0.6 ns then for each 8
// bytes that are new to the process, and 2.4 ns otherwise (docs/design.md).
//
// FreePages takes the same number and gives all back to the system. malloc is not used: aligned
// blocks of this size fragment its heap.
void* AllocatePages(size_t bytes);
void FreePages(void* memory, size_t bytes);

// Gives the pages of a block of AllocatePages back to the system: they are zero when they are next
// touched. Returns false, and leaves the bytes alone, if the system does not promise this.
bool DropContent(void* memory, size_t bytes);

// Returns how many bytes the heap has set aside for a block of malloc or new; 0 if it does not
// tell.
size_t UsableBytesOf(void* memory);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
