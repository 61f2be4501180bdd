// Sums of equations over GF(2), each of two words.
#ifndef BLOOMLINE_FILTER_BITS_EQUATION_SPAN_H_
#define BLOOMLINE_FILTER_BITS_EQUATION_SPAN_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/always_inline.h"

namespace bloomline::kernels {

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

#endif  // BLOOMLINE_FILTER_BITS_EQUATION_SPAN_H_
