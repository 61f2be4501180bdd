#include "src/filter/sizing/left_over.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "src/filter/sizing/memory_divider.h"

namespace bloomline::filter {
namespace {

// The most that the mean of all filters may be, relative to the promised one: files of the deepest
// level stop at kMostOver, which is also what the other files divide. Files above may then use a
// little more, which the deepest level cannot take, so they are never starved.
//
// Filters whose memory is only assumed get no such margin: if each process that opens the database
// used it for its flushed files, and compactions moved these down as they are, nothing would bound
// the sum.
constexpr double kMostOver = 1.015;
constexpr double kMostOverAbove = 1.04;

// A flushed file shares the rest with this many flushed files to come. With fewer, the first of
// many files would take too much; with more, a few would get too little.
constexpr double kNextFlushes = 6;

// The most bits of memory per key that a file may have beyond those that are best at rest.
constexpr double kMostMoreThanAtRest = 1;

// Limits of the bits of memory per key of any file. What exceeds the promise is taken back slowly:
// a few files that match everything would waste more than many with slightly fewer bits.
constexpr double kMostBits = 24;
constexpr double kLeastBits = 3;
constexpr double kMostLessThanMean = 3;

// The sorted runs that share memory, and the new file's among them.
class Runs {
 public:
  // Adds a file of level 0. Those of similar size share an entry: there may be thousands.
  void AddFile(double keys, bool is_own) {
    Count(keys);
    if (is_own) {
      own_ = {keys, 1};
    } else {
      LevelKeys& files = files_[std::ilogb(keys)];
      files.keys += keys;
      files.runs += 1;
    }
  }

  // Adds the next deeper level. It covers a part of the key range: its keys relative to those of
  // the largest run. So a level that was just begun below a full one is a continuation of that, not
  // a small level.
  void AddLevel(double keys, bool is_own) {
    Count(keys);
    const LevelKeys level = {keys, std::max(keys / widest_, kMinRuns)};
    if (is_own) {
      own_ = level;
    } else {
      levels_.push_back(level);
    }
  }

  double keys() const { return keys_; }

  // The bits of memory per key of the new file's run in the best division of this memory.
  double OwnBits(Format format, double memory) const {
    std::vector<LevelKeys> all = levels_;
    for (const auto& [size, files] : files_) all.push_back(files);
    all.push_back(own_);
    return MemoryBitsOfLast(format, memory, all);
  }

 private:
  void Count(double keys) {
    keys_ += keys;
    widest_ = std::max(widest_, keys);
  }

  std::map<int, LevelKeys> files_;  // by the binary exponent of their keys
  std::vector<LevelKeys> levels_;
  LevelKeys own_ = {0, 1};
  double keys_ = 0;
  double widest_ = 0;
};

bool HasKeys(const TreeFill& tree, size_t level) {
  if (level >= tree.levels.size()) return false;
  return level == 0 ? !tree.top_keys.empty() && tree.top_keys.back() > 0
                    : tree.levels[level].keys > 0;
}

// The deepest level with keys; 0 if there are none.
size_t DeepestLevel(const TreeFill& tree) {
  size_t deepest = 0;
  for (size_t level = 1; level < tree.levels.size(); ++level) {
    if (tree.levels[level].keys > 0) deepest = level;
  }
  return deepest;
}

// The memory of the tree, as the new file's level sees it.
struct Memory {
  Runs at_rest;     // the tree with levels of at most their targets
  Runs free;        // the runs of the file's level and of those above it
  double keys = 0;  // of the tree
  double assumed_keys = 0;
  double bits = 0;         // of all filters, with what running jobs may keep
  double deeper_bits = 0;  // of the filters of deeper levels
};

Memory MemoryOf(const TreeFill& tree, size_t own_level, size_t deepest) {
  Memory memory;
  for (size_t i = 0; i < tree.top_keys.size(); ++i) {
    const bool is_own = own_level == 0 && i + 1 == tree.top_keys.size();
    if (is_own || tree.top_keys[i] > 0) memory.at_rest.AddFile(tree.top_keys[i], is_own);
  }
  memory.free = memory.at_rest;
  memory.keys = memory.at_rest.keys();
  memory.bits = tree.levels[0].memory_bits + tree.replaced_bits;
  memory.assumed_keys = tree.levels[0].assumed_keys;
  for (size_t level = 1; level <= deepest; ++level) {
    const LevelFill& fill = tree.levels[level];
    memory.bits += fill.memory_bits;
    memory.assumed_keys += fill.assumed_keys;
    if (level > own_level) memory.deeper_bits += fill.memory_bits;
    if (!(fill.keys > 0)) continue;
    memory.keys += fill.keys;
    const double keys = level == deepest ? fill.keys : std::min(fill.keys, fill.target_keys);
    memory.at_rest.AddLevel(keys, level == own_level);
    if (level <= own_level) memory.free.AddLevel(fill.keys, level == own_level);
  }
  return memory;
}

}  // namespace

double LeftOverBits(const PromisedMemory& promise, const TreeFill& tree, const NewFilter& file) {
  const double mean = promise.mean_bits;
  if (file.level < 0 || !HasKeys(tree, static_cast<size_t>(file.level))) return mean;
  const auto level = static_cast<size_t>(file.level);
  const size_t deepest = DeepestLevel(tree);
  const Memory memory = MemoryOf(tree, level, deepest);
  const auto at_rest = [&](double part) {
    return memory.at_rest.OwnBits(promise.format, part * mean * memory.at_rest.keys());
  };
  double bits = at_rest(1);
  if (level < deepest) bits += kMostMoreThanAtRest;
  if (level < deepest && !file.is_flush) {
    const double known_keys = memory.keys - memory.assumed_keys;
    const double left = mean * (kMostOver * known_keys + memory.assumed_keys) - memory.deeper_bits;
    bits = std::min(bits, memory.free.OwnBits(promise.format, left));
  }
  if (file.keys > 0) {
    const double over = level < deepest || file.is_flush ? kMostOverAbove : kMostOver;
    const double next_keys = file.is_flush ? kNextFlushes * file.keys : 0;
    const double known_keys = memory.keys + next_keys - memory.assumed_keys;
    const double left = mean * (over * known_keys + memory.assumed_keys) - memory.bits;
    bits = std::min(bits, left / (file.keys + next_keys));
  }
  if (promise.floor > 0) bits = std::max(bits, at_rest(promise.floor));
  const double least = std::max(mean - kMostLessThanMean, std::min(kLeastBits, mean));
  return std::clamp(bits, least, std::max(mean, kMostBits));
}

std::vector<double> LeftOverBitsOfAll(const PromisedMemory& promise, TreeFill tree) {
  if (!tree.top_keys.empty()) {  // the bits of a level are one number
    double keys = 0;
    for (const double of_file : tree.top_keys) keys += of_file;
    const double mean = keys / static_cast<double>(tree.top_keys.size());
    std::fill(tree.top_keys.begin(), tree.top_keys.end(), mean);
  }
  for (LevelFill& level : tree.levels) level.memory_bits = level.assumed_keys = 0;
  tree.replaced_bits = 0;
  std::vector<double> bits(tree.levels.size(), promise.mean_bits);
  for (size_t i = tree.levels.size(); i-- > 0;) {
    LevelFill& level = tree.levels[i];
    bits[i] = LeftOverBits(promise, tree, {static_cast<int>(i), false, level.keys});
    level.memory_bits = level.keys * bits[i];
  }
  return bits;
}

void SetTargets(const LevelTargets& targets, TreeFill* tree) {
  const size_t deepest = DeepestLevel(*tree);
  for (size_t i = 0; i < tree->levels.size(); ++i) {
    double& target = tree->levels[i].target_keys;
    target = HUGE_VAL;
    if (!targets.has_levels || i == 0 || i >= deepest) continue;
    const double ratio = LevelSizeRatioOrDefault(targets.ratio);
    target = targets.is_dynamic
                 ? tree->levels[deepest].keys / std::pow(ratio, static_cast<double>(deepest - i))
                 : targets.base_keys * std::pow(ratio, static_cast<double>(i - 1));
    target = std::max(target, targets.least_keys);
  }
}

}  // namespace bloomline::filter
