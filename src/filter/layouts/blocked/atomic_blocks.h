// Blocked Bloom filters that several threads query and change at the same time: 64-bit words of
// bits that are read and set by relaxed atomic operations.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_BLOCKS_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::kernels {

constexpr uint32_t kWordBits = 64;
constexpr uint32_t kWordsPerBlock = static_cast<uint32_t>(kBlockBits) / kWordBits;
static_assert(__atomic_always_lock_free(sizeof(uint64_t), nullptr),
              "an atomic operation with a lock would be slow");

// Words begin at multiples of 8. On i386 a uint64_t need not, and Clang would call a function.
using AtomicWord __attribute__((aligned(8))) = uint64_t;

inline uint64_t LoadAtomic(const uint64_t* word) {
  return __atomic_load_n(static_cast<const AtomicWord*>(word), __ATOMIC_RELAXED);
}

// Takes 20 clock cycles and waits for the one before. It does not return the old value: that would
// take a loop.
inline void OrAtomic(uint64_t* word, uint64_t mask) {
  __atomic_fetch_or(static_cast<AtomicWord*>(word), mask, __ATOMIC_RELAXED);
}

// Bit number `bit` of a payload in its word, as an integer access to the word's bytes sees it.
inline uint64_t WordMask(uint64_t bit) {
  const uint64_t mask = uint64_t{1} << (bit % kWordBits);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(mask);
#else
  return mask;
#endif
}

// Like the functions of the same names in BlockedKernel. `data` is on a 64-byte boundary.
void AtomicMayMatchMany(const PayloadView& filter, size_t n, const uint64_t* hashes,
                        bool* may_match);
void AtomicAddMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* changed);

// Adds 1 to blocks_with[ones] for each block, where `ones` is its number of ones: 513 counters.
void CountBlocksByFill(const char* data, uint64_t num_blocks, uint64_t* blocks_with);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_BLOCKS_H_
