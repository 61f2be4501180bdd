#include "src/sizing/memory_division.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bloomline/sizing.h"
#include "src/sizing/rate_hull.h"

namespace bloomline::core {
namespace {

// Solutions this close to a lower bound count as optimal.
constexpr double kTolerance = 2e-4;

// The corners of the hull that each level may take.
struct Corners {
  size_t lower[kMaxLevels];
  size_t upper[kMaxLevels];
};

// The best division if a level could have any point of the hull: each level is at a corner, except
// at most one between two. The rates of this division sum up to a lower bound.
struct Relaxed {
  bool fits = false;  // the lower corners do
  size_t corner[kMaxLevels];
  int between = -1;  // the level between its corner and the next, by `rest`
  double rest = 0;   // memory for it
  double bound = 0;
};

// Branch and bound over the corners. Nearly always the first division is within the tolerance: the
// level between two corners takes the bits that are left, where the curve of the rates is as low as
// the hull. It is not if that level has too few bits for a filter. Then two searches follow, one in
// which it has none, and one in which it has enough.
class Division {
 public:
  Division(Format format, double memory, const LevelKeys* levels, int num_levels)
      : format_(format),
        hull_(RateHull::Of(format)),
        memory_(memory),
        levels_(levels),
        num_levels_(num_levels),
        // About a millisecond.
        nodes_left_(std::max(32, 1024 / num_levels)) {
    for (size_t i = 0; i + 1 < hull_.size(); ++i) slopes_[i] = hull_.slope(i);
  }

  void Solve(double* bits) {
    Corners corners;
    for (int i = 0; i < num_levels_; ++i) {
      corners.upper[i] = hull_.size() - 1;
      corners.lower[i] = levels_[i].keys > 0 ? 0 : corners.upper[i];
    }
    Search(corners);
    std::copy(best_bits_, best_bits_ + num_levels_, bits);
  }

 private:
  // Reads saved per unit of memory by the first bits of level i after a corner.
  double Gain(int i, size_t corner) const {
    return slopes_[corner] * levels_[i].runs / levels_[i].keys;
  }

  // The corner at which all steps of level i with more than this gain are taken.
  size_t CornerAtGain(const Corners& corners, int i, double gain) const {
    if (corners.lower[i] == corners.upper[i]) return corners.lower[i];
    const double slope = gain * levels_[i].keys / levels_[i].runs;
    const double* const end = slopes_ + corners.upper[i];
    return static_cast<size_t>(
        std::partition_point(slopes_ + corners.lower[i], end, [=](double s) { return s > slope; }) -
        slopes_);
  }

  double MemoryAtGain(const Corners& corners, double gain) const {
    double sum = 0;
    for (int i = 0; i < num_levels_; ++i) {
      sum += levels_[i].keys * hull_[CornerAtGain(corners, i, gain)].bits_per_key;
    }
    return sum;
  }

  Relaxed Relax(const Corners& corners) const {
    Relaxed result;
    // Between these gains lies the one at which the memory is used up.
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (int i = 0; i < num_levels_; ++i) {
      if (corners.lower[i] == corners.upper[i]) continue;
      high = std::max(high, 2 * Gain(i, corners.lower[i]));
      low = std::min(low, Gain(i, corners.upper[i] - 1) / 2);
    }
    if (MemoryAtGain(corners, high) > memory_) return result;
    result.fits = true;
    if (high > 0 && MemoryAtGain(corners, low) <= memory_) high = low;
    while (high > low * (1 + 1e-14)) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (MemoryAtGain(corners, middle) > memory_ ? low : high) = middle;
    }
    double rest = memory_ - MemoryAtGain(corners, high);
    // Steps of the same gain, level by level.
    for (int i = 0; i < num_levels_; ++i) {
      size_t& corner = result.corner[i];
      corner = CornerAtGain(corners, i, high);
      const size_t last = CornerAtGain(corners, i, low);
      for (; corner < last && result.between < 0; ++corner) {
        const double step =
            levels_[i].keys * (hull_[corner + 1].bits_per_key - hull_[corner].bits_per_key);
        if (step > rest) {
          result.between = i;
          result.rest = rest;
          result.bound -= rest * Gain(i, corner);
          break;
        }
        rest -= step;
      }
      result.bound += levels_[i].runs * hull_[corner].rate;
    }
    return result;
  }

  // Keeps the relaxed division as it can really be had, if it is the best so far. Returns its sum.
  double Keep(const Relaxed& relaxed) {
    double bits[kMaxLevels];
    double sum = 0;
    for (int i = 0; i < num_levels_; ++i) {
      RatePoint point = hull_[relaxed.corner[i]];
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

  void Search(const Corners& corners) {
    if (nodes_left_ == 0) return;
    --nodes_left_;
    const Relaxed relaxed = Relax(corners);
    if (!relaxed.fits || relaxed.bound >= best_sum_ * (1 - kTolerance)) return;
    if (Keep(relaxed) <= relaxed.bound * (1 + kTolerance) || relaxed.between < 0) return;
    const size_t corner = relaxed.corner[relaxed.between];
    Corners fewer = corners;
    fewer.upper[relaxed.between] = corner;
    Search(fewer);
    Corners more = corners;
    more.lower[relaxed.between] = corner + 1;
    Search(more);
  }

  const Format format_;
  const RateHull& hull_;
  const double memory_;
  const LevelKeys* const levels_;
  const int num_levels_;
  int nodes_left_;
  double slopes_[RateHull::kMaxPoints];
  double best_sum_ = std::numeric_limits<double>::infinity();
  double best_bits_[kMaxLevels] = {};
};

}  // namespace

void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits) {
  Division(format, memory, levels, num_levels).Solve(bits);
}

}  // namespace bloomline::core
