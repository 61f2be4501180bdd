// What the tests of src/db/engine_filters share.
#ifndef BLOOMLINE_TESTS_DB_ENGINE_FILTER_CHECKS_H_
#define BLOOMLINE_TESTS_DB_ENGINE_FILTER_CHECKS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/engine_filters/engine_filter.h"

namespace bloomline::engine_filters {

// Random bytes. Every fourth key has another length, up to 300.
inline std::vector<std::string> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) {
    keys[i].resize(i % 4 == 0 ? i / 4 % 301 : 8 + i % 12);
    for (char& c : keys[i]) c = static_cast<char>(random());
  }
  return keys;
}

inline std::vector<std::string> FirstOf(const std::vector<std::string>& keys, size_t count) {
  return {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count)};
}

// expected(key) is the answer of the filter's engine. Batches must give the same.
template <typename Expected>
void ExpectAnswers(const EngineFilter& filter, const std::vector<std::string>& keys,
                   Expected expected) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const std::unique_ptr<bool[]> batch(new bool[keys.size() + 1]);
  const size_t matches = filter.MayMatch(keys.size(), views.data(), batch.get());
  size_t expected_matches = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool answer = expected(views[i]);
    expected_matches += answer ? 1 : 0;
    ASSERT_EQ(filter.MayMatch(views[i]), answer)
        << "key " << i << " of a filter with " << KindName(filter.kind) << " " << filter.why;
    ASSERT_EQ(batch[i], answer) << "key " << i << " in a batch";
  }
  EXPECT_EQ(matches, expected_matches);
}

// Filters of up to 3,000 keys that build(keys) makes. engine(bytes) returns a function with the
// engine's answer to a key. check(filter, n) looks at a filter of n keys.
template <typename Build, typename Engine, typename Check>
void ExpectAnswersOfEngine(Container container, Build build, Engine engine, Check check) {
  const std::vector<std::string> stored = RandomKeys(3000, 1);
  const std::vector<std::string> others = RandomKeys(300, 2);
  for (size_t n = 0; n <= stored.size(); n += n < 70 ? 1 : n / 9) {
    SCOPED_TRACE(n);
    std::vector<std::string> keys = FirstOf(stored, n);
    const std::string bytes = build(keys);
    const EngineFilter filter = EngineFilter::Open(container, "", bytes);
    ASSERT_TRUE(filter.CanQuery()) << filter.why;
    check(filter, n);
    for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
    keys.insert(keys.end(), others.begin(), others.end());
    ExpectAnswers(filter, keys, engine(bytes));
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_TESTS_DB_ENGINE_FILTER_CHECKS_H_
