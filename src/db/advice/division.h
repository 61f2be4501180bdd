// The bits per key of a database's levels, with their cost and waste.
#ifndef BLOOMLINE_DB_ADVICE_DIVISION_H_
#define BLOOMLINE_DB_ADVICE_DIVISION_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/advice/advice.h"
#include "src/filter/sizing/divider.h"

namespace bloomline::advice {

// Bits per key are printed in hundredths.
inline double Hundredths(double bits) { return std::round(bits * 100) / 100; }

// The levels of a situation that have keys, also in the arrays of level_sizing.h.
struct Tree {
  explicit Tree(const Situation& situation);

  sstable::Engine engine;
  double level_size_ratio;
  std::vector<Level> levels;
  std::vector<double> keys;
  std::vector<double> runs;

  int size() const { return static_cast<int>(levels.size()); }
  double all_keys() const;
  double all_runs() const;
};

using filter::Divider;
using filter::Division;  // bits in hundredths; bits_per_key is the option

// Filters of one format, with the same bits per key in all levels, or by level: those of RocksDB's
// policy with bits_by_level=auto, which are best for full levels. In levels that are not, lists of
// bits would waste up to a fifth less, and more as soon as the tree grows. `tree` must outlive the
// divider.
Divider MakeDivider(const Tree& tree, Format format, bool by_level);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_DIVISION_H_
