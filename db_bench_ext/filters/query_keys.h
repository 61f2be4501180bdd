// The keys of queries, made while the clock stands still.
//
// No key is queried twice. A fixed pool of keys would teach the branch predictors its answers and,
// in a large filter, keep the few blocks that it reads in the cache. A pool as large as the filter
// would push the filter itself out of the cache. So a chunk of keys, small enough for the
// first-level cache, is made from a counter outside the timed section, queried inside it, and
// thrown away.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_

#include <cstddef>
#include <cstdint>

#include "db_bench_ext/keys/generated_keys.h"

namespace bloomline::bench {

constexpr size_t kChunkKeys = 1024;
constexpr size_t kMaxKeyBytes = 16;

// Chooses the keys of the queries, in random order. No missing key comes twice.
class QueryOrder {
 public:
  // Each `run` has an order of its own.
  QueryOrder(uint64_t num_keys, int hit_percent, uint64_t run)
      : num_keys_(num_keys), hit_percent_(hit_percent), counter_(run << 24) {}

  uint64_t NextIndex() {
    const uint64_t random = Mix(kGoldenRatio * ++counter_);
    if ((random & 0xFF) * 100 >= static_cast<uint64_t>(hit_percent_) * 0x100) {
      return kFirstMissingIndex + counter_;
    }
    return (random >> 32) * num_keys_ >> 32;
  }

  // Writes kChunkKeys keys, one after another.
  void FillChunk(size_t key_bytes, char* dst) {
    for (size_t i = 0; i < kChunkKeys; ++i) WriteKey(NextIndex(), key_bytes, dst + i * key_bytes);
  }

 private:
  uint64_t num_keys_;
  int hit_percent_;
  uint64_t counter_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_QUERY_KEYS_H_
