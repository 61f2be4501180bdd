// Lines of counters, of 4 or 8 bits each, and which of them a hash has.
#ifndef BLOOMLINE_KERNELS_COUNTERS_COUNTER_LINES_H_
#define BLOOMLINE_KERNELS_COUNTERS_COUNTER_LINES_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/probe_sequence.h"
#include "src/kernels/unrolled.h"

namespace bloomline::kernels {

// num_lines >= 1 lines of 64 bytes, counter_bits 4 or 8, num_probes in 1..30. Counter i is byte i,
// or with 4 bits the lower (i even) or upper half of byte i / 2; so in little-endian words it
// begins at bit i * counter_bits.
struct CounterLines {
  unsigned char* data = nullptr;
  uint64_t num_lines = 0;
  int counter_bits = 4;
  int num_probes = 1;

  uint64_t num_bytes() const { return num_lines * kLineBytes; }
  unsigned char* Line(uint64_t hash) const {
    return data + BlockedLine(hash, num_lines) * kLineBytes;
  }
};

// A kernel's functions on n hashes, one after the other. They request nothing ahead.
struct CounterKernel {
  // may_match[i]: none of the hash's counters is zero.
  void (*ask_many)(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* may_match);
  // Raises the hash's counters by one, each once, but no saturated one. was_absent[i]: one of them
  // was zero. Adds how many became saturated to *num_saturated.
  void (*add_many)(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* was_absent,
                   uint64_t* num_saturated);
  // removed[i]: none of the hash's counters is zero. Then, and only then, lowers them by one, each
  // once, but no saturated one.
  void (*remove_many)(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* removed);
};

template <int kBits>
struct Counters {
  static_assert(kBits == 4 || kBits == 8);
  static constexpr uint32_t kPerLine = kLineBits / kBits;
  static constexpr uint32_t kPerByte = 8 / kBits;
  static constexpr uint32_t kMax = (1u << kBits) - 1;  // saturated

  // Where a probe's counter begins in its line, as a bit number.
  static uint32_t Bit(uint32_t probe) { return BlockedBit(probe) & ~(uint32_t{kBits} - 1); }

  static uint32_t Index(uint32_t probe) { return SmallBlockBit<kPerLine>(probe); }

  static uint32_t Get(const unsigned char* line, uint32_t i) {
    return static_cast<uint32_t>(line[i / kPerByte]) >> (i % kPerByte * kBits) & kMax;
  }
};

// F<counter_bits>::Run<num_probes>(lines, args...).
template <template <int> class F, typename... Args>
inline void RunOnCounters(const CounterLines& lines, const Args&... args) {
  if (lines.counter_bits == 4) {
    RunUnrolled<F<4>>(lines.num_probes, lines, args...);
  } else {
    RunUnrolled<F<8>>(lines.num_probes, lines, args...);
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COUNTERS_COUNTER_LINES_H_
