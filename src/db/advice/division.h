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

// The spread of the memory over the levels: the same bits per key in all; as few wasted reads as
// possible in this tree; or that of RocksDB's policy with bits_by_level=auto, for full levels.
enum class Spread { kUniform, kByLevel, kAuto };

using filter::Divider;
using filter::Division;  // bits in hundredths; bits_per_key is the average, or the option of kAuto

// Filters of one format, spread in one way. `tree` must outlive the divider.
Divider MakeDivider(const Tree& tree, Format format, Spread spread);

// The bits per key of levels 0 to the deepest with keys, for RocksDB's bits_by_level. A level
// without keys gets the best bits for the size that its neighbours suggest.
std::vector<double> BitsFromLevel0(const Tree& tree, Format format, const Division& division);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_DIVISION_H_
