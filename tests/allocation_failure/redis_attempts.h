// Shared by the tests of redis_bloom_filter.h.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_REDIS_ATTEMPTS_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_REDIS_ATTEMPTS_H_

#include <dirent.h>
#include <gtest/gtest.h>

#include <functional>

#include "bloomline/redis_bloom_filter.h"
#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {

// Few probes make planning fast, which happens thousands of times. The tests fill a hundredth of
// the filter, so that hardly any key is a false positive.
inline SharedBloomFilterOptions RedisOptions() {
  SharedBloomFilterOptions options;
  options.capacity = 5000000;
  options.false_positive_rate = 1.0 / 3;  // 15 digits: a short text needs no memory
  options.shard_bytes = 256 << 10;
  return options;
}

inline size_t NumOpenFiles() {
  size_t n = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
}

// As FailEachAllocation; also checks that no connection stays open.
inline void FailEachForRedis(Functions functions, const std::function<void(Attempt*)>& body) {
  FailEachAllocation(functions, [&](Attempt* attempt) {
    const size_t before = NumOpenFiles();
    body(attempt);
    EXPECT_EQ(NumOpenFiles(), before);
  });
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_REDIS_ATTEMPTS_H_
