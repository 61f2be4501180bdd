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

  // Removes the corners that the new one makes superfluous.
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

// Made at the first call for the format, which must be known.
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

// A division among levels of more than 0 keys, each of which gets a filter. Every level goes down
// the hull while a bit there saves at least as many reads as elsewhere.
struct Corners {
  std::vector<double> low, high;  // bits of memory per key; all of `high` do not fit
  double low_memory = 0, high_memory = 0;
};

Corners CornersWithin(const RateHull& hull, double memory, const std::vector<LevelKeys>& levels) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const LevelKeys& level : levels) {
    least = std::min(least, level.keys / level.runs);
    most = std::max(most, level.keys / level.runs);
  }
  const auto go_to = [&](double gain, std::vector<double>* bits) {
    double sum = 0;
    bits->clear();
    for (const LevelKeys& level : levels) {
      const size_t corner = hull.CornerAtSlope(gain * level.keys / level.runs);
      bits->push_back(hull.corner(corner).bits_per_key);
      sum += level.keys * bits->back();
    }
    return sum;
  };
  Corners corners;
  const auto gain = LastGain(hull, least, most,
                             [&](double too_low) { return go_to(too_low, &corners.low) > memory; });
  corners.low_memory = go_to(gain.fails, &corners.low);
  corners.high_memory = go_to(gain.holds, &corners.high);
  return corners;
}

// The same with whole steps, as many as fit. One level takes the rest of the memory, or gives what
// the next step lacks: the one that then wastes the fewest reads, because between corners the rate
// may lie above the hull.
std::vector<double> DivideAmong(Format format, double memory,
                                const std::vector<LevelKeys>& levels) {
  const RateHull& hull = Hull(format);
  const Corners corners = CornersWithin(hull, memory, levels);
  std::vector<double> best;
  double fewest_reads = std::numeric_limits<double>::infinity();
  const auto keep_best = [&](const std::vector<double>& bits, double rest) {
    double reads = 0;
    for (size_t i = 0; i < bits.size(); ++i)
      reads += levels[i].runs * RateOfMemory(format, bits[i]);
    if (rest >= 0 && reads < fewest_reads) {
      fewest_reads = reads;
      best = bits;
    }
    for (size_t i = 0; i < bits.size(); ++i) {
      const double changed =
          std::min(bits[i] + rest / levels[i].keys, hull.corner(hull.last()).bits_per_key);
      if (changed < hull.corner(0).bits_per_key) continue;
      const double change = RateOfMemory(format, changed) - RateOfMemory(format, bits[i]);
      const double with_change = reads + levels[i].runs * change;
      if (with_change >= fewest_reads) continue;
      fewest_reads = with_change;
      best = bits;
      best[i] = changed;
    }
  };
  std::vector<double> bits = corners.low;
  double rest = memory - corners.low_memory;
  for (size_t i = 0; i < bits.size(); ++i) {
    const double low = std::exchange(bits[i], corners.high[i]);
    const double step = levels[i].keys * (bits[i] - low);
    rest -= step;
    if (rest >= 0) continue;
    keep_best(bits, rest);
    rest += step;
    bits[i] = low;
  }
  keep_best(bits, rest);
  return best;
}

}  // namespace

double MemoryBits(Format format, double bits_per_key) {
  if (RowOf(format).bits_are_memory) return bits_per_key;
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
    std::vector<LevelKeys> among;
    for (const int i : filtered) among.push_back(levels[i]);
    const std::vector<double> memory_bits = DivideAmong(format, memory, among);
    if (memory_bits.empty()) return;  // the sum of the least filters, rounded, may exceed `memory`
    double reads = unfiltered_runs;
    for (size_t i = 0; i < among.size(); ++i) {
      reads -= among[i].runs * (1 - RateOfMemory(format, memory_bits[i]));
    }
    if (reads >= fewest_reads) return;
    fewest_reads = reads;
    for (const int i : order) bits[i] = 0;
    for (size_t i = 0; i < filtered.size(); ++i) {
      bits[filtered[i]] = BitsOfMemory(format, memory_bits[i]);
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
  const Corners corners = CornersWithin(Hull(format), memory, levels);
  const double low = corners.low.back();
  if (memory < corners.low_memory) return std::max(low * memory / corners.low_memory, 0.0);
  // The levels whose next step has this gain take the same part of it. The largest filters have no
  // next step.
  const double step = corners.high_memory - corners.low_memory;
  if (!(step > 0)) return low;
  const double part = (memory - corners.low_memory) / step;
  return low + std::min(part, 1.0) * (corners.high.back() - low);
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
