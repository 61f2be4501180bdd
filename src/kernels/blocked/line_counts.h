// How full lines are.
#ifndef BLOOMLINE_KERNELS_BLOCKED_LINE_COUNTS_H_
#define BLOOMLINE_KERNELS_BLOCKED_LINE_COUNTS_H_

#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/blocked/shared_words.h"
#include "src/kernels/kernel.h"

namespace bloomline::kernels {

// Kernel::count_lines.
BLOOMLINE_ALWAYS_INLINE void CountLinesByFill(const char* data, uint64_t num_lines,
                                              uint64_t* lines_with) {
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  for (uint64_t line = 0; line < num_lines; ++line) {
    int count = 0;
    for (uint64_t i = 0; i < kWordsPerLine; ++i) {
      count += __builtin_popcountll(LoadShared(words + line * kWordsPerLine + i));
    }
    ++lines_with[count];
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_BLOCKED_LINE_COUNTS_H_
