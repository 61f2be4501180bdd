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
  const double mean = static_cast<double>(level.num_keys) / static_cast<double>(level.num_filters);
  return std::max<uint64_t>(1, static_cast<uint64_t>(std::round(mean)));
}

// The figures of these bits, rounded down to hundredths.
Division Divide(const Tree& tree, Format format, Spread spread, double bits_per_key) {
  Division division;
  division.bits_of_level.assign(tree.keys.size(), bits_per_key);
  if (spread == Spread::kByLevel) {
    SpreadBitsByLevel(format, bits_per_key, tree.keys.data(), tree.runs.data(), tree.size(),
                      division.bits_of_level.data());
  }
  double bottommost_bits = 0;
  if (spread == Spread::kAuto) {
    bottommost_bits = RoundedDown(
        format, SpreadAsPolicy(tree, format, bits_per_key, division.bits_of_level.data()));
  }
  double bits = 0;
  for (size_t i = 0; i < tree.keys.size(); ++i) {
    const Level& level = tree.levels[i];
    double& of_level = division.bits_of_level[i];
    of_level = RoundedDown(format, of_level);
    const auto figures_of = level.num_filters > 1 ? MeanFiguresFor : FiguresFor;
    FilterFigures figures = figures_of(tree.engine, format, KeysPerFilter(level), of_level);
    if (spread == Spread::kAuto) {
      const FilterFigures bottommost =
          figures_of(tree.engine, format, KeysPerFilter(level), bottommost_bits);
      const auto mean = [&](double others, double of_bottommost) {
        return others + level.bottommost_share * (of_bottommost - others);
      };
      figures = {mean(figures.bytes_per_key, bottommost.bytes_per_key),
                 mean(figures.rate, bottommost.rate)};
      of_level = Hundredths(mean(of_level, bottommost_bits));
    }
    bits += of_level * tree.keys[i];
    division.bytes += figures.bytes_per_key * tree.keys[i];
    division.wasted_reads += figures.rate * tree.runs[i];
  }
  division.bits_per_key =
      spread == Spread::kAuto ? bits_per_key : Hundredths(bits / tree.all_keys());
  return division;
}

}  // namespace

Divider MakeDivider(const Tree& tree, Format format, Spread spread) {
  const double min =
      spread == Spread::kByLevel ? 1.0 / kStepsPerBit : AllowedBitsPerKey(format).min;
  return Divider({min, MostBits(format)}, kStepsPerBit, [&tree, format, spread](double bits) {
    return Divide(tree, format, spread, bits);
  });
}

std::vector<double> BitsFromLevel0(const Tree& tree, Format format, const Division& division) {
  const int num_levels = tree.levels.back().number + 1;
  std::vector<double> bits(static_cast<size_t>(num_levels), -1);
  std::vector<double> keys(bits.size(), 0);
  std::vector<double> runs(bits.size(), 1);
  for (size_t i = 0; i < tree.keys.size(); ++i) {
    const auto level = static_cast<size_t>(tree.levels[i].number);
    bits[level] = division.bits_of_level[i];
    keys[level] = tree.keys[i];
    runs[level] = tree.runs[i];
  }
  // An unused level counts as large as if the next one were full.
  constexpr double kLeastKeys = 1e-30;
  for (size_t level = keys.size() - 1; level-- > 0;) {
    if (keys[level] == 0)
      keys[level] = std::max(keys[level + 1] / tree.level_size_ratio, kLeastKeys);
  }
  std::vector<double> expected(bits.size(), division.bits_per_key);
  const double average =
      std::min(AverageBitsPerKey(tree.keys.data(), division.bits_of_level.data(), tree.size()),
               AllowedBitsPerKey(format).max);
  SpreadBitsByLevel(format, average, keys.data(), runs.data(), num_levels, expected.data());
  // From the bottom up, so that an unused level has at least the bits of the next one.
  for (size_t level = bits.size(); level-- > 0;) {
    if (bits[level] >= 0) continue;
    bits[level] = std::max(RoundedDown(format, expected[level]), bits[level + 1]);
  }
  return bits;
}

}  // namespace bloomline::advice
