// 64-bit words of bits that many threads set at once, by relaxed atomic operations.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_WORDS_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_WORDS_H_

#include <cstdint>

#include "src/filter/cpu/always_inline.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {

constexpr uint32_t kWordBits = 64;
constexpr uint32_t kWordsPerBlock = static_cast<uint32_t>(kBlockBits) / kWordBits;
static_assert(kWordsPerBlock == 8, "OrAtomicWords has a bit of a byte for each word");
static_assert(__atomic_always_lock_free(sizeof(uint64_t), nullptr),
              "an atomic operation with a lock would not exclude the vector loads of a block");

// Words begin at multiples of 8. A uint64_t need not on i386, where Clang would call a function.
using AtomicWord __attribute__((aligned(8))) = uint64_t;

inline uint64_t LoadAtomic(const uint64_t* word) {
  return __atomic_load_n(static_cast<const AtomicWord*>(word), __ATOMIC_RELAXED);
}

// Takes 20 clock cycles and waits for the one before. Does not return the old value: for that it
// would have to be a loop.
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

// Sets the masks' bits in the words of a block that lack any, given as bits 0 to 7 of `lacking`.
// The other words are not written. So threads that add keys which are present already do not take
// the cache line from each other.
inline void OrAtomicWords(uint64_t* block, const uint64_t* masks, uint32_t lacking) {
  for (; lacking != 0; lacking &= lacking - 1) {
    const int word = __builtin_ctz(lacking);
    OrAtomic(block + word, masks[word]);
  }
}

// AtomicKernel::count_blocks. Inlined, so that it is compiled for the kernel's POPCNT.
BLOOMLINE_ALWAYS_INLINE void CountBlocksByFill(const char* data, uint64_t num_blocks,
                                               uint64_t* blocks_with) {
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  for (uint64_t block = 0; block < num_blocks; ++block) {
    int count = 0;
    for (uint64_t i = 0; i < kWordsPerBlock; ++i) {
      count += __builtin_popcountll(LoadAtomic(words + block * kWordsPerBlock + i));
    }
    ++blocks_with[count];
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_WORDS_H_
