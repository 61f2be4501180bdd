// Compact blocks with NEON: all fast columns at once. The pool and the solver are the portable
// ones.
#include "src/filter/cpu/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include "src/filter/cpu/neon_probes.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_ALWAYS_INLINE uint8x16_t Bytes(uint64x2_t lanes) { return vreinterpretq_u8_u64(lanes); }

// How many bits of a byte are in the mask.
BLOOMLINE_ALWAYS_INLINE uint8x16_t CountHits(uint8x16_t bytes, uint64x2_t mask) {
  return vcntq_u8(vandq_u8(bytes, Bytes(mask)));
}

// The key's coefficients of a field, in each field of a register.
template <unsigned kBytes>
BLOOMLINE_ALWAYS_INLINE uint64x2_t InEachField(uint64_t field) {
  if constexpr (kBytes == 2) {
    return vreinterpretq_u64_u16(vdupq_n_u16(static_cast<uint16_t>(field)));
  }
  if constexpr (kBytes == 4) {
    return vreinterpretq_u64_u32(vdupq_n_u32(static_cast<uint32_t>(field)));
  }
  return vdupq_n_u64(field);
}

// Lane i: how many of the key's slots are set in fast column i; other lanes: anything. Counts of
// bytes are added in pairs, until a word, or a field, is one lane.
template <unsigned kArrangement>
BLOOMLINE_ALWAYS_INLINE uint8x8_t CountFast(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const auto* bytes = reinterpret_cast<const uint8_t*>(block);
  const uint64x2_t words = vdupq_n_u64(mine.word);
  const uint64x2_t fields = InEachField<kA.field_bytes>(mine.field);
  const uint64x2_t word_and_fields = vzip1q_u64(words, fields);
  if constexpr (kA.block_bytes == 16) {
    return vdup_n_u8(vaddvq_u8(CountHits(vld1q_u8(bytes), word_and_fields)));
  } else if constexpr (kA.block_bytes == 32 && kA.fast_columns == 2) {
    const uint8x16x2_t b = vld1q_u8_x2(bytes);
    const uint8x16_t ones =
        vcntq_u8(veorq_u8(vandq_u8(b.val[0], Bytes(words)), vandq_u8(b.val[1], Bytes(fields))));
    const uint8x16_t quarters = vpaddq_u8(ones, ones);
    const uint8x16_t halves = vpaddq_u8(quarters, quarters);
    return vget_low_u8(vpaddq_u8(halves, halves));
  } else if constexpr (kA.block_bytes == 32) {
    const uint8x16x2_t b = vld1q_u8_x2(bytes);
    // Words: 12 quarters. Fields: lanes 12 to 14.
    const uint8x16_t quarters =
        vpaddq_u8(CountHits(b.val[0], words), CountHits(b.val[1], word_and_fields));
    const uint8x16_t halves = vpaddq_u8(quarters, quarters);
    return vget_low_u8(vaddq_u8(vpaddq_u8(halves, halves), vextq_u8(quarters, quarters, 12)));
  } else {
    const uint8x16x4_t b = vld1q_u8_x4(bytes);
    if constexpr (kA.fast_columns == 4) {
      const uint8x16_t first =
          vcntq_u8(veorq_u8(vandq_u8(b.val[0], Bytes(words)), vandq_u8(b.val[2], Bytes(fields))));
      const uint8x16_t second =
          vcntq_u8(veorq_u8(vandq_u8(b.val[1], Bytes(words)), vandq_u8(b.val[3], Bytes(fields))));
      const uint8x16_t quarters = vpaddq_u8(first, second);
      const uint8x16_t halves = vpaddq_u8(quarters, quarters);
      return vget_low_u8(vpaddq_u8(halves, halves));
    }
    const uint8x16_t four = vpaddq_u8(CountHits(b.val[0], words), CountHits(b.val[1], words));
    if constexpr (kA.fast_columns == 5) {
      // Fields: lanes 10 to 14 of the halves.
      const uint8x16_t halves = vpaddq_u8(
          four, vpaddq_u8(CountHits(b.val[2], word_and_fields), CountHits(b.val[3], fields)));
      return vget_low_u8(vaddq_u8(vpaddq_u8(halves, halves), vextq_u8(halves, halves, 10)));
    }
    if constexpr (kA.fast_columns == 6) {
      // Fields: lanes 8 to 13 of the quarters.
      const uint8x16_t others = vpaddq_u8(CountHits(b.val[2], words), CountHits(b.val[3], fields));
      const uint8x16_t halves = vpaddq_u8(four, others);
      return vadd_u8(vget_low_u8(vpaddq_u8(halves, halves)), vget_high_u8(others));
    }
    const uint8x16_t halves =
        vpaddq_u8(four, vpaddq_u8(CountHits(b.val[2], words), CountHits(b.val[3], words)));
    return vget_low_u8(vpaddq_u8(halves, halves));
  }
}

// Whether the parities of lanes 0 .. kLanes - 1 are the hash's lowest bits.
template <unsigned kLanes>
BLOOMLINE_ALWAYS_INLINE bool ParitiesMatch(uint8x8_t counts, uint64_t hash) {
  alignas(8) static constexpr int8_t kShifts[] = {0, -1, -2, -3, -4, -5, -6, -7};
  const uint8x8_t bits = vshl_u8(vdup_n_u8(static_cast<uint8_t>(hash)), vld1_s8(kShifts));
  const uint64_t wrong = vget_lane_u64(vreinterpret_u64_u8(veor_u8(counts, bits)), 0);
  return (wrong << (64 - 8 * kLanes) & 0x0101010101010101) == 0;
}

struct Query : PlainQuery<Query> {
  template <unsigned kArrangement>
  BLOOMLINE_ALWAYS_INLINE static bool FastColumns(const char* block, CompactSlots mine,
                                                  uint64_t hash) {
    constexpr unsigned kColumns = kArrangements[kArrangement].fast_columns;
    return ParitiesMatch<kColumns>(CountFast<kArrangement>(block, mine), hash);
  }
};

}  // namespace

CompactKernel NeonCompact() { return CompactKernelOf<Query>(PortableSolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
