#include "src/filter/ranges/level_memory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace bloomline::filter {
namespace {

// `most_keys` is the most that this level or one below has. So a level that has just begun below a
// full one is a continuation of that, and no upper level.
double Weight(double keys, double most_keys, const ChoiceConstants& constants) {
  constexpr double kMostWeight = 16;
  return std::min(kMostWeight, std::pow(most_keys / keys, constants.upper_levels));
}

double KeysBelow(const TreeFill& tree, int level) {
  double keys = 0;
  for (size_t i = static_cast<size_t>(level) + 1; i < tree.levels.size(); ++i) {
    keys += tree.levels[i].keys;
  }
  return keys;
}

// For a new file of level 0, whose keys are the last of top_keys.
double TopMemory(const TreeFill& tree, const ChoiceConstants& constants) {
  // More files are no reason for more memory than this many would get: twice RocksDB's
  // level0_file_num_compaction_trigger.
  constexpr double kFewFiles = 8;
  constexpr double kBesides = 0.04;
  if (tree.top_keys.empty() || tree.top_keys.back() <= 0) return 1;
  const double keys = tree.top_keys.back();
  const double top_keys = std::accumulate(tree.top_keys.begin(), tree.top_keys.end(), 0.0);
  double most_keys = keys;
  for (size_t i = 1; i < tree.levels.size(); ++i) {
    most_keys = std::max(most_keys, tree.levels[i].keys);
  }
  const double besides =
      kBesides * (top_keys + KeysBelow(tree, 0)) / std::max(top_keys, kFewFiles * keys);
  return std::min(1 + besides, Weight(keys, most_keys, constants));
}

}  // namespace

double LevelMemory(const TreeFill& tree, int level, bool merges_flushes,
                   const ChoiceConstants& constants) {
  if (level == 0) return merges_flushes ? TopMemory(tree, constants) : 1;
  double most_keys = 0;
  double all_keys = 0;
  double all_memory = 0;
  double weight = 0;
  for (size_t i = tree.levels.size(); i-- > 1;) {
    const LevelFill& fill = tree.levels[i];
    if (fill.keys <= 0) continue;
    // Universal compaction seldom rewrites the files of a level, so what they get would not hold.
    if (most_keys != 0 && std::isinf(fill.target_keys)) return 1;
    // What a level has above its target will soon be in the next one.
    const double keys = most_keys == 0 ? fill.keys : std::min(fill.keys, fill.target_keys);
    most_keys = std::max(most_keys, fill.keys);
    const double of_level = Weight(fill.keys, most_keys, constants);
    all_keys += keys;
    all_memory += keys * of_level;
    if (i == static_cast<size_t>(level)) weight = of_level;
  }
  return weight == 0 ? 1 : weight * all_keys / all_memory;
}

bool IsLastLevel(const TreeFill& tree, int level) { return KeysBelow(tree, level) <= 0; }

}  // namespace bloomline::filter
