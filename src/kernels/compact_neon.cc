// Compact lines on 64-bit ARM: by 64-bit integers.
#include "src/kernels/all_kernels.h"

#if defined(BLOOMLINE_HAS_NEON)

#include <algorithm>
#include <cstring>

#include "src/kernels/compact_lanes.h"
#include "src/kernels/compact_line.h"
#include "src/kernels/compact_scalar.h"

namespace bloomline::kernels {
namespace {

bool PackedMayMatch(const CompactLines& filter, uint64_t hash) {
  return CompactLineMayMatch(CompactLine(filter, hash), filter.line_bytes, filter.base_slots, hash);
}

void PackedMayMatchMany(const CompactLines& filter, size_t n, const uint64_t* hashes,
                        bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = CompactLineMayMatch(CompactLine(filter, hashes[i]), filter.line_bytes,
                                       filter.base_slots, hashes[i]);
  }
}

int PackedSolve(const LineKeys& keys, unsigned slots, uint32_t line_bytes, char* line) {
  return kPortableCompact.packed_solve(keys, slots, line_bytes, line);
}

bool LanesMayMatchOne(const CompactLines& filter, uint64_t hash) {
  return LanesMayMatch(LanesLine(filter, hash), filter.base_slots, hash);
}

void LanesMayMatchMany(const CompactLines& filter, size_t n, const uint64_t* hashes,
                       bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = LanesMayMatch(LanesLine(filter, hashes[i]), filter.base_slots, hashes[i]);
  }
}

bool LanesSolve(const uint64_t* hashes, size_t n, uint32_t base_slots, char* line) {
  return kPortableCompact.lanes_solve(hashes, n, base_slots, line);
}

}  // namespace

const CompactKernel kNeonCompact = {
    PackedMayMatch,   PackedMayMatchMany, PackedSolve,
    LanesMayMatchOne, LanesMayMatchMany,  LanesSolve,
};

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
