// RocksDB's Ribbon filter, one column at a time: the specification.
#include <algorithm>
#include <cstdint>

#include "src/filter/bits/bytes.h"

#define BLOOMLINE_RIBBON_TARGET
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_query.h"

namespace bloomline::stock {
namespace {

// A bit for each row of a block.
struct RibbonRows {
  uint64_t low;
  uint64_t high;
};

// n: 0 to 127. A shift by 64 is two, because one is undefined. Whether n is 64 or more cannot be
// foreseen, so masks take the place of branches: compilers make branches of conditions.
BLOOMLINE_ALWAYS_INLINE RibbonRows ShiftedUp(RibbonRows rows, uint32_t n) {
  const uint64_t is_far = uint64_t{0} - (n >> 6);
  const uint64_t low = rows.low << n % 64;
  const uint64_t high = rows.high << n % 64 | rows.low >> 1 >> (63 - n % 64);
  return {low & ~is_far, (high & ~is_far) | (low & is_far)};
}
BLOOMLINE_ALWAYS_INLINE RibbonRows ShiftedDown(RibbonRows rows, uint32_t n) {
  const uint64_t is_far = uint64_t{0} - (n >> 6);
  const uint64_t high = rows.high >> n % 64;
  const uint64_t low = rows.low >> n % 64 | rows.high << 1 << (63 - n % 64);
  return {(low & ~is_far) | (high & is_far), high & ~is_far};
}

// A word with the parity of the selected bits.
BLOOMLINE_ALWAYS_INLINE uint64_t Folded(const char* segment, RibbonRows selected) {
  return (kernels::LoadLittleEndian64(segment) & selected.low) ^
         (kernels::LoadLittleEndian64(segment + 8) & selected.high);
}

struct PortableQuery {
  BLOOMLINE_ALWAYS_INLINE static bool Matches(const RibbonKey& key, uint32_t columns) {
    const RibbonRows coefficients = {
        (key.mixed ^ RibbonKey::kLowCoefficients) | RibbonKey::kFirstCoefficient, key.mixed};
    const RibbonRows here = ShiftedUp(coefficients, key.first_row);
    // Two shifts are needed: with first_row 0, nothing is left.
    const RibbonRows next = ShiftedDown(ShiftedDown(coefficients, 1), 127 - key.first_row);
    const uint64_t fingerprint = key.fingerprint();
    for (uint32_t first = 0; first < columns; first += kColumnsAtOnce) {
      const uint32_t end = std::min(first + kColumnsAtOnce, columns);
      uint64_t parities = 0;
#pragma GCC unroll 8
      for (uint32_t i = first; i < end; ++i) {
        const uint32_t offset = i * RibbonShape::kSegmentBytes;
        const uint64_t folded = Folded(key.here + offset, here) ^ Folded(key.next + offset, next);
        parities |= static_cast<uint64_t>(__builtin_parityll(folded)) << i;
      }
      // A bit for each of these columns that the block has.
      const uint64_t present = (uint64_t{1} << std::min(end, key.columns)) - (uint64_t{1} << first);
      const bool is_match = ((parities ^ fingerprint) & present) == 0;
      if (!is_match || end == columns) return is_match;
    }
    return true;
  }
};

}  // namespace

RibbonKernel PortableRibbon() { return MakeRibbonKernel<PortableQuery>(); }

}  // namespace bloomline::stock
