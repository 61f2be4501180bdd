// The rule of bits_by_level=auto: bits per key by the distance from the deepest level with data.
#ifndef BLOOMLINE_FILTER_SIZING_LEVEL_RULE_H_
#define BLOOMLINE_FILTER_SIZING_LEVEL_RULE_H_

#include <algorithm>

#include "bloomline/filter_options.h"
#include "bloomline/level_sizing.h"

namespace bloomline::filter {

// The levels that bits are spread over, each as full as it may be.
struct FullLevels {
  int num_levels = 0;  // 0: unknown; seven are assumed
  double level_size_ratio = 0;
  // Whether the mean includes the keys of the last level.
  bool counts_bottom = true;
};

// Sets `bits` to the best spread with a mean of bits_per_key, from the bottom up. Returns how many
// it has, at most kMaxLevels.
int SpreadByDistance(Format format, double bits_per_key, const FullLevels& levels, double* bits);

// The memory of `bits`, from the bottom up, in bits per key.
double MeanMemory(Format format, const FullLevels& levels, const double* bits);

// Returns how many levels deeper than `level` the deepest one is; it is at least level 1. Level 0
// counts as the one above `top`, the first level below it in use. `top` may be 0, if it is not
// known, or more than `deepest`.
inline int DistanceFromDeepest(int level, int top, int deepest) {
  if (level > 0) return deepest - level;
  return deepest - std::clamp(top, 1, deepest) + 1;
}

// Returns bits[i]. The last one applies to all further levels.
inline double BitsAt(int i, const double* bits, int num_bits) {
  return bits[std::min(i, num_bits - 1)];
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LEVEL_RULE_H_
