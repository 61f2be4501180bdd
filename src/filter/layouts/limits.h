// Whether options are within the limits of their format, which FilterOptions::Validate says in
// words; and the number of probes, k, that a writer chooses for its bits per key.
#ifndef BLOOMLINE_FILTER_LAYOUTS_LIMITS_H_
#define BLOOMLINE_FILTER_LAYOUTS_LIMITS_H_

#include "bloomline/filter_options.h"

namespace bloomline::filter {

inline bool IsKnown(Format format) {
  return format >= Format::kClassic && format <= Format::kRibbon;
}

// RocksDB's own filters.
inline bool IsStock(Format format) { return format == Format::kBloom || format == Format::kRibbon; }

// bloomline's own filters: they have a trailer, a seed, and room for what they record.
inline bool TakesSeed(Format format) {
  return format == Format::kBlocked || format == Format::kCompact;
}

inline bool IsAllowed(Format format, double bits_per_key) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return IsKnown(format) && bits_per_key >= allowed.min && bits_per_key <= allowed.max;
}

inline bool ProbesInRange(int num_probes) {
  return num_probes >= kMinProbes && num_probes <= kMaxProbes;
}

// Clamped to kMinBitsPerKey .. kMaxBitsPerKey; NaN gives kMinBitsPerKey.
double ClampBitsPerKey(double bits_per_key);

// bloomline::OptimalNumProbes (bloomline/sizing.h). A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// The k of a flat filter with the lowest false-positive rate. A table lookup.
int OptimalStandardNumProbes(double bits_per_key);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_LIMITS_H_
