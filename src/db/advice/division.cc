#include "src/db/advice/division.h"

#include <algorithm>
#include <cmath>

#include "bloomline/level_sizing.h"
#include "src/db/engine_filters/engine_filter.h"

namespace bloomline::advice {
namespace {

using engine_filters::FiguresFor;
using engine_filters::FilterFigures;

constexpr int kStepsPerBit = 100;

// More bits gain nothing, because filters have at most 30 probes (filter_options.h).
double MostBits(Format format) {
  constexpr double kMostUsefulBits = 45;
  return std::min(AllowedBitsPerKey(format).max, kMostUsefulBits);
}

// Rounds down to hundredths, so that the memory is not exceeded; but not below the format's range.
double RoundedDown(Format format, double bits) {
  constexpr double kRoundingError = 1e-9;
  if (bits == 0) return 0;
  return std::clamp(std::floor(bits * 100 + kRoundingError) / 100, AllowedBitsPerKey(format).min,
                    MostBits(format));
}

// The bits of RocksDB's policy for each level with bits_by_level=auto: bits by the distance from
// the deepest level, spread over seven full levels. Level 0 is one above the first level below it
// that has keys. docs/rocksdb.md has the policy's rules for files that these do not apply to.
// Returns the bits of bottommost files.
double SpreadAsPolicy(const Situation& tree, Format format, double bits_per_key,
                      double* bits_of_level) {
  constexpr int kAssumedLevels = 7;
  double keys[kAssumedLevels];
  double bits[kAssumedLevels];
  KeysOfLevels(kAssumedLevels, tree.level_size_ratio, keys);
  SpreadBitsByLevel(format, bits_per_key, keys, nullptr, kAssumedLevels, bits);
  const bool is_none_at_bottom = bits[kAssumedLevels - 1] == 0;
  const int deepest = tree.levels.back().number;
  for (size_t i = 0; i < tree.levels.size(); ++i) {
    const int number = tree.levels[i].number;
    const bool is_above_others = number == 0 && tree.levels.size() > 1;
    const int distance = is_above_others ? deepest - tree.levels[1].number + 1 : deepest - number;
    bits_of_level[i] = is_none_at_bottom
                           ? bits_per_key
                           : bits[kAssumedLevels - 1 - std::min(distance, kAssumedLevels - 1)];
  }
  return is_none_at_bottom ? bits_per_key : bits[kAssumedLevels - 1];
}

uint64_t KeysPerFilter(const Level& level) {
  const uint64_t rest = level.num_keys % level.num_filters;
  const uint64_t mean = level.num_keys / level.num_filters + (rest >= level.num_filters - rest);
  return std::max<uint64_t>(1, mean);
}

// The figures of these bits, rounded down to hundredths.
Division Divide(const Situation& tree, Format format, bool by_level, double bits_per_key) {
  Division division;
  division.bits_per_key = RoundedDown(format, bits_per_key);
  division.bits_of_level.assign(tree.levels.size(), bits_per_key);
  double bottommost_bits = bits_per_key;
  if (by_level) {
    bottommost_bits = SpreadAsPolicy(tree, format, bits_per_key, division.bits_of_level.data());
  }
  bottommost_bits = RoundedDown(format, bottommost_bits);
  for (size_t i = 0; i < tree.levels.size(); ++i) {
    const Level& level = tree.levels[i];
    double& of_level = division.bits_of_level[i];
    of_level = RoundedDown(format, of_level);
    const FilterFigures others = FiguresFor(tree.engine, format, KeysPerFilter(level), of_level);
    const FilterFigures bottommost =
        level.bottommost_share == 0
            ? others
            : FiguresFor(tree.engine, format, KeysPerFilter(level), bottommost_bits);
    const auto mean = [&](double of_others, double of_bottommost) {
      return of_others + level.bottommost_share * (of_bottommost - of_others);
    };
    of_level = Hundredths(mean(of_level, bottommost_bits));
    division.bytes +=
        mean(others.bytes_per_key, bottommost.bytes_per_key) * static_cast<double>(level.num_keys);
    division.wasted_reads += mean(others.rate, bottommost.rate) * level.num_runs;
  }
  return division;
}

}  // namespace

Divider MakeDivider(const Situation& tree, Format format, bool by_level) {
  return Divider(
      {AllowedBitsPerKey(format).min, MostBits(format)}, kStepsPerBit,
      [&tree, format, by_level](double bits) { return Divide(tree, format, by_level, bits); });
}

}  // namespace bloomline::advice
