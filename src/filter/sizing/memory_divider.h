// Divides the memory of filters among the levels of an LSM tree.
#ifndef BLOOMLINE_FILTER_SIZING_MEMORY_DIVIDER_H_
#define BLOOMLINE_FILTER_SIZING_MEMORY_DIVIDER_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "bloomline/filter_options.h"
#include "bloomline/level_sizing.h"

namespace bloomline::filter {

// Allowed numbers of runs, as level_sizing.h says.
constexpr double kMinRuns = 1e-6, kMaxRuns = 1e6;
inline bool IsRuns(double runs) { return runs >= kMinRuns && runs <= kMaxRuns; }
inline bool IsLevelSizeRatio(double ratio) { return ratio >= 1 && ratio <= kMaxLevelSizeRatio; }

// RocksDB's default, which is used in place of a ratio that is not allowed.
constexpr double kDefaultLevelSizeRatio = 10;
inline double LevelSizeRatioOrDefault(double ratio) {
  return IsLevelSizeRatio(ratio) ? ratio : kDefaultLevelSizeRatio;
}

struct LevelKeys {
  double keys;  // 0 or more
  double runs;  // more than 0
};

// The memory of bits_per_key, and the reverse. They are the same number except in kRibbon, whose
// memory is that of filters of a million keys. In both, 0 means no filter.
double MemoryBits(Format format, double bits_per_key);
double BitsOfMemory(Format format, double memory_bits);
// The bits_per_key of kRibbon that take the memory of compact filters, which RocksDB's policies had
// before 0.4.0; rounded to hundredths.
double RibbonBitsOfCompact(double bits_per_key);

// Sets bits[i] for each of num_levels levels, so that the sum of the false-positive rates of all
// runs is least, with a sum of keys * MemoryBits of at most `memory`, 0 or more.
void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits);

// The bits of memory per key of the last of these levels, each of more than 0 keys, in the same
// division, but with rates on the lower convex hull, so that they rise steadily with `memory`. If
// it does not suffice for filters in all levels, each gets the same part of the least filter.
double MemoryBitsOfLast(Format format, double memory, const std::vector<LevelKeys>& levels);

// The bits per key of levels, with their memory and wasted reads.
struct Division {
  double bits_per_key = 0;            // that were divided
  std::vector<double> bits_of_level;  // 0: no filter
  double bytes = 0;
  double wasted_reads = 0;
};

// Looks for the bits per key that meet a limit. The library and `bloomline db advise` each have a
// function that divides bits per key and knows what the filters then cost. More bits per key must
// neither take fewer bytes nor waste more reads.
class Divider {
 public:
  using Divide = std::function<Division(double bits_per_key)>;

  // Tries multiples of 1 / steps_per_bit in the range.
  Divider(BitsPerKeyRange range, int steps_per_bit, Divide divide);

  // The fewest wasted reads within `bytes`. None if these are too few for any filters.
  std::optional<Division> Within(double bytes) const;
  // The least memory for at most wasted_reads. None if that is out of reach.
  std::optional<Division> For(double wasted_reads) const;
  Division At(double bits_per_key) const { return divide_(bits_per_key); }

  // The smallest division with filters, and the one that wastes least.
  Division Least() const;
  Division Most() const { return AtStep(last_step_); }

 private:
  Division AtStep(int step) const { return divide_(step / steps_per_bit_); }
  // The first step at which holds(division) is true, as it is from there on; last_step_ + 1 if it
  // is false everywhere.
  template <typename Holds>
  int FirstStep(Holds holds) const;

  const double steps_per_bit_;
  const int first_step_;
  const int last_step_;
  const Divide divide_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_MEMORY_DIVIDER_H_
