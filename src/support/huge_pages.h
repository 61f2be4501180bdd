// Large blocks of memory in huge pages, which go back to the system at once when they are freed.
#ifndef BLOOMLINE_SUPPORT_HUGE_PAGES_H_
#define BLOOMLINE_SUPPORT_HUGE_PAGES_H_

#include <cstddef>

namespace bloomline::support {

// A huge page of x86-64 and of most ARM systems.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// `bytes` bytes, or null if there is no memory. Less than kHugePageBytes come from the heap and are
// not initialised. Larger blocks are mapped, zeroed, begin on a boundary of huge pages, and are in
// huge pages where the system gives these on demand: page faults cost 0.6 ns then for each 8 bytes
// that are new to the process, and 2.4 ns otherwise (docs/design.md). Windows gives none on demand:
// there, a block begins on a boundary of 64 KiB.
//
// FreePages takes the same number and gives all back to the system. malloc is not used: aligned
// blocks of this size leave its heap in pieces.
void* AllocatePages(size_t bytes);
void FreePages(void* memory, size_t bytes);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_HUGE_PAGES_H_
