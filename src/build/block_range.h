// The hashes of a range of lines are a range of numbers, because a line is the upper part of hash
// times number of lines.
#ifndef BLOOMLINE_BUILD_BLOCK_RANGE_H_
#define BLOOMLINE_BUILD_BLOCK_RANGE_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/uint128.h"

namespace bloomline::core {

// The lowest hash of a line; 0 <= line < num_lines.
inline uint64_t FirstHashOfLine(uint64_t line, uint64_t num_lines) {
  return static_cast<uint64_t>(((kernels::Uint128{line} << 64) + num_lines - 1) / num_lines);
}

struct HashRange {
  uint64_t first;
  uint64_t last;
};

// Those of lines first_line .. first_line + count - 1; count > 0.
inline HashRange HashesOfLines(uint64_t first_line, uint64_t count, uint64_t num_lines) {
  const uint64_t end_line = first_line + count;
  return {FirstHashOfLine(first_line, num_lines),
          end_line == num_lines ? UINT64_MAX : FirstHashOfLine(end_line, num_lines) - 1};
}

// Writes those of n hashes that are in the range to `dst`, which has room for all, and returns how
// many. Written always and kept only if it belongs there: no branch to mispredict.
inline size_t CopyInRange(HashRange range, const uint64_t* hashes, size_t n, uint64_t* dst) {
  const uint64_t first = range.first;
  const uint64_t span = range.last - range.first;
  size_t size = 0;
  for (size_t i = 0; i < n; ++i) {
    dst[size] = hashes[i];
    size += hashes[i] - first <= span ? 1 : 0;
  }
  return size;
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_BLOCK_RANGE_H_
