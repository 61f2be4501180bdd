// A kernel answers queries and sets bits with one instruction set. Every kernel gives the bits and
// answers of the portable one, which is the specification; only speed differs.
#ifndef BLOOMLINE_KERNELS_KERNEL_H_
#define BLOOMLINE_KERNELS_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace bloomline::kernels {

// A blocked payload: num_lines >= 1 lines of 64 bytes at any alignment, num_probes in 1..30.
struct BlockedLines {
  const char* data;
  uint64_t num_lines;
  int num_probes;
};

// A flat payload: bytes of any alignment, 1 <= num_bits < 2^32 a multiple of 8, num_probes in
// 1..30.
struct FlatBits {
  const char* data;
  uint32_t num_bits;
  int num_probes;
};

struct CompactKernel;  // compact_kernel.h
struct CounterKernel;  // counter_lines.h

// No function reads or writes a byte outside the payload. may_match functions never write it;
// insert functions do, through `data`, which must then point to writable memory.
struct Kernel {
  const char* name;
  const char* description;
  const char*
      extensions;  // what the CPU must have beyond its architecture's basics; commas between
  bool (*supported)();

  bool (*blocked_may_match)(const BlockedLines& filter, uint64_t hash);
  // The same function for filters with so many probes alone, which need not look what they have:
  // up to 7 % faster, for who keeps the pointer.
  bool (*(*blocked_may_match_with)(int num_probes))(const BlockedLines& filter, uint64_t hash);
  // Requests nothing ahead: whoever computes the hashes calls PrefetchLine (lines.h) as it goes.
  void (*blocked_may_match_many)(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                                 bool* may_match);
  void (*blocked_insert_many)(const BlockedLines& filter, size_t n, const uint64_t* hashes);
  // Inserts one after the other and says which keys changed a bit. Requests nothing ahead.
  void (*blocked_add_many)(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                           bool* changed);

  // blocked_may_match_many, blocked_add_many, and the number of lines by their ones (1 is added to
  // lines_with[ones] for each line; 513 counters), all while other threads set bits of the same
  // lines: words of 64 bits are read and set by relaxed atomic operations. Here `data` is on a
  // 64-byte boundary.
  void (*shared_may_match_many)(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                                bool* may_match);
  void (*shared_add_many)(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                          bool* changed);
  void (*shared_count_lines)(const char* data, uint64_t num_lines, uint64_t* lines_with);

  bool (*flat_may_match)(const FlatBits& filter, uint64_t hash);
  void (*flat_insert_many)(const FlatBits& filter, size_t n, const uint64_t* hashes);

  const CompactKernel* compact;
  const CounterKernel* counters;
};

// The one table: every kernel compiled into this binary, slowest first; the portable one is the
// first.
struct KernelTable {
  const Kernel* const* kernels;
  size_t size;
};
KernelTable AllKernels();

// What filters opened or built from now on use; see bloomline/cpu.h. Cost: one atomic load.
const Kernel& ActiveKernel();

// See bloomline::ForceKernel.
bool SetActiveKernel(const std::string& name, std::string* error);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_KERNEL_H_
