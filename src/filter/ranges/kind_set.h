// A set of kinds of range entries.
#ifndef BLOOMLINE_FILTER_RANGES_KIND_SET_H_
#define BLOOMLINE_FILTER_RANGES_KIND_SET_H_

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The bytes between fields at which `auto` lets prefixes end. The first five hardly ever are
// anything else.
constexpr std::string_view kDelimiters = "/:|#\t,; _-.";
constexpr size_t kNumSureDelimiters = 5;

// Cells by their bits, from 1 on, and prefixes by their delimiter, an index of kDelimiters, and
// their depth, from 1 on.
class KindSet {
 public:
  static KindSet All() {
    KindSet set;
    set.cells_.set();
    for (auto& depths : set.depths_) depths.set();
    return set;
  }
  static KindSet Of(const EntryKinds& kinds) {
    KindSet set;
    for (size_t i = 0; i < kinds.num_cells; ++i) set.AddCells(kinds.cells[i].bits);
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      const auto delimiter = static_cast<char>(kinds.prefixes[i].delimiter);
      set.AddPrefixes(kDelimiters.find(delimiter), kinds.prefixes[i].depth);
    }
    return set;
  }

  bool HasCells(size_t bits) const { return cells_[bits]; }
  bool HasPrefixes(size_t delimiter, size_t depth) const { return depths_[delimiter][depth - 1]; }
  void AddCells(size_t bits) { cells_.set(bits); }
  void AddPrefixes(size_t delimiter, size_t depth) { depths_[delimiter].set(depth - 1); }

 private:
  std::bitset<kMaxCellBits + 1> cells_;
  std::array<std::bitset<kMaxDepth>, kDelimiters.size()> depths_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KIND_SET_H_
