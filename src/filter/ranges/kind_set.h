// A set of kinds of range entries.
#ifndef BLOOMLINE_FILTER_RANGES_KIND_SET_H_
#define BLOOMLINE_FILTER_RANGES_KIND_SET_H_

#include <bitset>
#include <cstddef>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The bytes between fields at which `auto` lets prefixes end. The first five hardly ever are
// anything else.
constexpr std::string_view kDelimiters = "/:|#\t,; _-.";
constexpr size_t kNumSureDelimiters = 5;

// Each kind has a number: that of cells is their bits, and prefixes follow by delimiter and depth.
constexpr size_t PrefixKind(unsigned char delimiter, size_t depth) {
  return kMaxCellBits + kMaxDepth * delimiter + depth;
}
using KindSet = std::bitset<PrefixKind(0xff, kMaxDepth) + 1>;

inline KindSet KindsOf(const EntryKinds& kinds) {
  KindSet set;
  for (size_t i = 0; i < kinds.num_cells; ++i) set.set(kinds.cells[i].bits);
  for (size_t i = 0; i < kinds.num_prefixes; ++i) {
    set.set(PrefixKind(kinds.prefixes[i].delimiter, kinds.prefixes[i].depth));
  }
  return set;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KIND_SET_H_
