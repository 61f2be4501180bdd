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

// The levels of a tree that have files, but for level 0.
struct UsedLevels {
  int top = 0;      // 0: unknown; it may also be below `deepest`
  int deepest = 1;  // at least 1
};

// Bits per key by level.
struct LevelBits {
  int num_bits = 0;
  double bits[kMaxLevels] =
      {};  // num_bits of them: of the bottom, of the level above it, and so on

  // The last number applies to all further levels.
  double operator[](int i) const { return bits[std::min(i, num_bits - 1)]; }

  // The bits of a file in this level. Files below which there are no keys of their range have those
  // of the bottom.
  double At(int level, bool is_bottommost, const UsedLevels& used) const {
    return (*this)[is_bottommost ? 0 : DistanceFromDeepest(level, used)];
  }

  // Level 0 counts as the one above the top.
  static int DistanceFromDeepest(int level, const UsedLevels& used) {
    if (level > 0) return used.deepest - level;
    return used.deepest - std::clamp(used.top, 1, used.deepest) + 1;
  }
};

// Returns the best spread with a mean of bits_per_key. Takes up to a millisecond.
LevelBits SpreadByDistance(Format format, double bits_per_key, const FullLevels& levels);

// The memory of `bits` in bits per key.
double MeanMemory(Format format, const FullLevels& levels, const LevelBits& bits);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LEVEL_RULE_H_
