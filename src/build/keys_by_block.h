// Hashes ordered by the line they belong to.
#ifndef BLOOMLINE_BUILD_KEYS_BY_BLOCK_H_
#define BLOOMLINE_BUILD_KEYS_BY_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The keys of lines first_line .. first_line + count - 1 out of num_lines, in the order of lines.
class LineGroups {
 public:
  // Throws bad_alloc.
  LineGroups(uint64_t num_lines, uint64_t first_line, size_t count)
      : num_lines_(num_lines), first_line_(first_line), ends_(count) {}

  // Orders n hashes, all of the lines of this group, into `ordered`.
  void Order(const uint64_t* hashes, size_t n, uint64_t* ordered) {
    std::fill(ends_.begin(), ends_.end(), 0);
    for (size_t i = 0; i < n; ++i) ++ends_[IndexOf(hashes[i])];
    size_t start = 0;
    for (size_t& end : ends_) {
      const size_t count = end;
      end = start;
      start += count;
    }
    for (size_t i = 0; i < n; ++i) ordered[ends_[IndexOf(hashes[i])]++] = hashes[i];
  }

  // f(index in the range, hashes, how many) for each line of what Order made.
  template <typename F>
  void ForEachLine(uint64_t* ordered, F f) const {
    size_t start = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      f(i, ordered + start, ends_[i] - start);
      start = ends_[i];
    }
  }

 private:
  size_t IndexOf(uint64_t hash) const {
    return static_cast<size_t>(kernels::BlockIndex(hash, num_lines_) - first_line_);
  }

  const uint64_t num_lines_;
  const uint64_t first_line_;
  std::vector<size_t> ends_;  // of each line's keys
};

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_KEYS_BY_BLOCK_H_
