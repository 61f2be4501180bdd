// NEON: eight probes of a block at a time, 16 bits each: the upper halves of the 32-bit probes have
// all that is used.
#ifndef BLOOMLINE_FILTER_CPU_NEON_PROBES_H_
#define BLOOMLINE_FILTER_CPU_NEON_PROBES_H_

#include <arm_neon.h>

#include <cstdint>

#include "src/filter/cpu/always_inline.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::kernels {

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
BLOOMLINE_ALWAYS_INLINE uint16x8_t MasksOf(uint16x8_t bits, uint16x8_t ones) {
  return vshlq_u16(ones, vreinterpretq_s16_u16(vbicq_u16(bits, vdupq_n_u16(0xF8))));
}

// The masks whose bit the table lacks. 0 where `ones` is 0.
BLOOMLINE_ALWAYS_INLINE uint16x8_t MissingBits(uint8x16x4_t table, uint16x8_t bytes,
                                               uint16x8_t bits, uint16x8_t ones) {
  return vbicq_u16(MasksOf(bits, ones), LookUp(table, bytes));
}

// The lower halves of eight lanes.
BLOOMLINE_ALWAYS_INLINE uint64_t LowerBytes(uint16x8_t lanes) {
  return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(lanes)), 0);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_NEON_PROBES_H_
