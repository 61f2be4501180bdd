// Keys without end for queries, made while the clock stands still.
//
// Every query has a key that was not asked for before: a pool that is asked over and over teaches
// the branch predictors its answers and, in a large filter, keeps its own few lines in the cache. A
// pool as large as the filter would itself push the filter out of the cache. So a chunk of keys,
// small enough for the first-level cache, is made from a counter outside the timed section, asked
// inside it, and thrown away.
#ifndef BLOOMLINE_DB_BENCH_EXT_KEYS_GENERATED_KEYS_H_
#define BLOOMLINE_DB_BENCH_EXT_KEYS_GENERATED_KEYS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bloomline::bench {

constexpr size_t kChunkKeys = 1024;
constexpr size_t kMaxKeyBytes = 16;

// SplitMix64's finaliser: one to one, so equal keys come only from equal indexes.
inline uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Key number `index`: random-looking, different for each index. key_bytes is 8 or 16.
inline void WriteKey(uint64_t index, size_t key_bytes, char* dst) {
  const uint64_t first = Mix(index + 1);
  std::memcpy(dst, &first, sizeof(first));
  if (key_bytes == 2 * sizeof(first)) {
    const uint64_t second = Mix(~first);
    std::memcpy(dst + sizeof(first), &second, sizeof(second));
  }
}

// A filter of n keys holds the keys with index 0 .. n - 1; indexes from here on are in no filter.
constexpr uint64_t kFirstAbsentIndex = uint64_t{1} << 40;

// Which keys are asked for, in random order and never twice when absent.
class QueryOrder {
 public:
  // Another order for each number of a run.
  QueryOrder(uint64_t num_keys, int hit_percent, uint64_t run)
      : num_keys_(num_keys), hit_percent_(hit_percent), counter_(run << 24) {}

  uint64_t NextIndex() {
    const uint64_t random = Mix(0x9e3779b97f4a7c15 * ++counter_);
    if ((random & 0xFF) * 100 >= static_cast<uint64_t>(hit_percent_) * 0x100) {
      return kFirstAbsentIndex + counter_;
    }
    return (random >> 32) * num_keys_ >> 32;
  }

  // kChunkKeys keys, one after another.
  void FillChunk(size_t key_bytes, char* dst) {
    for (size_t i = 0; i < kChunkKeys; ++i) WriteKey(NextIndex(), key_bytes, dst + i * key_bytes);
  }

 private:
  uint64_t num_keys_;
  int hit_percent_;
  uint64_t counter_;
};

template <typename Function>
double SecondsOf(const Function& timed) {
  const auto start = std::chrono::steady_clock::now();
  timed();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_KEYS_GENERATED_KEYS_H_
