// NEON (every 64-bit ARM CPU has it): four probes at a time, the line's 64 bytes looked up as a
// table.
#include "src/kernels/all_kernels.h"

#if defined(BLOOMLINE_HAS_NEON)

#include <arm_neon.h>

#include "src/kernels/blocked/line_counts.h"
#include "src/kernels/blocked/lines.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::kernels {
namespace {

constexpr int kLanes = 4;

// Nonzero where lane j >= n: those always pass.
inline uint32x4_t LanesFrom(int n) {
  static constexpr uint32_t kIndex[kLanes] = {0, 1, 2, 3};
  return vcgeq_u32(vld1q_u32(kIndex), vdupq_n_u32(static_cast<uint32_t>(n < 0 ? 0 : n)));
}

inline bool LineMayMatch(const char* line, int num_probes, uint64_t hash) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(line);
  const uint8x16x4_t table = {
      {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
  const ProbePair pair = BlockedPair(hash);
  const uint32x4_t a = vdupq_n_u32(pair.a);
  const uint32x4_t b = vdupq_n_u32(pair.b);
  for (int first = 0; first < num_probes; first += kLanes) {
    const uint32x4_t bit = vshrq_n_u32(vmlaq_u32(a, vld1q_u32(kProbeMultipliers + first), b), 23);
    // Each lane's byte number in its lowest byte, 255 in the others: outside the table, so they
    // become 0.
    const uint32x4_t index = vorrq_u32(vshrq_n_u32(bit, 3), vdupq_n_u32(0xFFFFFF00));
    const uint32x4_t byte = vreinterpretq_u32_u8(vqtbl4q_u8(table, vreinterpretq_u8_u32(index)));
    const uint32x4_t mask =
        vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(vandq_u32(bit, vdupq_n_u32(7))));
    const uint32x4_t passes = vorrq_u32(vtstq_u32(byte, mask), LanesFrom(num_probes - first));
    if (vminvq_u32(passes) == 0) return false;
  }
  return true;
}

bool BlockedMayMatch(const BlockedLines& filter, uint64_t hash) {
  return LineMayMatch(Line(filter, hash), filter.num_probes, hash);
}

auto BlockedMayMatchWith(int) { return &BlockedMayMatch; }

void BlockedMayMatchMany(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = LineMayMatch(Line(filter, hashes[i]), filter.num_probes, hashes[i]);
  }
}

void BlockedInsertMany(const BlockedLines& filter, size_t n, const uint64_t* hashes) {
  kPortableKernel.blocked_insert_many(filter, n, hashes);
}

void BlockedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  kPortableKernel.blocked_add_many(filter, n, hashes, changed);
}

void SharedMayMatchMany(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                        bool* may_match) {
  kPortableKernel.shared_may_match_many(filter, n, hashes, may_match);
}

void SharedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  kPortableKernel.shared_add_many(filter, n, hashes, changed);
}

void SharedCountLines(const char* data, uint64_t num_lines, uint64_t* lines_with) {
  CountLinesByFill(data, num_lines, lines_with);
}

bool FlatMayMatch(const FlatBits& filter, uint64_t hash) {
  return kPortableKernel.flat_may_match(filter, hash);
}

void FlatInsertMany(const FlatBits& filter, size_t n, const uint64_t* hashes) {
  kPortableKernel.flat_insert_many(filter, n, hashes);
}

bool Supported() { return true; }

}  // namespace

const Kernel kNeonKernel = {
    "neon",
    "64-bit ARM: four probes at a time",
    "",
    Supported,
    BlockedMayMatch,
    BlockedMayMatchWith,
    BlockedMayMatchMany,
    BlockedInsertMany,
    BlockedAddMany,
    SharedMayMatchMany,
    SharedAddMany,
    SharedCountLines,
    FlatMayMatch,
    FlatInsertMany,
    &kPortableCompact,
    &kPortableCounters,
};

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
