// Blocks of memory that builders return and take again, so that a process that builds filters all
// the time does not pay for new pages with each filter.
#ifndef BLOOMLINE_SUPPORT_BLOCK_RESERVE_H_
#define BLOOMLINE_SUPPORT_BLOCK_RESERVE_H_

#include <cstddef>

#include "src/support/huge_pages.h"

namespace bloomline::support {

// A page that is new to the process costs 0.6 ns (in a huge page) to 2.4 ns for each 8 bytes, and
// several times as much where the host of a virtual machine took it back in the meantime. So blocks
// of one size are kept when they are freed.
//
// There is one reserve in a process. All functions are thread-safe and take no lock, and so are
// safe in the child of a fork.
//
// - Only blocks that were missed are kept: those that were mapped within kIdleSeconds after another
//   had been freed. A process that builds one filter keeps nothing.
// - Kept blocks are offered to the system (MADV_FREE): it takes them when memory is short. Until
//   then they count as resident.
// - A block that nobody took for kIdleSeconds is unmapped by the next FreeBlock or ReleaseIdle.
constexpr size_t kBlockBytes = kHugePageBytes;
constexpr unsigned kIdleSeconds = 60;

// 10 million hashes are 39 blocks.
constexpr size_t kDefaultMaxReservedBytes = 40 * kBlockBytes;
constexpr size_t kMostReservedBytes = 512 * kBlockBytes;

// A block of kBlockBytes, aligned to kBlockBytes, with any content; null if there is no memory. A
// new one is in a huge page if `in_huge_page`, or if it was missed and so will be kept. Otherwise
// it is in ordinary pages, of which only the touched ones are resident. Offering ordinary pages to
// the system at each FreeBlock would cost 0.4 ns for each 8 bytes; a huge page costs nothing.
void* AllocateBlock(bool in_huge_page);
// The same, but null if the reserve is empty.
void* TakeReservedBlock();
void FreeBlock(void* block);

// Unmaps what nobody took for kIdleSeconds. Cheap if the reserve is empty.
void ReleaseIdle();
// Unmaps all blocks of the reserve, and returns their bytes.
size_t ReleaseReserve();

// The result of allocate(), which is a pointer, or false if there was no memory. If there was none,
// the reserve is unmapped and allocate() is called again.
template <typename Allocate>
auto AllocateOrRelease(Allocate allocate) -> decltype(allocate()) {
  auto result = allocate();
  while (!result && ReleaseReserve() != 0) result = allocate();
  return result;
}

size_t ReservedBytes();
size_t MaxReservedBytes();
// Unmaps what the reserve has above the limit, which is at most kMostReservedBytes.
void SetMaxReservedBytes(size_t bytes);

// For tests: moves the reserve's clock forward.
void AdvanceReserveClock(unsigned seconds);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_BLOCK_RESERVE_H_
