#include "bloomline/filter_options.h"

#include <sstream>

#include "bloomline/sizing.h"

namespace bloomline {

FilterOptions FilterOptions::ForFalsePositiveRate(Format format, double rate) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = BitsPerKeyForFalsePositiveRate(format, rate);
  return options;
}

std::string FilterOptions::Validate() const {
  std::ostringstream error;
  const bool compact = format == Format::kCompact;
  const double min_bits = compact ? kMinCompactBitsPerKey : kMinBitsPerKey;
  const double max_bits = compact ? kMaxCompactBitsPerKey : kMaxBitsPerKey;
  if (format != Format::kClassic && format != Format::kBlocked && !compact) {
    error << "format is " << static_cast<int>(format)
          << "; allowed: " << static_cast<int>(Format::kClassic) << " (classic), "
          << static_cast<int>(Format::kBlocked) << " (blocked), "
          << static_cast<int>(Format::kCompact) << " (compact)";
  } else if (!(bits_per_key >= min_bits && bits_per_key <= max_bits)) {
    error << "bits_per_key is " << bits_per_key << "; allowed: " << min_bits << " to " << max_bits
          << ", and it is bits for each key, not for the filter";
    if (bits_per_key != bits_per_key) error << " (nan: also a false-positive rate out of reach)";
  }
  return error.str();
}

}  // namespace bloomline
