// Lines of a blocked payload: where they are and how they are requested ahead of use.
#ifndef BLOOMLINE_KERNELS_BLOCKED_LINES_H_
#define BLOOMLINE_KERNELS_BLOCKED_LINES_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::kernels {

// Keys whose lines are requested before the first is probed, so that their cache misses overlap;
// RocksDB's MultiGet never has more at a time.
constexpr size_t kBatchKeys = 32;

// A filter of at most so many bytes is taken to be in the second-level cache, from where the
// processor fetches lines fast enough by itself; requesting them ahead costs 0.3 ns per key
// (docs/design.md).
constexpr uint64_t kCachedBytes = 256 << 10;

// Insertions from the one at hand to the one whose line is requested: covers a miss, stays within
// L1.
constexpr size_t kInsertAhead = 16;

inline const char* Line(const BlockedLines& filter, uint64_t hash) {
  return filter.data + BlockedLine(hash, filter.num_lines) * kLineBytes;
}

// Requests the line of a key, of up to 64 bytes. Where the payload is not on a line boundary, it
// lies in two.
inline void PrefetchLine(const char* data, uint64_t num_lines, uint64_t line_bytes, uint64_t hash) {
  const char* line = data + BlockedLine(hash, num_lines) * line_bytes;
  __builtin_prefetch(line);
  __builtin_prefetch(line + line_bytes - 1);
}

inline void PrefetchForWrite(const char* line) {
  __builtin_prefetch(line, 1);
  __builtin_prefetch(line + kLineBytes - 1, 1);
}

inline void PrefetchLineForWrite(const BlockedLines& filter, uint64_t hash) {
  PrefetchForWrite(Line(filter, hash));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_BLOCKED_LINES_H_
