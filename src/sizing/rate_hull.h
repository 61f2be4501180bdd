// The lower convex hull of a format's false-positive rate over bits per key, for searches that
// divide memory (level_sizing.h).
#ifndef BLOOMLINE_SIZING_RATE_HULL_H_
#define BLOOMLINE_SIZING_RATE_HULL_H_

#include <cstddef>

#include "bloomline/filter_options.h"

namespace bloomline::core {

struct RatePoint {
  double bits_per_key;
  double rate;
};

// The corners of the hull, by bits per key. The first one is no filter: 0 bits, rate 1. Between it
// and the second one lie bits per key that no filter has. The others have the exact rate, and lie
// at most a step of the samples apart, except where the curve of the rates is not convex: at the
// bits per key where another number of probes, or another size of blocks, begins.
class RateHull {
 public:
  static constexpr size_t kMaxPoints = 720;

  // A format that IsKnown. Made at the first call, in static memory.
  static const RateHull& Of(Format format);

  size_t size() const { return size_; }
  const RatePoint& operator[](size_t i) const { return points_[i]; }
  // How much the rate falls per bit after corner i; decreases in i.
  double slope(size_t i) const {
    return (points_[i].rate - points_[i + 1].rate) /
           (points_[i + 1].bits_per_key - points_[i].bits_per_key);
  }

 private:
  explicit RateHull(Format format);
  void Add(RatePoint point);

  RatePoint points_[kMaxPoints];
  size_t size_ = 0;
};

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_RATE_HULL_H_
