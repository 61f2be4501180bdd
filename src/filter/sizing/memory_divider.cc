#include "src/filter/sizing/memory_divider.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bloomline/sizing.h"
#include "src/filter/options/formats.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/bisection.h"

namespace bloomline::filter {
namespace {

constexpr uint64_t kTypicalKeys = 1000000;

double RateOfMemory(Format format, double memory_bits) {
  return RowOf(format).bits_are_memory ? FalsePositiveRate(format, memory_bits)
                                       : stock::RibbonRateOfMemory(memory_bits, kTypicalKeys);
}

struct RatePoint {
  double bits_per_key;
  double rate;
};

// Half a step away from the best bits per key, the sum of the rates is 0.02 % above the least one.
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

// The lower convex hull of a format's false-positive rate over memory, in bits per key: its corners
// from the least bits of a filter to the most. Corners are neighbouring samples, except where the
// curve is not convex: at the bits per key where another number of probes, or another size of
// blocks, begins.
class RateHull {
 public:
  explicit RateHull(Format format) {
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    const double max = MemoryBits(format, allowed.max);
    double bits = MemoryBits(format, allowed.min);
    for (; bits < max; bits = NextSample(format, bits)) Add({bits, RateOfMemory(format, bits)});
    Add({max, RateOfMemory(format, max)});
    for (size_t i = 0; i + 1 < corners_.size(); ++i) slopes_.push_back(Slope(i));
  }

  const RatePoint& corner(size_t i) const { return corners_[i]; }
  size_t last() const { return corners_.size() - 1; }

  // The fall of the rate per bit after corner i; decreases in i.
  double slope(size_t i) const { return slopes_[i]; }

  // A lower bound of the rate.
  double RateAt(double bits_per_key) const {
    const auto above =
        std::upper_bound(corners_.begin() + 1, corners_.end() - 1, bits_per_key,
                         [](double b, const RatePoint& c) { return b < c.bits_per_key; });
    const auto i = static_cast<size_t>(above - corners_.begin()) - 1;
    return corners_[i].rate - slopes_[i] * (bits_per_key - corners_[i].bits_per_key);
  }

  // The corner from which on slopes are at most this.
  size_t CornerAtSlope(double slope) const {
    return static_cast<size_t>(
        std::partition_point(slopes_.begin(), slopes_.end(), [=](double s) { return s > slope; }) -
        slopes_.begin());
  }

 private:
  double Slope(size_t i) const {
    return (corners_[i].rate - corners_[i + 1].rate) /
           (corners_[i + 1].bits_per_key - corners_[i].bits_per_key);
  }

  // Corners that the new one makes superfluous are removed.
  void Add(RatePoint sample) {
    if (!corners_.empty() && sample.rate >= corners_.back().rate) return;
    corners_.push_back(sample);
    while (corners_.size() > 2 && Slope(corners_.size() - 3) <= Slope(corners_.size() - 2)) {
      corners_.erase(corners_.end() - 2);
    }
  }

  std::vector<RatePoint> corners_;
  std::vector<double> slopes_;
};

// Made at the first call for the format, which IsKnown.
const RateHull& Hull(Format format) {
  static std::mutex mutex;
  static std::map<Format, RateHull>& hulls = *new std::map<Format, RateHull>;
  const std::lock_guard lock(mutex);
  return hulls.try_emplace(format, format).first->second;
}

// Returns the gain (reads saved per unit of memory) at which levels with `least` to `most` keys per
// run use the memory up: takes_too_much(gain) holds below it.
template <typename TakesTooMuch>
support::Border<double> LastGain(const RateHull& hull, double least, double most,
                                 TakesTooMuch takes_too_much) {
  const auto middle = [](double from, double to) {
    return to > from * (1 + 1e-12) ? std::sqrt(from) * std::sqrt(to) : from;
  };
  return support::BisectAt(middle, hull.slope(hull.last() - 1) / most / 2,
                           2 * hull.slope(0) / least, takes_too_much);
}

// The division of the memory among some levels, each of which gets a filter. Every level goes down
// the hull while a bit there saves at least as many reads as elsewhere. Mostly the last step of one
// level does not fit. Then one level takes the rest of the memory, or gives what this step lacks:
// the one that wastes the fewest reads, because there the curve may lie above the hull.
class Spread {
 public:
  Spread(Format format, double memory, const LevelKeys* levels, const std::vector<int>& filtered)
      : format_(format),
        hull_(Hull(format)),
        memory_(memory),
        levels_(levels),
        filtered_(filtered),
        corners_(filtered.size()) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const int i : filtered_) {
      least = std::min(least, KeysPerRun(i));
      most = std::max(most, KeysPerRun(i));
    }
    const auto gain = LastGain(hull_, least, most, [this](double too_low) {
      GoToGain(too_low);
      return rest() < 0;
    });
    GoToGain(gain.fails);
    TakeSteps(gain.holds);
  }

  // The reads that the filtered levels waste, and the bits per key of each, in the order of
  // `filtered`.
  double wasted_reads() const { return best_reads_; }
  const std::vector<double>& bits() const { return best_bits_; }

 private:
  double KeysPerRun(int i) const { return levels_[i].keys / levels_[i].runs; }

  void GoToGain(double gain) {
    for (size_t i = 0; i < filtered_.size(); ++i) {
      corners_[i] = hull_.CornerAtSlope(gain * KeysPerRun(filtered_[i]));
    }
  }

  // The memory that the corners leave; less than 0 if they take too much.
  double rest() const {
    double memory = memory_;
    for (size_t i = 0; i < filtered_.size(); ++i) {
      memory -= levels_[filtered_[i]].keys * hull_.corner(corners_[i]).bits_per_key;
    }
    return memory;
  }

  // Takes the steps of at least this gain that fit, level by level; keeps the best use of the rest.
  void TakeSteps(double gain) {
    bool fits = true;
    for (size_t i = 0; i < filtered_.size() && fits; ++i) {
      const size_t end = hull_.CornerAtSlope(gain * KeysPerRun(filtered_[i]));
      while (corners_[i] < end && fits) {
        ++corners_[i];
        fits = rest() >= 0;
        if (fits) continue;
        KeepBest();
        --corners_[i];
      }
    }
    KeepBest();
  }

  // Keeps the corners with one level changed by the rest, if that wastes the fewest reads so far.
  void KeepBest() {
    const double rest_now = rest();
    double reads = 0;
    std::vector<double> bits;
    for (size_t i = 0; i < filtered_.size(); ++i) {
      bits.push_back(hull_.corner(corners_[i]).bits_per_key);
      reads += levels_[filtered_[i]].runs * hull_.corner(corners_[i]).rate;
    }
    if (rest_now >= 0) Keep(reads, bits);
    for (size_t i = 0; i < filtered_.size(); ++i) {
      const LevelKeys& level = levels_[filtered_[i]];
      const RatePoint& corner = hull_.corner(corners_[i]);
      const double changed = std::min(corner.bits_per_key + rest_now / level.keys,
                                      hull_.corner(hull_.last()).bits_per_key);
      const double least_reads = reads + level.runs * (hull_.RateAt(changed) - corner.rate);
      if (changed < hull_.corner(0).bits_per_key || least_reads >= best_reads_) continue;
      std::vector<double> with_change = bits;
      with_change[i] = changed;
      Keep(reads + level.runs * (RateOfMemory(format_, changed) - corner.rate), with_change);
    }
  }

  void Keep(double reads, const std::vector<double>& bits) {
    if (reads >= best_reads_) return;
    best_reads_ = reads;
    best_bits_ = bits;
  }

  const Format format_;
  const RateHull& hull_;
  const double memory_;
  const LevelKeys* const levels_;
  const std::vector<int>& filtered_;
  std::vector<size_t> corners_;  // in the order of filtered_
  double best_reads_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_bits_;
};

}  // namespace

double MemoryBits(Format format, double bits_per_key) {
  if (RowOf(format).bits_are_memory || bits_per_key == 0) return bits_per_key;
  return stock::RibbonMemoryBits(std::max(bits_per_key, kMinBitsPerKey), kTypicalKeys) *
         std::min(bits_per_key / kMinBitsPerKey, 1.0);
}

double BitsOfMemory(Format format, double memory_bits) {
  if (RowOf(format).bits_are_memory) return memory_bits;
  const double least = MemoryBits(format, kMinBitsPerKey);
  if (memory_bits < least) return memory_bits / least * kMinBitsPerKey;
  return stock::RibbonBitsOfMemory(memory_bits, kTypicalKeys);
}

double RibbonBitsOfCompact(double bits_per_key) {
  return std::round(100 * BitsOfMemory(Format::kRibbon, bits_per_key)) / 100;
}

void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits) {
  const double least_bits = MemoryBits(format, AllowedBitsPerKey(format).min);
  std::vector<int> order;  // by the memory that saves a read
  double unfiltered_runs = 0;
  for (int i = 0; i < num_levels; ++i) {
    bits[i] = levels[i].keys == 0 ? AllowedBitsPerKey(format).max : 0;
    if (levels[i].keys == 0) continue;
    order.push_back(i);
    unfiltered_runs += levels[i].runs;
  }
  std::stable_sort(order.begin(), order.end(), [levels](int a, int b) {
    return levels[a].keys / levels[a].runs < levels[b].keys / levels[b].runs;
  });
  // Levels get filters in this order, as many as waste the fewest reads. If there is not enough
  // memory for all, each is also tried as the first, because a larger level may have more runs.
  double fewest_reads = unfiltered_runs;
  const auto divide = [&](const std::vector<int>& filtered) {
    double reads = unfiltered_runs;
    for (const int i : filtered) reads -= levels[i].runs;
    const Spread spread(format, memory, levels, filtered);
    if (spread.wasted_reads() + reads >= fewest_reads) return;
    fewest_reads = spread.wasted_reads() + reads;
    for (const int i : order) bits[i] = 0;
    for (size_t i = 0; i < filtered.size(); ++i) {
      bits[filtered[i]] = BitsOfMemory(format, spread.bits()[i]);
    }
  };
  const auto divide_from = [&](std::vector<int> filtered) {
    double least = 0;
    for (const int i : filtered) least += levels[i].keys * least_bits;
    if (least > memory) return false;
    if (!filtered.empty()) divide(filtered);
    for (const int next : order) {
      if (!filtered.empty() && next == filtered[0]) continue;
      least += levels[next].keys * least_bits;
      if (least > memory) return false;
      filtered.push_back(next);
      divide(filtered);
    }
    return true;
  };
  if (divide_from({})) return;
  for (const int first : order) divide_from({first});
}

double MemoryBitsOfLast(Format format, double memory, const std::vector<LevelKeys>& levels) {
  const RateHull& hull = Hull(format);
  const auto bits_at = [&hull](double gain, const LevelKeys& level) {
    return hull.corner(hull.CornerAtSlope(gain * level.keys / level.runs)).bits_per_key;
  };
  const auto memory_at = [&](double gain) {
    double sum = 0;
    for (const LevelKeys& level : levels) sum += level.keys * bits_at(gain, level);
    return sum;
  };
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const LevelKeys& level : levels) {
    least = std::min(least, level.keys / level.runs);
    most = std::max(most, level.keys / level.runs);
  }
  const auto gain =
      LastGain(hull, least, most, [&](double too_low) { return memory_at(too_low) > memory; });
  const double low = bits_at(gain.fails, levels.back());
  const double high = bits_at(gain.holds, levels.back());
  const double taken = memory_at(gain.fails);
  if (memory < taken) return std::max(low * memory / taken, 0.0);
  // The levels whose next step has this gain take the same part of it. The largest filters have no
  // next step.
  const double step = memory_at(gain.holds) - taken;
  if (!(step > 0)) return low;
  const double part = (memory - taken) / step;
  return low + std::min(part, 1.0) * (high - low);
}

Divider::Divider(BitsPerKeyRange range, int steps_per_bit, Divide divide)
    : steps_per_bit_(steps_per_bit),
      first_step_(static_cast<int>(std::ceil(range.min * steps_per_bit_))),
      last_step_(static_cast<int>(std::floor(range.max * steps_per_bit_))),
      divide_(std::move(divide)) {}

template <typename Holds>
int Divider::FirstStep(Holds holds) const {
  const auto fails = [&](int step) { return !holds(AtStep(step)); };
  return support::Bisect(first_step_ - 1, last_step_ + 1, fails).fails;
}

std::optional<Division> Divider::Within(double bytes) const {
  const int too_many = FirstStep([=](const Division& at) { return at.bytes > bytes; });
  if (too_many == first_step_) return std::nullopt;
  Division division = AtStep(too_many - 1);
  if (division.bytes == 0) return std::nullopt;
  return division;
}

std::optional<Division> Divider::For(double wasted_reads) const {
  const int step = FirstStep([=](const Division& at) { return at.wasted_reads <= wasted_reads; });
  if (step > last_step_) return std::nullopt;
  return AtStep(step);
}

Division Divider::Least() const {
  return AtStep(FirstStep([](const Division& at) { return at.bytes > 0; }));
}

}  // namespace bloomline::filter
