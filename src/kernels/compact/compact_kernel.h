// What a kernel does with compact payloads: packed lines (docs/format.md, section 3.4) and lines of
// lanes (3.5).
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

struct LineKeys;  // compact_line.h

// A compact payload: num_lines >= 1 lines of line_bytes (8 to 64) bytes at any alignment,
// base_slots 1 to 50.
struct CompactLines {
  const char* data;
  uint64_t num_lines;
  uint32_t line_bytes;
  uint32_t base_slots;
};

struct LineKeys;  // compact_line.h

// The rules of struct Kernel hold here, too.
struct CompactKernel {
  bool (*packed_may_match)(const CompactLines& filter, uint64_t hash);
  // Requests nothing ahead, like blocked_may_match_many.
  void (*packed_may_match_many)(const CompactLines& filter, size_t n, const uint64_t* hashes,
                                bool* may_match);
  // Solves a line of line_bytes zeroed bytes for `slots` slots (1 to 112) with the first seed
  // number that works: writes its rows, not the header, and returns the number. -1, and nothing
  // written: none works.
  int (*packed_solve)(const LineKeys& keys, unsigned slots, uint32_t line_bytes, char* line);

  // The same for lines of eight lanes: line_bytes is 64, base_slots 21 to 64.
  bool (*lanes_may_match)(const CompactLines& filter, uint64_t hash);
  void (*lanes_may_match_many)(const CompactLines& filter, size_t n, const uint64_t* hashes,
                               bool* may_match);
  // Writes the line of n hashes, 1 to 112, header included. False, and nothing written: there is no
  // solution.
  bool (*lanes_solve)(const uint64_t* hashes, size_t n, uint32_t base_slots, char* line);
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
