// System calls on memory that the standard library lacks. Thread-safe.
#ifndef BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
#define BLOOMLINE_SUPPORT_MEMORY_CALLS_H_

#include <cstddef>

namespace bloomline::support {

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

// What the heap has set aside for a block of malloc or new, in bytes; 0 if it does not tell.
size_t UsableBytes(void* memory);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_MEMORY_CALLS_H_
