// NEON: queries of blocked filters, four probes at a time, with a block's 64 bytes as a look-up
// table.
#include "src/kernels/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include <arm_neon.h>

#include "src/kernels/blocked/blocked_kernel.h"
#include "src/kernels/blocked/blocks.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::kernels {
namespace {

static_assert(sizeof(uint8x16x4_t) == kBlockBytes);

constexpr int kProbesPer128Bits = 4;

// Nonzero in the lanes from number n on, which hold no probe.
inline uint32x4_t LanesFrom(int n) {
  static constexpr uint32_t kIndex[kProbesPer128Bits] = {0, 1, 2, 3};
  return vcgeq_u32(vld1q_u32(kIndex), vdupq_n_u32(static_cast<uint32_t>(n < 0 ? 0 : n)));
}

inline bool BlockMayMatch(const char* block, int num_probes, uint64_t hash) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(block);
  const uint8x16x4_t table = {
      {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
  const ProbePair pair = BlockedPair(hash);
  const uint32x4_t a = vdupq_n_u32(pair.a);
  const uint32x4_t b = vdupq_n_u32(pair.b);
  for (int first = 0; first < num_probes; first += kProbesPer128Bits) {
    const uint32x4_t bit = vshrq_n_u32(vmlaq_u32(a, vld1q_u32(kProbeMultipliers + first), b), 23);
    // Each lane's byte number in its lowest byte, 255 in the others. 255 is outside the table, so
    // these become 0.
    const uint32x4_t index = vorrq_u32(vshrq_n_u32(bit, 3), vdupq_n_u32(0xFFFFFF00));
    const uint32x4_t byte = vreinterpretq_u32_u8(vqtbl4q_u8(table, vreinterpretq_u8_u32(index)));
    const uint32x4_t mask =
        vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(vandq_u32(bit, vdupq_n_u32(7))));
    const uint32x4_t is_set = vorrq_u32(vtstq_u32(byte, mask), LanesFrom(num_probes - first));
    if (vminvq_u32(is_set) == 0) return false;
  }
  return true;
}

bool MayMatch(const BlockedFilter& filter, uint64_t hash) {
  return BlockMayMatch(BlockOf(filter, hash), filter.num_probes, hash);
}

BlockedKernel::MayMatch MayMatchFor(int) { return MayMatch; }

void MayMatchMany(const BlockedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = BlockMayMatch(BlockOf(filter, hashes[i]), filter.num_probes, hashes[i]);
  }
}

}  // namespace

BlockedKernel NeonBlocked() {
  BlockedKernel kernel = PortableBlocked();
  kernel.may_match = MayMatch;
  kernel.may_match_for = MayMatchFor;
  kernel.may_match_many = MayMatchMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
