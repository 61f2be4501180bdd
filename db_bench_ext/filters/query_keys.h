// The keys of queries, made while the clock stands still, and the loops that query them.
//
// No key is queried twice. A fixed pool of keys would teach the branch predictors its answers and,
// in a large filter, keep the few blocks that it reads in the cache. A pool as large as the filter
// would push the filter itself out of the cache. So a chunk of keys, small enough for the
// first-level cache, is made from a counter outside the timed section, queried inside it, and
// thrown away.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "db_bench_ext/filters/case.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench {

constexpr size_t kChunkKeys = 1024;

// Chooses the keys of the queries, in random order. No missing key comes twice.
class QueryOrder {
 public:
  // Each `run` has an order of its own.
  QueryOrder(uint64_t num_keys, int hit_percent, uint64_t run)
      : num_keys_(num_keys), hit_percent_(hit_percent), counter_(run << 24) {}

  uint64_t NextIndex() {
    const uint64_t random = Mix(kGoldenRatio * ++counter_);
    const bool is_stored = (random & 0xFF) * 100 < static_cast<uint64_t>(hit_percent_) * 0x100;
    is_stored_[counter_ % kChunkKeys] = is_stored;
    return is_stored ? (random >> 32) * num_keys_ >> 32 : kFirstMissingIndex + counter_;
  }

  // Writes kChunkKeys keys, one after another.
  void FillChunk(char* dst) {
    for (size_t i = 0; i < kChunkKeys; ++i) WriteKey(NextIndex(), dst + i * kKeyBytes);
  }

  // How many stored keys of the last chunk have the answer "no".
  uint64_t NumLost(const bool* answers) const {
    uint64_t lost = 0;
    for (size_t i = 0; i < kChunkKeys; ++i) {
      lost += is_stored_[(counter_ + 1 + i) % kChunkKeys] && !answers[i] ? 1 : 0;
    }
    return lost;
  }

 private:
  uint64_t num_keys_;
  int hit_percent_;
  uint64_t counter_;
  std::array<bool, kChunkKeys> is_stored_ = {};
};

// What else a program does between queries: no vector instructions. Some Intel processors multiply
// slowly in registers of 512 bits after some 10 us without.
inline void DoOtherWork(std::chrono::microseconds time) {
  if (time.count() == 0) return;
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Runs the loop of `state`: fill() makes a chunk of keys, query() writes their answers, which are
// counted afterwards, and is timed. Before that come chunks that do not count. The time is that of
// the median chunk, so a chunk during which the system ran another process does not count.
template <typename Fill, typename Query>
void TimeQueries(const Case& c, double bits_per_key, uint64_t warm_up_chunks,
                 const QueryOrder& order, const bool* answers, benchmark::State& state,
                 const Fill& fill, const Query& query) {
  for (uint64_t i = 0; i < warm_up_chunks; ++i) {
    fill();
    query();
  }
  uint64_t matches = 0, queries = 0, lost = 0;
  std::vector<double> seconds;
  for (auto _ : state) {
    fill();
    seconds.push_back(SecondsOf(query));
    state.SetIterationTime(seconds.back());
    matches += static_cast<uint64_t>(std::count(answers, answers + kChunkKeys, true));
    queries += kChunkKeys;
    lost += order.NumLost(answers);
  }
  state.counters[kLostCounter] = static_cast<double>(lost);
  if (c.hit_percent == 0) {
    state.counters[kFprCounter] = static_cast<double>(matches) / static_cast<double>(queries);
  }
  state.counters[kChunkNsCounter] = 1e9 * Median(std::move(seconds)) / kChunkKeys;
  state.counters[kWrittenBitsCounter] = bits_per_key;
  state.counters[kKeysCounter] = static_cast<double>(kChunkKeys);
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_
