#include "src/sizing/rate_hull.h"

#include <algorithm>

#include "bloomline/sizing.h"

namespace bloomline::core {
namespace {

// The distance of samples. Half a step away from the best bits per key, the sum of the rates is
// 0.02 % above the least one. Rates of compact blocks come from a table, so samples cost little.
double StepAfter(Format format, double bits_per_key) {
  if (format == Format::kCompact) return 1.0 / 32;
  if (bits_per_key < 24) return 1.0 / 8;
  return bits_per_key < 48 ? 1.0 / 2 : 2;
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
  for (double bits = allowed.min; bits < allowed.max; bits += StepAfter(format, bits)) {
    Add({bits, FalsePositiveRate(format, bits)});
  }
  Add({allowed.max, FalsePositiveRate(format, allowed.max)});
}

// Removes the corners that the new point makes superfluous.
void RateHull::Add(RatePoint point) {
  while (size_ > 0 && points_[size_ - 1].rate <= point.rate) return;
  points_[size_++] = point;
  while (size_ > 2 && slope(size_ - 3) <= slope(size_ - 2)) {
    points_[size_ - 2] = points_[size_ - 1];
    --size_;
  }
}

}  // namespace bloomline::core
