#include "src/db/advice/grid.h"

#include <cmath>
#include <utility>

namespace bloomline::advice {

std::string Title(Format format) {
  if (format == Format::kBloom) return "RocksDB Bloom";
  return format == Format::kRibbon ? "RocksDB Ribbon" : FormatName(format);
}

std::vector<GridRow> GridOf(const Tree& tree, bool can_differ_by_level) {
  const bool is_rocksdb = tree.engine == sstable::Engine::kRocksDB;
  std::vector<GridRow> grid;
  for (const Format format :
       {Format::kBloom, Format::kRibbon, Format::kBlocked, Format::kCompact}) {
    const bool is_stock = format == Format::kBloom || format == Format::kRibbon;
    if (is_rocksdb ? format == Format::kBlocked : is_stock) continue;
    for (const bool by_level : {false, true}) {
      if (by_level && !can_differ_by_level) continue;
      const Spread spread = !by_level  ? Spread::kUniform
                            : is_stock ? Spread::kAuto
                                       : Spread::kByLevel;
      const Divider divider(tree, format, spread);
      GridRow row{Title(format) + (by_level ? " by level" : ""), format, by_level, {}};
      for (const double bits : kGridBits) {
        const auto division = divider.Within(bits / 8 * tree.all_keys());
        row.wasted_reads.push_back(division ? division->wasted_reads : std::nan(""));
      }
      grid.push_back(std::move(row));
    }
  }
  return grid;
}

}  // namespace bloomline::advice
