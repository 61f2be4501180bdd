// Divides memory among levels so that the sum of their false-positive rates is least.
#ifndef BLOOMLINE_FILTER_SIZING_MEMORY_DIVISION_H_
#define BLOOMLINE_FILTER_SIZING_MEMORY_DIVISION_H_

#include "bloomline/filter_options.h"
#include "bloomline/level_sizing.h"

namespace bloomline::filter {

// Allowed numbers of runs, as level_sizing.h says.
constexpr double kMinRuns = 1e-6, kMaxRuns = 1e6;
inline bool IsRuns(double runs) { return runs >= kMinRuns && runs <= kMaxRuns; }
inline bool IsLevelSizeRatio(double ratio) { return ratio >= 1 && ratio <= kMaxLevelSizeRatio; }

struct LevelKeys {
  double keys;  // 0 or more
  double runs;  // more than 0
};

// The memory that bits_per_key stand for, and back: the same number, but in kRibbon, where memory
// is that of filters of a million keys. Between them, 0 is no filter.
double MemoryBits(Format format, double bits_per_key);
double BitsOfMemory(Format format, double memory_bits);

// bits[i] for each of num_levels levels, with sum of keys * MemoryBits at most `memory`, 0 or more.
void DivideMemory(Format format, double memory, const LevelKeys* levels, int num_levels,
                  double* bits);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_MEMORY_DIVISION_H_
