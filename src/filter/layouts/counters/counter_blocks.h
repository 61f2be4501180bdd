// Counters in their block, of 4 or 8 bits each, and which of them a hash has.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_BLOCKS_H_
#define BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_BLOCKS_H_

#include <cstdint>

#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/counters/counter_kernel.h"

namespace bloomline::kernels {

template <int kBits>
struct Counters {
  static_assert(kBits == 4 || kBits == 8);
  static constexpr uint32_t kPerBlock = kBlockBits / kBits;
  static constexpr uint32_t kPerByte = 8 / kBits;
  static constexpr uint32_t kMax = (1u << kBits) - 1;  // saturated
  static_assert(kPerBlock * kBits == kBlockBits && kPerByte * kBits == 8);

  // Where a probe's counter begins in its block, as a bit number.
  static uint32_t Bit(uint32_t probe) { return BlockedBit(probe) & ~(uint32_t{kBits} - 1); }

  static uint32_t Index(uint32_t probe) { return SmallBlockBit<kPerBlock>(probe); }

  static uint32_t Get(const unsigned char* block, uint32_t i) {
    return static_cast<uint32_t>(block[i / kPerByte]) >> (i % kPerByte * kBits) & kMax;
  }
};

// F<counter_bits>::Run<num_probes>(blocks, args...).
template <template <int> class F, typename... Args>
inline void RunOnCounters(const CounterBlocks& blocks, const Args&... args) {
  if (blocks.counter_bits == 4) {
    RunUnrolled<F<4>>(blocks.num_probes, blocks, args...);
  } else {
    RunUnrolled<F<8>>(blocks.num_probes, blocks, args...);
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COUNTERS_COUNTER_BLOCKS_H_
