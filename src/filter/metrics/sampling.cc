#include "src/filter/metrics/sampling.h"

#include <algorithm>
#include <chrono>

namespace bloomline::filter {

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
  // 129 to 384. The queries after the sampled one are of the next step.
  state.weight = kMeanStep / 2 + 1 + static_cast<uint32_t>(random >> 56);
  state.queries_left =
      std::max<int32_t>(0, static_cast<int32_t>(state.weight) - (num_queries - sample.index));
  return sample;
}

uint64_t ThreadRandom() {
  SamplingState& state = sampling_state;
  if (state.weight == 0) Start(&state);
  return NextRandom(&state.random);
}

}  // namespace bloomline::filter
