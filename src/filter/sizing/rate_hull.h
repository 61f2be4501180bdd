// The lower convex hull of a format's false-positive rate over bits per key, for searches that
// divide memory (memory_division.h).
#ifndef BLOOMLINE_FILTER_SIZING_RATE_HULL_H_
#define BLOOMLINE_FILTER_SIZING_RATE_HULL_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/filter_options.h"

namespace bloomline::filter {

struct RatePoint {
  double bits_per_key;
  double rate;
};

// Samples of the rate, and which of them are the corners of the hull, by bits per key. The first
// sample and corner is no filter: 0 bits, rate 1. Between it and the second sample lie bits per key
// that no filter has. Elsewhere, corners are neighbouring samples, except where the curve is not
// convex: at the bits per key where another number of probes, or another size of blocks, begins.
class RateHull {
 public:
  static constexpr size_t kMaxSamples = 720;

  // A format that IsKnown. Made at the first call, in static memory.
  static const RateHull& Of(Format format);

  size_t num_corners() const { return num_corners_; }
  const RatePoint& corner(size_t i) const { return samples_[corners_[i]]; }
  // The index of a corner among the samples.
  size_t sample_of(size_t corner) const { return corners_[corner]; }
  const RatePoint& sample(size_t i) const { return samples_[i]; }
  // How much the rate falls per bit after corner i; decreases in i.
  double slope(size_t i) const {
    return (corner(i).rate - corner(i + 1).rate) /
           (corner(i + 1).bits_per_key - corner(i).bits_per_key);
  }

 private:
  explicit RateHull(Format format);
  void Add(RatePoint sample);

  RatePoint samples_[kMaxSamples];
  uint16_t corners_[kMaxSamples];
  size_t num_samples_ = 0;
  size_t num_corners_ = 0;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_RATE_HULL_H_
