#include "src/filter/metrics/filter_counts.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>

namespace bloomline::filter {

// ---- Sampling (sampling.h).

__thread SamplingState sampling_state;

namespace {

constexpr uint32_t kMeanStep = 256;

// SplitMix64.
uint64_t NextRandom(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The first sample of a thread is at a random place, and counts as much as one of a long-lived
// thread: then threads that live for a few queries are counted without a bias, too.
void Start(SamplingState* state) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  state->random = reinterpret_cast<uintptr_t>(state) ^ static_cast<uint64_t>(now) << 20;
  state->weight = kMeanStep;
  state->queries_left += static_cast<int32_t>(NextRandom(&state->random) % kMeanStep);
}

}  // namespace

Sample TakeSample(int32_t num_queries) {
  SamplingState& state = sampling_state;
  if (state.weight == 0) {
    Start(&state);
    if (state.queries_left >= 0) return {0, 0, false, 0};
  }
  const int32_t index = std::max<int32_t>(0, state.queries_left + num_queries);
  const uint64_t random = NextRandom(&state.random);
  const Sample sample = {state.weight, std::min(index, num_queries - 1), random % 4 == 0,
                         NextRandom(&state.random)};
  // 129 to 384. The queries after the sampled one belong to the next step.
  state.weight = kMeanStep / 2 + 1 + static_cast<uint32_t>(random >> 56);
  state.queries_left =
      std::max<int32_t>(0, static_cast<int32_t>(state.weight) - (num_queries - sample.index));
  return sample;
}

// ---- Counts.

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::mutex mutex;  // held while counts are added
std::atomic<size_t> num_counts{0};
std::atomic<FilterCounts*> all_counts[kMaxCounts];
std::atomic<void (*)()> start_metrics{nullptr};
std::atomic<int> settings_wrong{-1};

// Null if there are none.
FilterCounts* Find(const CountsLabels& labels) {
  const size_t n = num_counts.load(std::memory_order_acquire);
  for (size_t i = 0; i < n; ++i) {
    FilterCounts* const counts = all_counts[i].load(kRelaxed);
    if (counts->labels() == labels) return counts;
  }
  return nullptr;
}

// Null if there is no room, or the lock is not available: a child of fork() may find it held by a
// thread that exists only in the parent.
FilterCounts* FindOrAdd(const CountsLabels& labels) {
  if (FilterCounts* const counts = Find(labels)) return counts;
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  for (int tries = 0; !lock.try_lock(); ++tries) {
    constexpr int kMaxTries = 1000;
    if (tries == kMaxTries) return nullptr;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (FilterCounts* const counts = Find(labels)) return counts;
  const size_t n = num_counts.load(kRelaxed);
  if (n == kMaxCounts) return nullptr;
  // Filters in an engine's cache outlive their policies, and so do the counts.
  auto* const counts = new FilterCounts(static_cast<uint16_t>(n + 1), labels);
  all_counts[n].store(counts, kRelaxed);
  num_counts.store(n + 1, std::memory_order_release);
  return counts;
}

}  // namespace

void FilterCounts::AddAnswer(Answers answers, bool may_match, uint32_t weight) {
  // Threads that were started together have their variables in different pages.
  const auto thread = reinterpret_cast<uintptr_t>(&sampling_state) >> 12;
  Shard& shard = shards_[(uint64_t{thread} * 0x9e3779b97f4a7c15) >> 61];
  static_assert(kShards == 8);
  shard.answers[static_cast<size_t>(answers) + (may_match ? 1 : 0)].fetch_add(weight, kRelaxed);
}

uint64_t FilterCounts::Get(Answers answers, bool may_match) const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) {
    sum += shard.answers[static_cast<size_t>(answers) + (may_match ? 1 : 0)].load(kRelaxed);
  }
  return sum;
}

FilterCounts* UnlabelledCounts() {
  static_assert(std::is_trivially_destructible_v<std::atomic<uint64_t>>);
  // Never destroyed, because filters may be closed while the process ends.
  alignas(FilterCounts) static char memory[sizeof(FilterCounts)];
  static FilterCounts* const counts = new (memory) FilterCounts(0, {});
  return counts;
}

FilterCounts* CountsFor(const CountsLabels& labels) {
  if (void (*const start)() = start_metrics.load()) start();
  FilterCounts* const counts = FindOrAdd(labels);
  return counts == nullptr ? UnlabelledCounts() : counts;
}

FilterCounts* CountsAt(size_t index) {
  if (index == 0) return UnlabelledCounts();
  const size_t n = num_counts.load(std::memory_order_acquire);
  return index <= n ? all_counts[index - 1].load(kRelaxed) : nullptr;
}

void SetMetricsStart(void (*start)()) { start_metrics.store(start); }

void SetSettingsWrong(bool wrong) {
  int unset = -1;
  if (wrong) {
    settings_wrong = 1;
  } else {
    settings_wrong.compare_exchange_strong(unset, 0);
  }
}

int SettingsWrong() { return settings_wrong.load(); }

}  // namespace bloomline::filter
