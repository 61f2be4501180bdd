// The groups of formats, and which options each takes.
#ifndef BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
#define BLOOMLINE_FILTER_OPTIONS_FORMATS_H_

#include <string>

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

// "1 to 100": AllowedBitsPerKey.
std::string AllowedBitsText(Format format);

// Checks FilterOptions::Validate, and that the format is one of bloomline's own. Empty if valid, or
// one sentence.
std::string ValidateForTrailer(const FilterOptions& options);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
