// Common to solved blocks of every layout (docs/format.md, section 3.4): a key's fingerprint and
// selector, and how its hash gives coefficients.
#ifndef BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_
#define BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_

#include <cstdint>

#include "bloomline/inline_query.h"

namespace bloomline::kernels {

constexpr unsigned kMaxFullColumns = 24;

inline Product MultiplyInRegisters(uint64_t a, uint64_t b) {
#if defined(__x86_64__)
  // GCC 12 sends the halves of an __int128 through the stack, which costs a compact query 1.4 ns of
  // 7.8.
  uint64_t low, high;
  __asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b) : "cc");
  return {low, high};
#else
  return Multiply(a, b);
#endif
}

// The two halves of the product, added without carries.
inline uint64_t MultiplyAndFold(uint64_t a, uint64_t b) {
  const Product product = MultiplyInRegisters(a, b);
  return product.low ^ product.high;
}

// Column i must give bit i. The block takes the upper bits of the hash, so these are free.
inline uint32_t FingerprintOf(uint64_t hash) { return static_cast<uint32_t>(hash) & 0xFFFFFF; }

// Keys use the partial column if their selector is below its threshold.
constexpr unsigned kSelectorShift = 24;
inline uint32_t SelectorOf(uint64_t hash) { return static_cast<uint32_t>(hash) >> kSelectorShift; }

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_
