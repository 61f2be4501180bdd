#include "src/support/block_reserve.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace bloomline::support {
namespace {

// A reserved block and, in the bits that its alignment leaves, the second in which it came. 0:
// none.
using Slot = std::atomic<uint64_t>;
constexpr uint64_t kTimeMask = kBlockBytes - 1;  // 24 days
static_assert((kBlockBytes & kTimeMask) == 0);

// Constant-initialised and trivially destroyed: builders may run before main and after it.
constexpr size_t kSlots = kMostReservedBytes / kBlockBytes;
Slot slots[kSlots];
std::atomic<size_t> num_reserved{0};  // or a little more, while a block comes or goes
std::atomic<size_t> max_reserved{kDefaultMaxReservedBytes / kBlockBytes};
// How many blocks were missed, so that it is worth to keep as many.
std::atomic<size_t> num_wanted{0};
constexpr uint64_t kNever = UINT64_MAX;
std::atomic<uint64_t> last_free{kNever};
std::atomic<uint64_t> seconds_ahead{0};

uint64_t Now() {
  using std::chrono::seconds;
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  const auto whole = std::chrono::duration_cast<seconds>(since_boot).count();
  return static_cast<uint64_t>(whole) + seconds_ahead.load(std::memory_order_relaxed);
}

void Unmap(void* block) { munmap(block, kBlockBytes); }

// Empties a slot that has `content`. False if another thread was faster.
bool Empty(Slot* slot, uint64_t content) {
  if (!slot->compare_exchange_strong(content, 0, std::memory_order_acquire)) return false;
  num_reserved.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void* BlockIn(uint64_t content) { return reinterpret_cast<void*>(content & ~kTimeMask); }

// Unmaps the blocks in slots from `first` on that came at least `min_age` seconds ago.
size_t Release(size_t first, uint64_t min_age) {
  size_t released = 0, kept = 0;
  const uint64_t now = min_age == 0 ? 0 : Now();
  for (size_t i = first; i < kSlots && kept < num_reserved.load(); ++i) {
    const uint64_t content = slots[i].load();
    if (content == 0) continue;
    const uint64_t age = (now - (content & kTimeMask)) & kTimeMask;
    if (age < min_age || !Empty(&slots[i], content)) {
      ++kept;
      continue;
    }
    Unmap(BlockIn(content));
    ++released;
  }
  return released;
}

// A block that is not needed for a while need not be kept when it comes back.
void WantFewer(size_t count) {
  size_t wanted = num_wanted.load(std::memory_order_relaxed);
  while (!num_wanted.compare_exchange_weak(wanted, wanted - std::min(wanted, count),
                                           std::memory_order_relaxed)) {
  }
}

// Offers the pages to the system. False where it does not know that.
bool Offer([[maybe_unused]] void* block) {
#ifdef MADV_FREE
  return madvise(block, kBlockBytes, MADV_FREE) == 0;
#else
  return false;
#endif
}

bool Keep(void* block) {
  const size_t most = std::min(max_reserved.load(std::memory_order_relaxed),
                               num_wanted.load(std::memory_order_relaxed));
  if (num_reserved.load(std::memory_order_relaxed) >= most || !Offer(block)) return false;
  // Counted first, so that the number is never below that of the blocks.
  num_reserved.fetch_add(1);
  const uint64_t content = reinterpret_cast<uintptr_t>(block) | (Now() & kTimeMask);
  for (size_t i = 0; i < most; ++i) {
    uint64_t empty = 0;
    if (slots[i].load(std::memory_order_relaxed) == 0 &&
        slots[i].compare_exchange_strong(empty, content)) {
      // SetMaxReservedBytes may have looked here before. Either it sees this block, or this thread
      // sees the new maximum.
      return i < max_reserved.load() || !Empty(&slots[i], content);
    }
  }
  num_reserved.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace

void* TakeReservedBlock() {
  if (num_reserved.load(std::memory_order_relaxed) == 0) return nullptr;
  // From the front, where Keep begins, too: what is at the end grows old.
  for (Slot& slot : slots) {
    const uint64_t content = slot.load(std::memory_order_relaxed);
    if (content != 0 && Empty(&slot, content)) return BlockIn(content);
  }
  return nullptr;
}

void* AllocateBlock(bool in_huge_page) {
  if (void* const block = TakeReservedBlock()) return block;
  const uint64_t freed = last_free.load(std::memory_order_relaxed);
  if (freed != kNever && Now() - freed < kIdleSeconds) {
    if (num_wanted.load(std::memory_order_relaxed) < kSlots) {
      num_wanted.fetch_add(1, std::memory_order_relaxed);
    }
    in_huge_page = true;  // it will be kept
  }
  return in_huge_page ? AllocatePages(kBlockBytes) : AllocateSmallPages(kBlockBytes);
}

void FreeBlock(void* block) {
  ReleaseIdle();
  if (!Keep(block)) Unmap(block);
  last_free.store(Now(), std::memory_order_relaxed);
}

void ReleaseIdle() {
  if (num_reserved.load(std::memory_order_relaxed) == 0) return;
  WantFewer(Release(0, kIdleSeconds));
}

size_t ReleaseReserve() {
  num_wanted.store(0, std::memory_order_relaxed);
  return Release(0, 0) * kBlockBytes;
}

size_t ReservedBytes() { return num_reserved.load(std::memory_order_relaxed) * kBlockBytes; }

size_t MaxReservedBytes() { return max_reserved.load(std::memory_order_relaxed) * kBlockBytes; }

void SetMaxReservedBytes(size_t bytes) {
  const size_t most = std::min(bytes / kBlockBytes, kSlots);
  max_reserved.store(most);
  Release(most, 0);
}

void AdvanceReserveClock(unsigned seconds) {
  seconds_ahead.fetch_add(seconds, std::memory_order_relaxed);
}

}  // namespace bloomline::support
