#include "tests/filter/simulated_tree.h"

#include <algorithm>
#include <cmath>

#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::tests {
namespace {

// The account never takes less for what a job still writes: the rule divides by it.
constexpr double kLeastKeys = 500;

constexpr double kRatio = 10;
constexpr size_t kFilesBeforeCompaction = 4;

}  // namespace

void SimulatedTree::Flush(double keys, double low, double high) {
  levels_[0].push_back(Write(keys, low, high, nullptr));
  last_flush_keys_ = keys;
}

bool SimulatedTree::Compact() {
  if (jobs_.empty() || (jobs_.size() == 1 && Random() < 0.3)) {
    const bool is_universal = options_.compaction == Compaction::kUniversal;
    if (is_universal ? BeginUniversal() : BeginLeveled()) return true;
  }
  if (jobs_.empty()) return false;
  const auto job = Random() < 0.5 ? jobs_.begin() : std::prev(jobs_.end());
  if (job->keys_left > job->keys_when_failing) {
    WriteNext(&*job);
  } else {
    End(*job, job->keys_left == 0);
    jobs_.erase(job);
  }
  return true;
}

void SimulatedTree::Restart() {
  for (const Job& job : jobs_) End(job, false);
  jobs_.clear();
  for (Level& level : levels_) {
    for (File& file : level) {
      file.keys_then = 0;
      file.is_assumed = !options_.reads_old_files;
    }
  }
  last_flush_keys_ = 0;
}

void SimulatedTree::DropBottom() {
  int deepest = kNumLevels - 1;
  while (deepest > 0 && levels_[deepest].empty()) --deepest;
  levels_[deepest].remove_if([](const File& file) { return file.job == 0; });
}

double SimulatedTree::keys() const {
  double sum = 0;
  ForEachFile([&sum](const File& file) { sum += file.keys; });
  return sum;
}

double SimulatedTree::memory_bits() const {
  double sum = 0;
  ForEachFile([&sum](const File& file) { sum += file.keys * file.bits; });
  return sum;
}

double SimulatedTree::Gain() const {
  const auto rate = [this](double bits) {
    return filter::EngineRate(options_.format, filter::BitsOfMemory(options_.format, bits));
  };
  const double rate_of_mean = rate(memory_bits() / keys());
  double wasted = 0, wasted_of_uniform = 0;
  ForEachFile([&](const File& file) {
    wasted += (file.high - file.low) * rate(file.bits);
    wasted_of_uniform += (file.high - file.low) * rate_of_mean;
  });
  return wasted_of_uniform / wasted;
}

double SimulatedTree::Target(int level) const {
  if (options_.compaction == Compaction::kStatic) return kBaseKeys * std::pow(kRatio, level - 1);
  double bottom = 0;
  for (const File& file : levels_[kNumLevels - 1]) bottom += file.keys;
  return std::max(bottom / std::pow(kRatio, kNumLevels - 1 - level), kFlushKeys);
}

int SimulatedTree::BaseLevel() const {
  if (options_.compaction == Compaction::kStatic) return 1;
  int base = kNumLevels - 1;
  while (base > 1 && (Target(base) > kBaseKeys || !levels_[base - 1].empty())) --base;
  return base;
}

bool SimulatedTree::BeginLeveled() {
  int from = -1;
  double highest_score = 1;
  for (int level = 0; level < kNumLevels - 1; ++level) {
    double keys = 0, files = 0;
    for (const File& file : levels_[level]) {
      if (file.job != 0) continue;
      keys += file.keys;
      ++files;
    }
    const double score =
        level == 0 ? files / static_cast<double>(kFilesBeforeCompaction) : keys / Target(level);
    if (score >= highest_score) {
      highest_score = score;
      from = level;
    }
  }
  if (from < 0) return false;
  std::vector<Input> inputs;
  for (auto file = levels_[from].begin(); file != levels_[from].end(); ++file) {
    if (from == 0 || file->job == 0) inputs.emplace_back(from, file);
  }
  if (from > 0) {
    const auto chosen = static_cast<size_t>(Random() * static_cast<double>(inputs.size()));
    inputs = {inputs[chosen]};
  }
  double low = 1, high = 0;
  for (const auto& [level, file] : inputs) {
    low = std::min(low, file->low);
    high = std::max(high, file->high);
  }
  const int output = from == 0 ? BaseLevel() : from + 1;
  for (const Job& job : jobs_) {
    if (job.output_level == output && job.low < high && low < job.high) return false;
  }
  for (auto file = levels_[output].begin(); file != levels_[output].end(); ++file) {
    if (file->low < high && low < file->high) inputs.emplace_back(output, file);
  }
  return Begin(inputs, output);
}

bool SimulatedTree::BeginUniversal() {
  if (!jobs_.empty()) return false;
  struct Run {
    int level;
    double keys = 0;
    std::vector<Input> files = {};
  };
  std::vector<Run> runs;  // the newest first
  for (auto file = levels_[0].end(); file != levels_[0].begin();) {
    --file;
    runs.push_back({0, file->keys, {{0, file}}});
  }
  for (int level = 1; level < kNumLevels; ++level) {
    if (levels_[level].empty()) continue;
    runs.push_back({level});
    for (auto file = levels_[level].begin(); file != levels_[level].end(); ++file) {
      runs.back().keys += file->keys;
      runs.back().files.emplace_back(level, file);
    }
  }
  if (runs.size() < kFilesBeforeCompaction) return false;
  std::vector<Input> inputs;
  double keys = 0;
  size_t next = 0;
  for (; next < runs.size() && (next < 2 || runs[next].keys < 1.3 * keys); ++next) {
    keys += runs[next].keys;
    inputs.insert(inputs.end(), runs[next].files.begin(), runs[next].files.end());
  }
  return Begin(inputs, next == runs.size() ? kNumLevels - 1 : std::max(runs[next].level - 1, 0));
}

bool SimulatedTree::Begin(const std::vector<Input>& inputs, int output_level) {
  for (const auto& [level, file] : inputs) {
    if (file->job != 0) return false;
  }
  if (inputs.size() == 1) {  // a move
    levels_[output_level].splice(levels_[output_level].end(), levels_[inputs[0].first],
                                 inputs[0].second);
    return true;
  }
  Job job = {++last_job_, output_level};
  for (const auto& [level, file] : inputs) {
    file->job = job.id;
    job.keys_read += file->keys;
    job.bits_read += file->keys * KnownBits(*file);
    if (file->is_assumed) job.assumed_keys += file->keys;
    job.low = std::min(job.low, file->low);
    job.high = std::max(job.high, file->high);
  }
  job.bits = job.bits_read / job.keys_read;
  job.keys_left = job.keys_read * (1 - dropped_);
  if (Random() < failing_) job.keys_when_failing = Random() * job.keys_left;
  jobs_.push_back(job);
  return true;
}

void SimulatedTree::WriteNext(Job* job) {
  const double all = job->keys_written + job->keys_left;
  const bool is_whole = job->output_level == 0 || job->keys_left < kFileKeys + kLeastKeys;
  const double keys = is_whole ? job->keys_left : kFileKeys;
  const double low = job->low + (job->high - job->low) * job->keys_written / all;
  const double high = low + (job->high - job->low) * keys / all;
  job->outputs.push_back(Write(keys, low, is_whole ? job->high : high, job));
  job->keys_written += keys;
  job->bits_written += keys * job->bits;
  job->keys_left = is_whole ? 0 : job->keys_left - keys;
}

void SimulatedTree::End(const Job& job, bool succeeds) {
  auto place = levels_[job.output_level].end();
  for (Level& level : levels_) {
    for (auto file = level.begin(); file != level.end();) {
      if (file->job != job.id) {
        ++file;
      } else if (succeeds) {
        file = level.erase(file);
        if (job.output_level == 0) place = file;  // that of its newest input
      } else {
        file->job = 0;
        ++file;
      }
    }
  }
  if (succeeds) {
    levels_[job.output_level].insert(place, job.outputs.begin(), job.outputs.end());
  }
}

SimulatedTree::File SimulatedTree::Write(double keys, double low, double high, Job* job) {
  const filter::TreeFill tree = Describe(job);
  double all_keys = 0;
  for (const filter::LevelFill& fill : tree.levels) all_keys += fill.keys;
  const bool is_flush = job == nullptr;
  const double left = is_flush ? tree.top_keys.back() : std::max(job->keys_expected(), kLeastKeys);
  const double bits = filter::LeftOverBits({options_.format, Mean(all_keys), options_.floor}, tree,
                                           {is_flush ? 0 : job->output_level, is_flush, left});
  // What the format of the file has of this memory.
  const Format format = is_flush ? options_.flush_format : options_.format;
  const double of_format =
      std::min(filter::BitsOfMemory(format, bits), AllowedBitsPerKey(format).max);
  const double memory = filter::MemoryBits(format, of_format);
  if (!is_flush) job->bits = memory;
  return {keys, low, high, memory, all_keys};
}

filter::TreeFill SimulatedTree::Describe(const Job* job) const {
  filter::TreeFill tree;
  tree.levels.resize(kNumLevels);
  const auto add = [&tree](int level, double keys, double bits, double assumed_keys) {
    filter::LevelFill& fill = tree.levels[static_cast<size_t>(level)];
    fill.keys += keys;
    fill.memory_bits += bits;
    fill.assumed_keys += assumed_keys;
  };
  for (int level = 0; level < kNumLevels; ++level) {
    for (const File& file : levels_[level]) {
      if (file.job != 0) continue;
      add(level, file.keys, file.keys * KnownBits(file), file.is_assumed ? file.keys : 0);
      if (level == 0) tree.top_keys.push_back(file.keys);
    }
  }
  double own_keys = last_flush_keys_ > 0 ? last_flush_keys_ : kFlushKeys;
  for (const Job& running : jobs_) {
    const bool is_own = &running == job;
    const double left = std::max(running.keys_expected(), is_own ? kLeastKeys : 0);
    const double keys = running.keys_written + left;
    const double bits = running.bits_written + (is_own ? 0 : left * running.bits);
    add(running.output_level, keys, bits, is_own ? 0 : std::min(running.assumed_keys, keys));
    if (!is_own) tree.replaced_bits += std::max(running.bits_read - bits, 0.0);
    if (is_own) own_keys = keys;
    if (!is_own && running.output_level == 0) tree.top_keys.push_back(keys);
  }
  if (job == nullptr) add(0, own_keys, 0, 0);
  if (job == nullptr || job->output_level == 0) tree.top_keys.push_back(own_keys);
  const bool has_levels = options_.compaction != Compaction::kUniversal;
  const bool is_dynamic = options_.compaction == Compaction::kDynamic;
  filter::SetTargets({has_levels, is_dynamic, kBaseKeys, kRatio, kFlushKeys}, &tree);
  return tree;
}

// As in the engine: less by what the tree has grown since its files were written.
double SimulatedTree::Mean(double all_keys) const {
  if (options_.limit_bits == 0) return options_.mean_bits;
  double growth = 0, keys = 0;
  ForEachFile([&](const File& file) {
    if (file.job != 0) return;
    growth += file.keys * (file.keys_then == 0 ? 1 : all_keys / file.keys_then);
    keys += file.keys;
  });
  growth = keys == 0 ? 1 : std::clamp(growth / keys, 1 / 1.2, 1.2);
  return std::min(options_.mean_bits, options_.limit_bits / all_keys / growth);
}

}  // namespace bloomline::tests
