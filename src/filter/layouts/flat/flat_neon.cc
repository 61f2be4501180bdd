// NEON: queries of small flat filters, eight probes at a time, with the payload as a look-up table.
#include "src/filter/cpu/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include "src/filter/cpu/neon_probes.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/flat/flat_kernel.h"

namespace bloomline::kernels {
namespace {

constexpr uint32_t kPartBytes = 32;

// Bit numbers below 512, so 16 bits suffice.
BLOOMLINE_ALWAYS_INLINE uint16x8_t EightFlatBits(ProbePairs pairs, int first, uint32_t num_bits) {
  const auto four = [&](uint32x4_t probes) {
    const uint64x2_t low = vmull_n_u32(vget_low_u32(probes), num_bits);
    const uint64x2_t high = vmull_high_n_u32(probes, num_bits);
    return vreinterpretq_u16_u32(
        vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high)));
  };
  return vuzp1q_u16(four(FourProbes(pairs, first)), four(FourProbes(pairs, first + 4)));
}

// The payload is looked up in two parts, its first and its last 32 bytes, which overlap.
BLOOMLINE_ALWAYS_INLINE uint16x8_t MissingFlatBits(const FlatFilter& filter, uint32_t last_start,
                                                   ProbePairs pairs, int first) {
  const auto* data = reinterpret_cast<const uint8_t*>(filter.data);
  const uint16x8_t bits = EightFlatBits(pairs, first, NumBits(filter));
  const uint16x8_t byte = vshrq_n_u16(bits, 3);
  const uint16x8_t byte_of_last = vsubq_u16(byte, vdupq_n_u16(static_cast<uint16_t>(last_start)));
  // A look-up outside of a table gives 0, or with vqtbx leaves what was there.
  uint8x16_t bytes = vqtbl2q_u8(vld1q_u8_x2(data), vreinterpretq_u8_u16(byte));
  bytes = vqtbx2q_u8(bytes, vld1q_u8_x2(data + last_start), vreinterpretq_u8_u16(byte_of_last));
  return vbicq_u16(MasksOf(bits, OnesInFirstLanes(filter.num_probes - first)),
                   vreinterpretq_u16_u8(bytes));
}

// Payloads of 32 to 64 bytes are LevelDB's usual filters, of 26 to 51 keys at 10 bits. No byte
// beyond is read.
bool MayMatch(const FlatFilter& filter, uint64_t hash) {
  const auto last_start = static_cast<uint32_t>(filter.num_blocks) - kPartBytes;
  if (last_start > kPartBytes) return PortableFlatMayMatch(filter, hash);
  const ProbePair pair = FlatPair(hash);
  const ProbePairs pairs = {vdupq_n_u32(pair.a), vdupq_n_u32(pair.b)};
  uint16x8_t missing = MissingFlatBits(filter, last_start, pairs, 0);
  for (int first = kProbesPerStep; first < filter.num_probes; first += kProbesPerStep) {
    missing = vorrq_u16(missing, MissingFlatBits(filter, last_start, pairs, first));
  }
  return LowerBytes(missing) == 0;
}

}  // namespace

FlatKernel NeonFlat() {
  FlatKernel kernel = PortableFlat();
  kernel.may_match = MayMatch;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
