#include "src/inspect/advice/situation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloomline/level_sizing.h"
#include "src/support/error_text.h"

namespace bloomline::advice {
namespace {

using support::ErrorText;

constexpr double kMinRuns = 1e-6, kMaxRuns = 1e6;  // of level_sizing.h
constexpr double kMaxRatio = 1000;                 // of the option level_size_ratio

bool HasKeys(const Level& level) { return level.num_keys > 0; }

std::string WhatIsWrong(const Level& level, int least_number) {
  ErrorText error;
  if (level.number < least_number || level.number >= kMaxLevels) {
    error << "level " << level.number << " is listed; allowed here: " << least_number << " to "
          << kMaxLevels - 1 << ", in ascending order";
  } else if (HasKeys(level) && !(level.num_runs >= kMinRuns && level.num_runs <= kMaxRuns)) {
    error << "number of runs of level " << level.number << " is " << level.num_runs
          << "; allowed: " << kMinRuns << " to " << kMaxRuns;
  } else if (HasKeys(level) && !(level.wasted_reads >= 0 && level.wasted_reads <= kMaxRuns)) {
    error << "wasted reads of level " << level.number << " are " << level.wasted_reads
          << "; allowed: 0 to its number of runs";
  }
  return error.str();
}

uint64_t KeysPerFilter(const Situation& situation, const Level& level) {
  if (level.num_filters > 0) {
    const double mean =
        static_cast<double>(level.num_keys) / static_cast<double>(level.num_filters);
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::round(mean)));
  }
  if (situation.keys_per_filter > 0) return std::min(situation.keys_per_filter, level.num_keys);
  return level.num_keys;
}

}  // namespace

std::string Validate(const Situation& situation) {
  ErrorText error;
  constexpr size_t kMost = kMaxLevels;
  if (situation.levels.size() > kMost) {
    error << "number of levels is " << situation.levels.size() << "; allowed: 1 to " << kMost;
    return error.str();
  }
  if (!(situation.level_size_ratio >= 1 && situation.level_size_ratio <= kMaxRatio)) {
    error << "level_size_ratio is " << situation.level_size_ratio << "; allowed: 1 to "
          << kMaxRatio;
    return error.str();
  }
  int least_number = -1;
  for (const Level& level : situation.levels) {
    std::string wrong = WhatIsWrong(level, least_number);
    if (!wrong.empty()) return wrong;
    least_number = level.number + 1;
  }
  if (std::none_of(situation.levels.begin(), situation.levels.end(), HasKeys)) {
    error << "no level has keys; allowed: at least one with more than 0";
  }
  return error.str();
}

std::string Validate(const Request& request) {
  ErrorText error;
  if (request.memory_bytes && request.wasted_reads) {
    error << "memory is " << *request.memory_bytes << " bytes and the rate is "
          << *request.wasted_reads << "; allowed: one of the two";
  }
  return error.str();
}

Tree TreeOf(const Situation& situation) {
  Tree tree;
  tree.engine = situation.engine;
  tree.level_size_ratio = situation.level_size_ratio;
  for (const Level& level : situation.levels) {
    if (!HasKeys(level)) continue;
    tree.numbers.push_back(level.number);
    tree.keys.push_back(static_cast<double>(level.num_keys));
    tree.runs.push_back(level.num_runs);
    tree.keys_per_filter.push_back(KeysPerFilter(situation, level));
    tree.sizes_vary.push_back(level.num_filters > 1 ||
                              tree.keys_per_filter.back() < level.num_keys);
  }
  return tree;
}

bool CanDifferByLevel(const Situation& situation, const Tree& tree) {
  return situation.engine == sstable::Engine::kRocksDB && situation.leveled &&
         tree.numbers.front() >= 0 && tree.size() > 1;
}

double WastedReadsNow(const Level& level) {
  return level.filter_bytes == 0 ? level.num_runs : level.wasted_reads;
}

}  // namespace bloomline::advice
