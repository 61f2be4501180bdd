#include "src/filter/sizing/memory_division.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bloomline/sizing.h"
#include "src/filter/sizing/rate_hull.h"

namespace bloomline::filter {
namespace {

// Solutions this close to a lower bound count as optimal.
constexpr double kTolerance = 2e-4;

// What each level may take: the corners of the hull from `lower` to `upper`, or, where these are
// the same, one point.
struct Choices {
  size_t lower[kMaxLevels];
  size_t upper[kMaxLevels];
  RatePoint only[kMaxLevels];

  bool fixed(int i) const { return lower[i] == upper[i]; }
  void Fix(int i, RatePoint point) {
    upper[i] = lower[i];
    only[i] = point;
  }
};

// The best division if a level could have any point of the hull: each level is at a corner, except
// at most one between two. The rates of this division sum up to a lower bound.
struct Relaxed {
  bool fits = false;  // the lowest choices do
  size_t corner[kMaxLevels];
  int between = -1;  // the level between its corner and the next, by `rest`
  double rest = 0;   // memory for it
  double bound = 0;
};

// Branch and bound. Nearly always the first division is within the tolerance: the level between two
// corners takes the bits that are left, where the curve of the rates is as low as the hull. It is
// not if that level has too few bits for a filter, or if it lies where the curve is not convex.
// Then the search goes on with that level at most at the lower corner, at least at the upper one,
// and at each of the samples between them.
class Division {
 public:
  Division(Format format, double memory, const LevelKeys* levels, int num_levels)
      : format_(format),
        hull_(RateHull::Of(format)),
        memory_(memory),
        levels_(levels),
        num_levels_(num_levels),
        steps_left_(std::max(64, kMaxSteps / num_levels)) {
    for (size_t i = 0; i + 1 < hull_.num_corners(); ++i) slopes_[i] = hull_.slope(i);
  }

  void Solve(double* bits) {
    const size_t last = hull_.num_corners() - 1;
    Choices choices;
    for (int i = 0; i < num_levels_; ++i) {
      choices.lower[i] = 0;
      choices.upper[i] = last;
      if (levels_[i].keys == 0) choices.Fix(i, hull_.corner(last));
    }
    Search(choices);
    std::copy(best_bits_, best_bits_ + num_levels_, bits);
  }

 private:
  // Reads saved per unit of memory by the first bits of level i after a corner.
  double Gain(int i, size_t corner) const {
    return slopes_[corner] * levels_[i].runs / levels_[i].keys;
  }

  const RatePoint& Point(const Choices& choices, int i, size_t corner) const {
    return choices.fixed(i) ? choices.only[i] : hull_.corner(corner);
  }

  // The corner at which all steps of level i with more than this gain are taken.
  size_t CornerAtGain(const Choices& choices, int i, double gain) const {
    if (choices.fixed(i)) return choices.lower[i];
    const double slope = gain * levels_[i].keys / levels_[i].runs;
    return static_cast<size_t>(std::partition_point(slopes_ + choices.lower[i],
                                                    slopes_ + choices.upper[i],
                                                    [=](double s) { return s > slope; }) -
                               slopes_);
  }

  double MemoryAtGain(const Choices& choices, double gain) const {
    double sum = 0;
    for (int i = 0; i < num_levels_; ++i) {
      sum += levels_[i].keys * Point(choices, i, CornerAtGain(choices, i, gain)).bits_per_key;
    }
    return sum;
  }

  Relaxed Relax(const Choices& choices) const {
    Relaxed result;
    // Between these gains lies the one at which the memory is used up.
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (int i = 0; i < num_levels_; ++i) {
      if (choices.fixed(i)) continue;
      high = std::max(high, 2 * Gain(i, choices.lower[i]));
      low = std::min(low, Gain(i, choices.upper[i] - 1) / 2);
    }
    if (MemoryAtGain(choices, high) > memory_) return result;
    result.fits = true;
    if (high > 0 && MemoryAtGain(choices, low) <= memory_) high = low;
    while (high > low * (1 + 1e-12)) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (MemoryAtGain(choices, middle) > memory_ ? low : high) = middle;
    }
    double rest = memory_ - MemoryAtGain(choices, high);
    // Steps of the same gain, level by level.
    for (int i = 0; i < num_levels_; ++i) {
      size_t& corner = result.corner[i];
      corner = CornerAtGain(choices, i, high);
      const size_t last = CornerAtGain(choices, i, low);
      for (; corner < last && result.between < 0; ++corner) {
        const double step = levels_[i].keys * (hull_.corner(corner + 1).bits_per_key -
                                               hull_.corner(corner).bits_per_key);
        if (step > rest) {
          result.between = i;
          result.rest = rest;
          result.bound -= rest * Gain(i, corner);
          break;
        }
        rest -= step;
      }
      result.bound += levels_[i].runs * Point(choices, i, corner).rate;
    }
    return result;
  }

  // Keeps the relaxed division as it can really be had, if it is the best so far. Returns its sum.
  double Keep(const Choices& choices, const Relaxed& relaxed) {
    double bits[kMaxLevels];
    double sum = 0;
    for (int i = 0; i < num_levels_; ++i) {
      RatePoint point = Point(choices, i, relaxed.corner[i]);
      if (i == relaxed.between) {
        const double more = point.bits_per_key + relaxed.rest / levels_[i].keys;
        const double rate =
            more >= AllowedBitsPerKey(format_).min ? FalsePositiveRate(format_, more) : 1;
        if (rate < point.rate) point = {more, rate};
      }
      bits[i] = point.bits_per_key;
      sum += levels_[i].runs * point.rate;
    }
    if (sum < best_sum_) {
      best_sum_ = sum;
      std::copy(bits, bits + num_levels_, best_bits_);
    }
    return sum;
  }

  void Search(const Choices& choices) {
    if (steps_left_ == 0) return;
    --steps_left_;
    const Relaxed relaxed = Relax(choices);
    if (!relaxed.fits || relaxed.bound >= best_sum_ * (1 - kTolerance)) return;
    const int i = relaxed.between;
    if (Keep(choices, relaxed) <= relaxed.bound * (1 + kTolerance) || i < 0) return;
    const size_t corner = relaxed.corner[i];
    Choices fewer = choices;
    fewer.upper[i] = corner;
    if (fewer.fixed(i)) fewer.Fix(i, hull_.corner(corner));
    Search(fewer);
    Choices more = choices;
    more.lower[i] = corner + 1;
    if (more.fixed(i)) more.Fix(i, hull_.corner(corner + 1));
    Search(more);
    Choices one = choices;
    for (size_t s = hull_.sample_of(corner) + 1; s < hull_.sample_of(corner + 1); ++s) {
      one.Fix(i, hull_.sample(s));
      Search(one);
    }
  }

  // A step takes some microseconds per level.
  static constexpr int kMaxSteps = 2048;

  const Format format_;
  const RateHull& hull_;
  const double memory_;
  const LevelKeys* const levels_;
  const int num_levels_;
  int steps_left_;
  double slopes_[RateHull::kMaxSamples];
  double best_sum_ = std::numeric_limits<double>::infinity();
  double best_bits_[kMaxLevels] = {};
};

}  // namespace

void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits) {
  Division(format, memory, levels, num_levels).Solve(bits);
}

}  // namespace bloomline::filter
