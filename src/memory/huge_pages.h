// Memory for much that is written once and soon given back.
#ifndef BLOOMLINE_MEMORY_HUGE_PAGES_H_
#define BLOOMLINE_MEMORY_HUGE_PAGES_H_

#include <cstddef>

namespace bloomline::memory {

// A huge page of x86-64 and of most ARM systems.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// `bytes` bytes. Less than kHugePageBytes come from the heap and are not initialised; from there on
// they are mapped, zero, on a boundary of huge pages and in these where the system gives them on
// demand: page faults cost 2.4 ns for each 8 bytes that are new to the process, and 0.6 so
// (docs/design.md). Null when out of memory. FreePages takes the same number and gives all back to
// the system; not by way of malloc, whose heap aligned blocks of this size leave in pieces.
void* AllocatePages(size_t bytes);
void FreePages(void* memory, size_t bytes);

}  // namespace bloomline::memory

#endif  // BLOOMLINE_MEMORY_HUGE_PAGES_H_
