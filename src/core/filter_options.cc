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
  if (format != Format::kClassic && format != Format::kBlocked) {
    error << "format is " << static_cast<int>(format)
          << "; allowed: " << static_cast<int>(Format::kClassic) << " (classic), "
          << static_cast<int>(Format::kBlocked) << " (blocked)";
  } else if (!(bits_per_key >= kMinBitsPerKey && bits_per_key <= kMaxBitsPerKey)) {
    error << "bits_per_key is " << bits_per_key << "; allowed: " << kMinBitsPerKey << " to "
          << kMaxBitsPerKey << ", and it is bits for each key, not for the filter";
    if (bits_per_key != bits_per_key) error << " (nan: also a false-positive rate out of reach)";
  }
  return error.str();
}

}  // namespace bloomline
