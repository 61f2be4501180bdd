#include "src/filter/options/formats.h"

#include <cmath>

#include "src/support/number_text.h"

namespace bloomline {

const char* FormatName(Format format) {
  switch (format) {
    case Format::kClassic:
      return "classic";
    case Format::kBlocked:
      return "blocked";
    case Format::kCompact:
      return "compact";
    case Format::kBloom:
      return "bloom";
    case Format::kRibbon:
      return "ribbon";
  }
  return "unknown";
}

BitsPerKeyRange AllowedBitsPerKey(Format format) {
  if (format == Format::kCompact) return {kMinCompactBitsPerKey, kMaxCompactBitsPerKey};
  return {kMinBitsPerKey, kMaxBitsPerKey};
}

std::string FilterOptions::Validate() const {
  if (!filter::IsKnown(format)) {
    return support::StrCat(
        "format is ", static_cast<int>(format), "; allowed: ", static_cast<int>(Format::kClassic),
        " (classic), ", static_cast<int>(Format::kBlocked), " (blocked), ",
        static_cast<int>(Format::kCompact), " (compact), ", static_cast<int>(Format::kBloom),
        " (bloom), ", static_cast<int>(Format::kRibbon), " (ribbon)");
  }
  if (!filter::IsAllowed(format, bits_per_key)) {
    std::string error =
        support::StrCat("bits_per_key is ", support::DoubleText(bits_per_key),
                        "; allowed: ", filter::AllowedBitsText(format), " in format ",
                        FormatName(format), ", and it is bits for each key, not for the filter");
    if (std::isnan(bits_per_key)) {
      error += " (nan: also what a false-positive rate out of reach gives)";
    }
    return error;
  }
  if (random_seed && seed != 0) {
    return support::StrCat("random_seed is set and seed is ", seed,
                           "; allowed: seed 0 with random_seed, or another seed without");
  }
  if (random_seed && !filter::TakesSeed(format)) {
    return support::StrCat("random_seed is set and format is ", FormatName(format),
                           ", whose hash takes no seed; allowed: blocked, compact");
  }
  return {};
}

namespace filter {

std::string AllowedBitsText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return support::DoubleText(allowed.min) + " to " + support::DoubleText(allowed.max);
}

std::string ValidateForTrailer(const FilterOptions& options) {
  std::string error = options.Validate();
  if (error.empty() && options.format == Format::kClassic) {
    error = "format is classic, which is written in LevelDB only; allowed: blocked, compact";
  } else if (error.empty() && IsStock(options.format)) {
    error = support::StrCat("format is ", FormatName(options.format),
                            ", which is written in RocksDB only; allowed: blocked, compact");
  }
  return error;
}

}  // namespace filter
}  // namespace bloomline
