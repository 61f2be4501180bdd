#include "src/filter/sizing/rate_hull.h"

#include <cmath>

#include "bloomline/sizing.h"

namespace bloomline::filter {
namespace {

// Half a step away from the best bits per key, the sum of the rates is 0.02 % above the least one.
// Rates of compact blocks come from a table, so their samples cost little.
double NextSample(Format format, double bits_per_key) {
  if (format == Format::kCompact) return bits_per_key + 1.0 / 32;
  if (bits_per_key > 48) return bits_per_key + 2;
  if (format == Format::kClassic) {
    // k is 0.69 * bits_per_key rounded down, so at multiples of 1 / 0.69 the rate falls steeply.
    constexpr double kPerBit = 6.9;
    constexpr double kRounding = 1 + 1e-9;
    return (std::floor(bits_per_key * kPerBit * kRounding) + 1) / kPerBit * kRounding;
  }
  return bits_per_key + (bits_per_key < 24 ? 1.0 / 8 : 1.0 / 2);
}

}  // namespace

const RateHull& RateHull::Of(Format format) {
  switch (format) {
    case Format::kClassic: {
      static const RateHull hull(Format::kClassic);
      return hull;
    }
    case Format::kBlocked: {
      static const RateHull hull(Format::kBlocked);
      return hull;
    }
    case Format::kCompact:
      break;
  }
  static const RateHull hull(Format::kCompact);
  return hull;
}

RateHull::RateHull(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  Add({0, 1});
  double bits = allowed.min;
  while (bits < allowed.max) {
    Add({bits, FalsePositiveRate(format, bits)});
    bits = NextSample(format, bits);
  }
  Add({allowed.max, FalsePositiveRate(format, allowed.max)});
}

// Corners that the new one makes superfluous are removed.
void RateHull::Add(RatePoint sample) {
  samples_[num_samples_] = sample;
  if (num_corners_ == 0 || sample.rate < corner(num_corners_ - 1).rate) {
    corners_[num_corners_++] = static_cast<uint16_t>(num_samples_);
    while (num_corners_ > 2 && slope(num_corners_ - 3) <= slope(num_corners_ - 2)) {
      corners_[num_corners_ - 2] = corners_[num_corners_ - 1];
      --num_corners_;
    }
  }
  ++num_samples_;
}

}  // namespace bloomline::filter
