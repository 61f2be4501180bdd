#include "src/filter/sizing/level_rule.h"

#include "src/filter/sizing/memory_divider.h"

namespace bloomline::filter {
namespace {

// RocksDB's default. With a ratio of 10, further levels would hold a millionth of the keys.
constexpr int kAssumedLevels = 7;

// Sets `keys` to those that count for the mean, as fractions of all such keys, from the top down.
// Returns the number of levels.
int CountedKeys(const FullLevels& levels, double* keys) {
  const int num_levels = levels.num_levels == 0 ? kAssumedLevels : levels.num_levels;
  KeysOfLevels(num_levels, levels.level_size_ratio, keys);
  if (levels.counts_bottom) return num_levels;
  const double others = 1 - keys[num_levels - 1];
  keys[num_levels - 1] = 0;
  for (int i = 0; i < num_levels; ++i) keys[i] /= others;
  return num_levels;
}

}  // namespace

LevelBits SpreadByDistance(Format format, double bits_per_key, const FullLevels& levels) {
  double keys[kMaxLevels];
  const int num_levels = CountedKeys(levels, keys);
  LevelBits spread;
  spread.num_bits = num_levels;
  double* const bits = spread.bits;
  SpreadBitsByLevel(format, bits_per_key, keys, nullptr, num_levels, bits);
  // With next to no memory, no filter at the bottom may be best for the levels assumed, but not for
  // fewer levels: five at 3 bits per key, compact, would waste 1.01 reads per lookup instead of
  // 0.72.
  const int largest = num_levels - (levels.counts_bottom ? 1 : 2);
  if (levels.num_levels == 0 && bits[largest] == 0) {
    std::fill(bits, bits + num_levels, bits_per_key);
  }
  std::reverse(bits, bits + num_levels);
  return spread;
}

double MeanMemory(Format format, const FullLevels& levels, const LevelBits& bits) {
  double keys[kMaxLevels];
  const int num_levels = CountedKeys(levels, keys);
  double sum = 0;
  for (int i = 0; i < num_levels; ++i) {
    sum += keys[num_levels - 1 - i] * MemoryBits(format, bits[i]);
  }
  return sum;
}

}  // namespace bloomline::filter
