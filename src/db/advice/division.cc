#include "src/db/advice/division.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
double SpreadAsPolicy(const Tree& tree, Format format, double bits_per_key, double* bits_of_level) {
  constexpr int kAssumedLevels = 7;
  double keys[kAssumedLevels];
  double bits[kAssumedLevels];
  KeysOfLevels(kAssumedLevels, tree.level_size_ratio, keys);
  SpreadBitsByLevel(format, bits_per_key, keys, nullptr, kAssumedLevels, bits);
  const bool is_none_at_bottom = bits[kAssumedLevels - 1] == 0;
  const int deepest = tree.levels.back().number;
  for (int i = 0; i < tree.size(); ++i) {
    const int number = tree.levels[static_cast<size_t>(i)].number;
    const bool is_above_others = number == 0 && tree.size() > 1;
    const int distance = is_above_others ? deepest - tree.levels[1].number + 1 : deepest - number;
    bits_of_level[i] = is_none_at_bottom
                           ? bits_per_key
                           : bits[kAssumedLevels - 1 - std::min(distance, kAssumedLevels - 1)];
  }
  return is_none_at_bottom ? bits_per_key : bits[kAssumedLevels - 1];
}

}  // namespace

Tree::Tree(const Situation& situation)
    : engine(situation.engine),
      level_size_ratio(filter::IsLevelSizeRatio(situation.level_size_ratio)
                           ? situation.level_size_ratio
                           : Situation().level_size_ratio) {
  for (const Level& level : situation.levels) {
    if (level.num_keys == 0) continue;
    levels.push_back(level);
    keys.push_back(static_cast<double>(level.num_keys));
    runs.push_back(level.num_runs);
  }
}

double Tree::all_keys() const { return std::accumulate(keys.begin(), keys.end(), 0.0); }
double Tree::all_runs() const { return std::accumulate(runs.begin(), runs.end(), 0.0); }

namespace {

// The mean figures of filters in RocksDB's files or partitions, which have num_keys keys on
// average. Files and partitions end with a data block, an index partition, or a full filter. So
// their sizes differ, and one filter gains what another loses to a whole block.
FilterFigures MeanFiguresFor(sstable::Engine engine, Format format, uint64_t num_keys,
                             double bits_per_key) {
  constexpr uint64_t kManyBlocks = 5000;  // a block is less than 1 % of a filter at 10 bits per key
  constexpr double kBlockBits = 512;
  if (engine == sstable::Engine::kLevelDB || bits_per_key == 0 || num_keys >= kManyBlocks) {
    return FiguresFor(engine, format, num_keys, bits_per_key);
  }
  // Sizes that differ by a block from the smallest to the largest.
  constexpr int kSizes = 8;
  FilterFigures mean{0, 0};
  double all_keys = 0;
  for (int i = 0; i < kSizes; ++i) {
    const double offset = ((i + 0.5) / kSizes - 0.5) * kBlockBits / bits_per_key;
    const double keys = std::max(1.0, std::round(static_cast<double>(num_keys) + offset));
    const FilterFigures figures =
        FiguresFor(engine, format, static_cast<uint64_t>(keys), bits_per_key);
    mean.bytes_per_key += figures.bytes_per_key * keys;
    mean.rate += figures.rate / kSizes;
    all_keys += keys;
  }
  mean.bytes_per_key /= all_keys;
  return mean;
}

uint64_t KeysPerFilter(const Level& level) {
  const uint64_t rest = level.num_keys % level.num_filters;
  const uint64_t mean = level.num_keys / level.num_filters + (rest >= level.num_filters - rest);
  return std::max<uint64_t>(1, mean);
}

// The figures of these bits, rounded down to hundredths.
Division Divide(const Tree& tree, Format format, bool by_level, double bits_per_key) {
  Division division;
  division.bits_per_key = RoundedDown(format, bits_per_key);
  division.bits_of_level.assign(tree.keys.size(), bits_per_key);
  double bottommost_bits = bits_per_key;
  if (by_level) {
    bottommost_bits = SpreadAsPolicy(tree, format, bits_per_key, division.bits_of_level.data());
  }
  bottommost_bits = RoundedDown(format, bottommost_bits);
  for (size_t i = 0; i < tree.keys.size(); ++i) {
    const Level& level = tree.levels[i];
    double& of_level = division.bits_of_level[i];
    of_level = RoundedDown(format, of_level);
    const auto figures_of = level.num_filters > 1 ? MeanFiguresFor : FiguresFor;
    const FilterFigures others = figures_of(tree.engine, format, KeysPerFilter(level), of_level);
    const FilterFigures bottommost =
        level.bottommost_share == 0
            ? others
            : figures_of(tree.engine, format, KeysPerFilter(level), bottommost_bits);
    const auto mean = [&](double of_others, double of_bottommost) {
      return of_others + level.bottommost_share * (of_bottommost - of_others);
    };
    of_level = Hundredths(mean(of_level, bottommost_bits));
    division.bytes += mean(others.bytes_per_key, bottommost.bytes_per_key) * tree.keys[i];
    division.wasted_reads += mean(others.rate, bottommost.rate) * tree.runs[i];
  }
  return division;
}

}  // namespace

Divider MakeDivider(const Tree& tree, Format format, bool by_level) {
  return Divider(
      {AllowedBitsPerKey(format).min, MostBits(format)}, kStepsPerBit,
      [&tree, format, by_level](double bits) { return Divide(tree, format, by_level, bits); });
}

}  // namespace bloomline::advice
