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

using filter::Divider;
using filter::Division;  // bits in hundredths; bits_per_key is the option

// Filters of one format, with the same bits per key in all levels, or by level: those of RocksDB's
// policy with bits_by_level=auto, which are best for full levels. In levels that are not, lists of
// bits would waste up to a fifth less, and more as soon as the tree grows. All levels of `tree`
// have keys, and its ratio is allowed; it must outlive the divider.
Divider MakeDivider(const Situation& tree, Format format, bool by_level);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_DIVISION_H_
