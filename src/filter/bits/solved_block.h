// Common to solved blocks of every layout (docs/format.md, section 3.4): a key's fingerprint and
// selector, how its hash gives coefficients, and sums of equations.
#ifndef BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_
#define BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"
#include "src/filter/bits/bytes.h"

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

// Column i must give bit i. The block's index uses the hash's upper bits, so these bits are free.
inline uint32_t Fingerprint(uint64_t hash) { return static_cast<uint32_t>(hash) & 0xFFFFFF; }

// Keys use the partial column if their selector is below its threshold.
constexpr unsigned kSelectorShift = 24;
inline uint32_t Selector(uint64_t hash) { return static_cast<uint32_t>(hash) >> kSelectorShift; }

// Sums of equations over GF(2), each of two words.
template <size_t kMaxEquations>
class EquationSpan {
 public:
  // Returns false if the equation is a sum of those added before, or 0. At most kMaxEquations are
  // added.
  BLOOMLINE_ALWAYS_INLINE bool Add(uint64_t first, uint64_t second) {
    for (size_t i = 0; i < size_; ++i) {
      // Later terms do not have a term's lowest bit, so it stays clear.
      const Term& term = terms_[i];
      const bool has_lowest = ((first & term.lowest_first) | (second & term.lowest_second)) != 0;
      const uint64_t hit = ~uint64_t{has_lowest} + 1;
      first ^= term.first & hit;
      second ^= term.second & hit;
    }
    if ((first | second) == 0) return false;
    const uint64_t lowest_first = first & (~first + 1);
    const uint64_t lowest_second = first != 0 ? 0 : second & (~second + 1);
    terms_[size_++] = {first, second, lowest_first, lowest_second};
    return true;
  }

 private:
  struct Term {
    uint64_t first, second;
    uint64_t lowest_first, lowest_second;  // one of them is 0
  };
  size_t size_ = 0;
  Term terms_[kMaxEquations];
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_SOLVED_BLOCK_H_
