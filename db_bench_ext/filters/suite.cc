#include "db_bench_ext/filters/suite.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace bloomline::bench {

Suite::Suite(const Flags& flags, std::vector<Subject> subjects)
    : flags_(flags), subjects_(std::move(subjects)), store_(flags.key_bytes) {
  // Below a million keys a filter is small enough to stay in the second-level cache.
  for (const uint64_t size : flags_.sizes) {
    if (size >= 1000000) table_sizes_.push_back(size);
  }
  if (table_sizes_.empty()) table_sizes_ = {flags_.sizes.back()};
}

void Suite::Register(const Case& c, int64_t iterations, int rounds, const Body& body) {
  const std::string name = c.Name();
  cases_[name] = c;
  planned_runs_ += static_cast<uint64_t>(rounds);
  auto runs = std::make_shared<std::atomic<uint64_t>>(0);
  const auto run = [this, body, runs](benchmark::State& state) {
    if (state.thread_index() == 0) ShowProgress();
    body(state, runs->fetch_add(1));
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(iterations)
      ->Repetitions(rounds)
      ->Threads(c.threads)
      ->UseManualTime();
}

bool Suite::IsInTables(const Case& c) const {
  return c.bits_per_key == kTableBits &&
         std::count(table_sizes_.begin(), table_sizes_.end(), c.num_keys) != 0 &&
         (c.kind == Kind::kBuild || c.kind == Kind::kMemoryBuild ||
          (c.mode == Mode::kSingle && c.hit_percent != 50) ||
          (c.mode == Mode::kBatch && c.hit_percent == 0));
}

std::string Case::Name() const {
  std::string name = KindName(kind);
  const auto add = [&name](const char* label, int64_t value) {
    name += std::string("/") + label + ":" + std::to_string(value);
  };
  name += "/" + subject;
  std::replace(name.begin(), name.end(), ' ', '_');
  add("keys", static_cast<int64_t>(num_keys));
  add("bits", bits_per_key);
  if (mode != Mode::kNone) {
    add("hits", hit_percent);
    name += std::string("/") + ModeName(mode);
    add("offset", offset);
  }
  if (threads != 1) add("threads_at_once", threads);
  return name;
}

// Only on a terminal and rarely, because writing to it costs time on the other processors.
void Suite::ShowProgress() {
  static const bool on_terminal = isatty(STDERR_FILENO) != 0;
  const uint64_t started = started_runs_.fetch_add(1);
  if (on_terminal && planned_runs_ >= 100 && started % (planned_runs_ / 100) == 0) {
    std::fprintf(stderr, "\r%3d %%\r", static_cast<int>(100 * started / planned_runs_));
  }
}

}  // namespace bloomline::bench
