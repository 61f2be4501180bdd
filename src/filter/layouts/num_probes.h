// The number of probes, k, that a writer chooses for its bits per key.
#ifndef BLOOMLINE_FILTER_LAYOUTS_NUM_PROBES_H_
#define BLOOMLINE_FILTER_LAYOUTS_NUM_PROBES_H_

#include "bloomline/filter_options.h"

namespace bloomline::filter {

// Clamped to kMinBitsPerKey .. kMaxBitsPerKey; NaN gives kMinBitsPerKey.
double ClampBitsPerKey(double bits_per_key);

// bloomline::OptimalNumProbes (bloomline/sizing.h). A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// The k of a flat filter with the lowest false-positive rate. A table lookup.
int OptimalStandardNumProbes(double bits_per_key);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_NUM_PROBES_H_
