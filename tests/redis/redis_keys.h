// Keys and results in tests of SharedBloomFilter.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_KEYS_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_KEYS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"

namespace bloomline::tests {

// "PREFIX0", "PREFIX1", ... : n keys.
inline std::vector<std::string> Keys(size_t n, const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

inline std::vector<std::string_view> Views(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

// The number of elements that are `result`: an Answer or an AddResult.
template <typename Result>
size_t Count(const std::vector<Result>& results, Result result) {
  return static_cast<size_t>(std::count(results.begin(), results.end(), result));
}

// The number of keys that the filter answers with "no". Expects that it has all answers.
inline size_t CountLost(SharedBloomFilter* filter, const std::vector<std::string>& keys) {
  std::vector<Answer> answers(keys.size());
  EXPECT_TRUE(filter->MayMatch(keys, answers.data())) << filter->error();
  return Count(answers, Answer::kNo);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_KEYS_H_
