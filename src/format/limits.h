// Which options have a format at all. FilterOptions::Validate says the same in words, for which
// memory may be missing.
#ifndef BLOOMLINE_FORMAT_LIMITS_H_
#define BLOOMLINE_FORMAT_LIMITS_H_

#include "bloomline/filter_options.h"

namespace bloomline::core {

inline bool IsKnown(Format format) {
  return format == Format::kClassic || format == Format::kBlocked || format == Format::kCompact;
}

inline bool IsAllowed(Format format, double bits_per_key) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return IsKnown(format) && bits_per_key >= allowed.min && bits_per_key <= allowed.max;
}

inline bool ProbesInRange(int num_probes) {
  return num_probes >= kMinProbes && num_probes <= kMaxProbes;
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_LIMITS_H_
