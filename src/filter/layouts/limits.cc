#include "src/filter/layouts/limits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"

namespace bloomline::filter {

static_assert(std::size(kernels::kWideProbeMultipliers) == kMaxProbes &&
                  kernels::kProbeMultipliers[kMaxProbes - 1] != 0 &&
                  kernels::kProbeMultipliers[kMaxProbes] == 0,
              "every probe has a multiplier");

namespace {

// Entry k-1: the bits per key from which on k+1 probes have a lower false-positive rate than k. A
// table, because a builder is made for every SSTable, and computing k from the rate takes 0.1 ms.
// sizing_test checks each entry.
constexpr double kMoreBlockedProbesFrom[] = {2.0820,  3.5842,  5.1037,  6.6734,  8.3169,  10.0575,
                                             11.9197, 13.9304, 16.1198, 18.5220, 21.1757, 24.1256,
                                             27.4234, 31.1291, 35.3131, 40.0578, 45.4604, 51.6358,
                                             58.7204, 66.8767, 76.2983, 87.2172, 99.9121};
constexpr double kMoreFlatProbesFrom[] = {
    2.0781,  3.5562,  5.0135,  6.4643,  7.9120,  9.3583,  10.8035, 12.2482, 13.6924, 15.1364,
    16.5801, 18.0237, 19.4671, 20.9105, 22.3537, 23.7969, 25.2400, 26.6831, 28.1261, 29.5691,
    31.0121, 32.4551, 33.8980, 35.3409, 36.7838, 38.2267, 39.6696, 41.1124, 42.5553};

template <size_t N>
int NumProbesFrom(const double (&thresholds)[N], double bits_per_key) {
  return 1 +
         static_cast<int>(std::upper_bound(thresholds, thresholds + N, bits_per_key) - thresholds);
}

}  // namespace

double ClampBitsPerKey(double bits_per_key) {
  if (!(bits_per_key > kMinBitsPerKey)) return kMinBitsPerKey;
  return std::min(bits_per_key, kMaxBitsPerKey);
}

int OptimalNumProbes(Format format, double bits_per_key) {
  const double c = ClampBitsPerKey(bits_per_key);
  if (format == Format::kCompact || format == Format::kRibbon) return 0;
  if (format == Format::kBloom) return stock::BloomNumProbes(stock::Millibits(c));
  if (format == Format::kClassic) {
    return std::clamp(static_cast<int>(c * 0.69), kMinProbes, kMaxProbes);
  }
  return NumProbesFrom(kMoreBlockedProbesFrom, c);
}

int OptimalStandardNumProbes(double bits_per_key) {
  return NumProbesFrom(kMoreFlatProbesFrom, ClampBitsPerKey(bits_per_key));
}

}  // namespace bloomline::filter

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
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  if (!filter::IsKnown(format)) {
    return support::StrCat(
        "format is ", static_cast<int>(format), "; allowed: ", static_cast<int>(Format::kClassic),
        " (classic), ", static_cast<int>(Format::kBlocked), " (blocked), ",
        static_cast<int>(Format::kCompact), " (compact), ", static_cast<int>(Format::kBloom),
        " (bloom), ", static_cast<int>(Format::kRibbon), " (ribbon)");
  }
  if (!(bits_per_key >= allowed.min && bits_per_key <= allowed.max)) {
    std::string error = support::StrCat("bits_per_key is ", support::DoubleText(bits_per_key),
                                        "; allowed: ", allowed.min, " to ", allowed.max,
                                        ", and it is bits for each key, not for the filter");
    if (std::isnan(bits_per_key)) {
      error +=
          " (nan: also a false-positive rate out of reach; ValidateFalsePositiveRate has the"
          " range)";
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

}  // namespace bloomline
