// Lines of counters, 4 or 8 bits each: what a hash does to its line, and what is done to all.
#ifndef BLOOMLINE_FILTERS_COUNTER_LINES_H_
#define BLOOMLINE_FILTERS_COUNTER_LINES_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/probe_sequence.h"

namespace bloomline::filters {

// num_lines >= 1 lines of 64 bytes, counter_bits 4 or 8, num_probes in 1..30. Does not own them.
// Counter i is byte i, or with 4 bits the lower (i even) or upper half of byte i / 2.
struct CounterLines {
  unsigned char* data = nullptr;
  uint64_t num_lines = 0;
  int counter_bits = 4;
  int num_probes = 1;

  uint64_t num_bytes() const { return num_lines * kernels::kLineBytes; }
};

inline uint32_t MaxCount(int counter_bits) { return (1u << counter_bits) - 1; }
inline int CountersPerLine(int counter_bits) {
  return static_cast<int>(kernels::kLineBits) / counter_bits;
}

inline void RequestLine(const CounterLines& lines, uint64_t hash) {
  __builtin_prefetch(lines.data + kernels::BlockedLine(hash, lines.num_lines) * kernels::kLineBytes,
                     1);
}

// may_contain[i]: no counter of hash i is zero.
void AskCounters(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* may_contain);

// Raises the counters of n hashes. was_absent[i]: one of them was zero. Returns how many became
// saturated.
uint64_t AddToCounters(const CounterLines& lines, size_t n, const uint64_t* hashes,
                       bool* was_absent);

// Lowers the counters of each hash none of whose counters is zero: removed[i].
void RemoveFromCounters(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* removed);

// The least counter of a hash.
uint32_t LeastCount(const CounterLines& lines, uint64_t hash);

// Adds the counters of `from`, which has as many bytes and bits, to those of `to`.
void MergeCounters(const CounterLines& from, const CounterLines& to);

uint64_t CountSaturated(const CounterLines& lines);

// Bit i of `bits` is set if counter i is not zero. `bits` has num_bytes / counter_bits bytes;
// num_lines is a multiple of counter_bits.
void CountersToBits(const CounterLines& lines, char* bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_COUNTER_LINES_H_
