#include "bloomline/filter_options.h"

#include <cmath>

#include "bloomline/sizing.h"
#include "src/core/number_text.h"

namespace bloomline {

const char* FormatName(Format format) {
  switch (format) {
    case Format::kClassic:
      return "classic";
    case Format::kBlocked:
      return "blocked";
    case Format::kCompact:
      return "compact";
  }
  return "unknown";
}

BitsPerKeyRange AllowedBitsPerKey(Format format) {
  if (format == Format::kCompact) return {kMinCompactBitsPerKey, kMaxCompactBitsPerKey};
  return {kMinBitsPerKey, kMaxBitsPerKey};
}

FilterOptions FilterOptions::ForFalsePositiveRate(Format format, double rate) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = BitsPerKeyForFalsePositiveRate(format, rate);
  return options;
}

std::string FilterOptions::Validate() const {
  if (format != Format::kClassic && format != Format::kBlocked && format != Format::kCompact) {
    const auto number = [](Format named) { return std::to_string(static_cast<int>(named)); };
    return "format is " + number(format) + "; allowed: " + number(Format::kClassic) +
           " (classic), " + number(Format::kBlocked) + " (blocked), " + number(Format::kCompact) +
           " (compact)";
  }
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  if (!(bits_per_key >= allowed.min && bits_per_key <= allowed.max)) {
    std::string error = "bits_per_key is " + core::DoubleText(bits_per_key) +
                        "; allowed: " + core::DoubleText(allowed.min) + " to " +
                        core::DoubleText(allowed.max) +
                        ", and it is bits for each key, not for the filter";
    if (std::isnan(bits_per_key)) error += " (nan: also a false-positive rate out of reach)";
    return error;
  }
  if (random_seed && seed != 0) {
    return "random_seed is set and seed is " + std::to_string(seed) +
           "; allowed: seed 0 with random_seed, or another seed without";
  }
  if (random_seed && format == Format::kClassic) {
    return "random_seed is set and format is classic, whose hash takes no seed; allowed: blocked, "
           "compact";
  }
  return "";
}

}  // namespace bloomline
