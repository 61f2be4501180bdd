// NEON: blocked filters, eight probes of a block at a time, 16 bits each: only the upper halves of
// the 32-bit probes are used. A block's 64 bytes are a look-up table.
#include "src/filter/cpu/instruction_sets.h"

#if defined(BLOOMLINE_HAS_NEON)

#include <arm_neon.h>

#include <cstdint>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/layouts/blocked/blocked.h"

namespace bloomline::kernels {
namespace {

constexpr int kProbesPerStep = 8;

static_assert(sizeof(uint8x16x4_t) == kBlockBytes);

inline uint8x16x4_t LoadBlock(const char* block) {
  return vld1q_u8_x4(reinterpret_cast<const uint8_t*>(block));
}

// Ones in the first n lanes; n may exceed their number.
BLOOMLINE_ALWAYS_INLINE uint16x8_t OnesInFirstLanes(int n) {
  alignas(32) static constexpr uint16_t kOnesThenZeros[2 * kProbesPerStep] = {1, 1, 1, 1,
                                                                              1, 1, 1, 1};
  return n >= kProbesPerStep ? vdupq_n_u16(1) : vld1q_u16(kOnesThenZeros + kProbesPerStep - n);
}

// A ProbePair in each lane.
struct ProbePairs {
  uint32x4_t a;
  uint32x4_t b;
};

BLOOMLINE_ALWAYS_INLINE ProbePairs BlockedPairs(uint64_t hash) {
  const uint32x4_t a = vdupq_n_u32(static_cast<uint32_t>(hash));
  return {a, vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(a)))};
}

BLOOMLINE_ALWAYS_INLINE uint32x4_t FourProbes(ProbePairs pairs, int first) {
  return vmlaq_u32(pairs.a, vld1q_u32(kProbeMultipliers + first), pairs.b);
}

BLOOMLINE_ALWAYS_INLINE uint16x8_t EightProbes(ProbePairs pairs, int first) {
  return vuzp2q_u16(vreinterpretq_u16_u32(FourProbes(pairs, first)),
                    vreinterpretq_u16_u32(FourProbes(pairs, first + 4)));
}

// The bit in its block, and the number of that bit's byte, from the upper halves of probes.
BLOOMLINE_ALWAYS_INLINE uint16x8_t BlockedBits(uint16x8_t tops) { return vshrq_n_u16(tops, 7); }
BLOOMLINE_ALWAYS_INLINE uint16x8_t BlockedBytes(uint16x8_t tops) { return vshrq_n_u16(tops, 10); }

// Bytes of a table, in the lower halves of lanes. The upper halves mean nothing.
BLOOMLINE_ALWAYS_INLINE uint16x8_t LookUp(uint8x16x4_t table, uint16x8_t bytes) {
  return vreinterpretq_u16_u8(vqtbl4q_u8(table, vreinterpretq_u8_u16(bytes)));
}

// `ones` shifted to each bit's place in its byte. A shift takes its count from the lower half of a
// lane.
BLOOMLINE_ALWAYS_INLINE uint16x8_t ByteMasks(uint16x8_t bits, uint16x8_t ones) {
  return vshlq_u16(ones, vreinterpretq_s16_u16(vbicq_u16(bits, vdupq_n_u16(0xF8))));
}

// The masks of the probes whose bit the block lacks. 0 where `ones` is 0.
BLOOMLINE_ALWAYS_INLINE uint16x8_t MissingBits(uint8x16x4_t block, uint16x8_t tops,
                                               uint16x8_t ones) {
  return vbicq_u16(ByteMasks(BlockedBits(tops), ones), LookUp(block, BlockedBytes(tops)));
}

// The lower halves of eight lanes.
BLOOMLINE_ALWAYS_INLINE uint64_t LowerBytes(uint16x8_t lanes) {
  return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(lanes)), 0);
}

BLOOMLINE_ALWAYS_INLINE bool BlockMayMatch(uint8x16x4_t block, int num_probes, uint64_t hash) {
  const ProbePairs pairs = BlockedPairs(hash);
  uint16x8_t missing = MissingBits(block, EightProbes(pairs, 0), OnesInFirstLanes(num_probes));
  for (int first = kProbesPerStep; first < num_probes; first += kProbesPerStep) {
    missing = vorrq_u16(missing, MissingBits(block, EightProbes(pairs, first),
                                             OnesInFirstLanes(num_probes - first)));
  }
  return LowerBytes(missing) == 0;
}

struct QueryOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockFor(filter, hash)), K == 0 ? filter.num_probes : K, hash);
  }
};

// Which bits of which bytes of its block a key sets.
template <int kCapacity>
struct KeyBits {
  static_assert(kCapacity % kProbesPerStep == 0);
  uint16_t bytes[kCapacity];
  uint16_t masks[kCapacity];

  BLOOMLINE_ALWAYS_INLINE explicit KeyBits(uint64_t hash) {
    const ProbePairs pairs = BlockedPairs(hash);
    for (int first = 0; first < kCapacity; first += kProbesPerStep) {
      const uint16x8_t tops = EightProbes(pairs, first);
      vst1q_u16(bytes + first, BlockedBytes(tops));
      vst1q_u16(masks + first, ByteMasks(BlockedBits(tops), vdupq_n_u16(1)));
    }
  }

  BLOOMLINE_ALWAYS_INLINE void Set(int num_probes, char* block) {
    // Otherwise GCC 12 takes the numbers out of the registers one by one, which takes longer, and
    // adds the block's offset to each.
    __asm__("" : "+m"(bytes), "+m"(masks), "+r"(block));
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      block[bytes[j]] = static_cast<char>(block[bytes[j]] | static_cast<char>(masks[j]));
    }
  }
};

struct Insert {
  template <int K>
  static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes) {
    const PayloadView filter = caller_filter;  // the payload's bytes could alias the caller's
    for (size_t i = 0; i < n; ++i) {
      if (i + kInsertAhead < n) PrefetchForWrite(BlockFor(filter, hashes[i + kInsertAhead]));
      KeyBits<WholeRegistersOfProbes(K)> key(hashes[i]);
      key.Set(K == 0 ? filter.num_probes : K, WritableBlockFor(filter, hashes[i]));
    }
  }
};

struct AddOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    char* block = WritableBlockFor(filter, hash);
    const bool changed = !BlockMayMatch(LoadBlock(block), num_probes, hash);
    if (changed) KeyBits<WholeRegistersOfProbes(K)>(hash).Set(num_probes, block);
    return changed;
  }
};

}  // namespace

BlockedKernel NeonBlocked() { return OneByOneKernel<QueryOne, Insert, AddOne>(); }

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
