// Memory for much that is written once and soon given back.
#ifndef BLOOMLINE_MEMORY_HUGE_PAGES_H_
#define BLOOMLINE_MEMORY_HUGE_PAGES_H_

#include <cstddef>

namespace bloomline::memory {

// A huge page of x86-64 and of most ARM systems.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// `bytes` bytes from the heap, from kHugePageBytes on in huge pages where the system gives them on
// demand: its page faults cost 2.4 ns for each 8 bytes that are new to the process, and 0.5 so
// (docs/design.md). Null when out of memory. FreePages takes the same number.
void* AllocatePages(size_t bytes);
void FreePages(void* memory, size_t bytes);

// Asks for huge pages under what of a block of memory they fit into, before it is first touched.
void UseHugePages(char* memory, size_t bytes);

}  // namespace bloomline::memory

#endif  // BLOOMLINE_MEMORY_HUGE_PAGES_H_
