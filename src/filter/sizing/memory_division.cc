#include "src/filter/sizing/memory_division.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomline/sizing.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline::filter {
namespace {

constexpr uint64_t kTypicalKeys = 1000000;

double RateOfMemory(Format format, double memory_bits) {
  return format == Format::kRibbon ? stock::RibbonRateOfMemory(memory_bits, kTypicalKeys)
                                   : FalsePositiveRate(format, memory_bits);
}

// ---- The lower convex hull of a format's false-positive rate over memory, in bits per key.

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
    case Format::kBloom: {
      static const RateHull hull(Format::kBloom);
      return hull;
    }
    case Format::kRibbon: {
      static const RateHull hull(Format::kRibbon);
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
  const double max = MemoryBits(format, allowed.max);
  Add({0, 1});
  double bits = MemoryBits(format, allowed.min);
  while (bits < max) {
    Add({bits, RateOfMemory(format, bits)});
    bits = NextSample(format, bits);
  }
  Add({max, RateOfMemory(format, max)});
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

// ---- The division.

// Solutions this close to a lower bound count as optimal.
constexpr double kTolerance = 2e-4;

// What each level may take: the corners of the hull from `lower` to `upper`, or, where these are
// the same, one point.
struct Choices {
  size_t lower[kMaxLevels] = {};
  size_t upper[kMaxLevels] = {};
  RatePoint only[kMaxLevels] = {};

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
        least_bits_(MemoryBits(format, AllowedBitsPerKey(format).min)),
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
        const double rate = more >= least_bits_ ? RateOfMemory(format_, more) : 1;
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
  const double least_bits_;  // of a filter
  const double memory_;
  const LevelKeys* const levels_;
  const int num_levels_;
  int steps_left_;
  double slopes_[RateHull::kMaxSamples];
  double best_sum_ = std::numeric_limits<double>::infinity();
  double best_bits_[kMaxLevels] = {};
};

}  // namespace

double MemoryBits(Format format, double bits_per_key) {
  if (format != Format::kRibbon || bits_per_key == 0) return bits_per_key;
  return stock::RibbonMemoryBits(std::max(bits_per_key, kMinBitsPerKey), kTypicalKeys) *
         std::min(bits_per_key / kMinBitsPerKey, 1.0);
}

double BitsOfMemory(Format format, double memory_bits) {
  if (format != Format::kRibbon || memory_bits == 0) return memory_bits;
  return stock::RibbonBitsOfMemory(memory_bits, kTypicalKeys);
}

void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits) {
  Division(format, memory, levels, num_levels).Solve(bits);
  for (int i = 0; i < num_levels; ++i) bits[i] = BitsOfMemory(format, bits[i]);
}

}  // namespace bloomline::filter
