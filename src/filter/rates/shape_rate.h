// The false-positive rate of a filter, by the shape of its payload: bloomline/filter_theory.h for
// whatever layout it has.
#ifndef BLOOMLINE_FILTER_RATES_SHAPE_RATE_H_
#define BLOOMLINE_FILTER_RATES_SHAPE_RATE_H_

#include <cstdint>

#include "src/filter/bits/filter_shape.h"

namespace bloomline::filter {

// The rate of many keys with `bits_per_key` bits each. `shape` says the layout and k. Layouts that
// only LevelDB has give NaN.
double RateOf(const FilterShape& shape, double bits_per_key);

// The expected rate of num_keys keys in this very shape, which has blocks. Layouts without a
// formula, which are LevelDB's own, give NaN.
double ExactRateOf(const FilterShape& shape, uint64_t num_keys);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RATES_SHAPE_RATE_H_
