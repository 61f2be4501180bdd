#include "src/filter/sizing/left_over.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "src/filter/sizing/memory_divider.h"

namespace bloomline::filter {
namespace {

// Compactions bring the mean of all filters to at most this part of the promised one. Flushed files
// may use a little more: what compactions cannot take, so that level 0 is never starved.
constexpr double kMostOver = 1.015;
constexpr double kMostOverFlushed = 1.04;

// The files of level 0 that the memory must suffice for: twice the number at which RocksDB begins
// to compact them.
constexpr size_t kFilesAtTop = 8;

// The bits of memory per key that a file may have beyond those that are best at rest.
constexpr double kMostMoreThanAtRest = 1;

// The bits of memory per key of any file. What exceeds the promise is taken back slowly: few files
// that match everything would waste more than many with a little less.
constexpr double kMostBits = 24;
constexpr double kLeastBits = 3;
constexpr double kMostLessThanMean = 3;

// The sorted runs that share memory, and the new file's among them.
class Runs {
 public:
  // Adds `count` files of level 0, whose ranges of keys overlap. Files of similar size share an
  // entry: there may be thousands.
  void AddFiles(double keys, size_t count) {
    LevelKeys& files = files_[std::ilogb(keys)];
    files.keys += keys * static_cast<double>(count);
    files.runs += static_cast<double>(count);
    Count(keys, static_cast<double>(count));
  }

  void AddOwnFile(double keys) {
    own_ = {keys, 1};
    Count(keys, 1);
  }

  // Adds the next deeper level. It has the part of the range of keys that its keys are of those of
  // the largest run: a level that was just begun below a full one continues that, it is no small
  // level.
  void AddLevel(double keys, bool is_own) {
    Count(keys, 1);
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
  void Count(double keys, double count) {
    keys_ += keys * count;
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

void AddTop(const TreeFill& tree, bool has_own, Runs* runs) {
  const size_t num_others = tree.top_keys.size() - (has_own ? 1 : 0);
  for (size_t i = 0; i < num_others; ++i) {
    if (tree.top_keys[i] > 0) runs->AddFiles(tree.top_keys[i], 1);
  }
  if (has_own) runs->AddOwnFile(tree.top_keys.back());
}

// The memory of the tree, as the new file's level sees it.
struct Memory {
  Runs at_rest;            // the tree with levels of at most their targets
  Runs free;               // the runs of the file's level and of those above it
  double keys = 0;         // of the tree
  double bits = 0;         // of all its filters
  double deeper_bits = 0;  // of the filters of deeper levels
};

Memory MemoryOf(const TreeFill& tree, size_t own_level, size_t deepest) {
  Memory memory;
  AddTop(tree, own_level == 0, &memory.at_rest);
  memory.free = memory.at_rest;
  memory.keys = memory.at_rest.keys();
  memory.bits = tree.levels[0].memory_bits;
  for (size_t level = 1; level <= deepest; ++level) {
    const LevelFill& fill = tree.levels[level];
    memory.bits += fill.memory_bits;
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
  Memory memory = MemoryOf(tree, level, deepest);
  const auto at_rest = [&](double part) {
    return memory.at_rest.OwnBits(promise.format, part * mean * memory.at_rest.keys());
  };
  const double most_mean = mean * (file.is_flush ? kMostOverFlushed : kMostOver);
  double bits = at_rest(1);
  if (level < deepest) {
    if (file.is_flush && tree.top_keys.size() < kFilesAtTop) {
      // The next flushed files bring their mean along.
      const size_t next_files = kFilesAtTop - tree.top_keys.size();
      memory.free.AddFiles(tree.top_keys.back(), next_files);
      memory.keys += tree.top_keys.back() * static_cast<double>(next_files);
    }
    const double left = most_mean * memory.keys - memory.deeper_bits;
    bits = std::min(bits + kMostMoreThanAtRest, memory.free.OwnBits(promise.format, left));
  } else if (file.keys > 0) {
    bits = std::min(bits, (most_mean * memory.keys - memory.bits) / file.keys);
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
  for (LevelFill& level : tree.levels) level.memory_bits = 0;
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
