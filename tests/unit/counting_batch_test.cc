// Batches of keys and merged filters give the result of the same keys added one by one.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/counting_bloom_filter.h"
#include "tests/support/counting_filters.h"

namespace bloomline {
namespace {

using tests::Key;
using tests::Make;
using tests::MakeFor;

class CountingBatchTest : public tests::CountingTest {};

TEST_P(CountingBatchTest, BatchesMatchSingleCalls) {
  // The larger one is past the size from which blocks are prefetched.
  for (const uint64_t capacity : {500u, 200000u}) {
    for (const size_t n : {0, 1, 31, 32, 33, 64, 65, 1000}) {
      SCOPED_TRACE(testing::Message() << capacity << " " << n);
      const auto batch = MakeFor(counter_bits(), capacity, 0.05);
      const auto single = MakeFor(counter_bits(), capacity, 0.05);
      std::mt19937_64 random(n);
      std::vector<std::string> added, asked;
      for (size_t i = 0; i < n; ++i) added.push_back(Key(random() % (n / 2 + 1)));
      for (size_t i = 0; i < n; ++i) asked.push_back(Key(random() % (n + 1)));
      const std::vector<std::string_view> added_views(added.begin(), added.end());
      const std::vector<std::string_view> asked_views(asked.begin(), asked.end());
      const std::unique_ptr<bool[]> answers(new bool[n + 1]);

      size_t count = batch->AddKeys(n, added_views.data(), answers.get());
      size_t expected = 0;
      for (size_t i = 0; i < n; ++i) {
        const bool was_absent = single->AddKey(added[i]);
        ASSERT_EQ(answers[i], was_absent) << i;
        expected += was_absent ? 1 : 0;
      }
      EXPECT_EQ(count, expected);
      EXPECT_TRUE(*batch == *single);
      EXPECT_EQ(batch->num_keys(), single->num_keys());

      batch->MayMatch(n, asked_views.data(), answers.get());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(answers[i], single->MayMatch(asked[i])) << i;

      count = batch->RemoveKeys(n, asked_views.data(), answers.get());
      expected = 0;
      for (size_t i = 0; i < n; ++i) {
        const bool removed = single->RemoveKey(asked[i]);
        ASSERT_EQ(answers[i], removed) << i;
        expected += removed ? 1 : 0;
      }
      EXPECT_EQ(count, expected);
      EXPECT_TRUE(*batch == *single);
      EXPECT_EQ(batch->num_keys(), single->num_keys());
      EXPECT_EQ(batch->AddKeys(n, added_views.data()), [&] {
        size_t absent = 0;
        for (const std::string& key : added) absent += single->AddKey(key) ? 1 : 0;
        return absent;
      }());
      EXPECT_TRUE(*batch == *single);
    }
  }
}

TEST_P(CountingBatchTest, BatchesCountSaturation) {
  const auto batch = Make(counter_bits(), 512, 3);
  const auto single = Make(counter_bits(), 512, 3);
  std::vector<uint64_t> hashes(100000);
  std::mt19937_64 random(5);
  for (uint64_t& hash : hashes) hash = random();
  batch->AddHashes(hashes.size(), hashes.data());
  for (const uint64_t hash : hashes) single->AddHash(hash);
  EXPECT_TRUE(*batch == *single);
  EXPECT_EQ(batch->num_saturated_counters(), single->num_saturated_counters());
  EXPECT_EQ(batch->num_saturated_counters(), 512u);
  EXPECT_EQ(batch->RemoveHashes(hashes.size(), hashes.data()), hashes.size());
  EXPECT_TRUE(*batch == *single);
}

TEST_P(CountingBatchTest, MergedFilterEqualsTheFilterOfAllKeys) {
  const auto one = Make(counter_bits(), 2000, 5);
  const auto other = Make(counter_bits(), 2000, 5);
  const auto both = Make(counter_bits(), 2000, 5);
  const uint64_t num_keys = counter_bits() == 4 ? 1500 : 50000;  // some counters saturate
  for (uint64_t i = 0; i < num_keys; ++i) {
    one->AddKey(Key(i));
    other->AddKey(Key(2 * i));
    both->AddKey(Key(i));
    both->AddKey(Key(2 * i));
  }
  ASSERT_TRUE(one->Merge(*other, nullptr));
  EXPECT_TRUE(*one == *both);
  EXPECT_EQ(one->num_keys(), both->num_keys());
  EXPECT_GT(one->num_saturated_counters(), 0u);
  EXPECT_LT(one->num_saturated_counters(), one->num_counters());
  EXPECT_EQ(one->num_saturated_counters(), both->num_saturated_counters());
  // Merging a filter into itself doubles every count.
  const auto twice = Make(counter_bits(), 2000, 5);
  twice->AddKey("a");
  ASSERT_TRUE(twice->Merge(*twice, nullptr));
  EXPECT_EQ(twice->EstimatedCount("a"), 2u);
  EXPECT_EQ(twice->num_keys(), 2u);
}

// Full counters, and a counter whose sum would carry into the next one.
TEST_P(CountingBatchTest, MergedCountersSaturateIndependently) {
  const auto one = Make(counter_bits(), 512, 1);
  const auto other = Make(counter_bits(), 512, 1);
  for (const std::string& key : tests::Keys(0, 5)) {
    for (uint32_t i = 0; i < max_count() - 1; ++i) {
      one->AddKey(key);
      other->AddKey(key);
    }
  }
  const uint64_t num_keys = one->num_keys();
  std::vector<uint32_t> before;
  for (const std::string& key : tests::Keys(0, 1000)) before.push_back(one->EstimatedCount(key));
  EXPECT_EQ(one->num_saturated_counters(), 0u);
  ASSERT_TRUE(one->Merge(*other, nullptr));
  EXPECT_EQ(one->num_saturated_counters(), 5u);
  EXPECT_EQ(one->num_keys(), 2 * num_keys);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(one->EstimatedCount(tests::Keys(i, i + 1)[0]), before[i] == 0 ? 0 : max_count()) << i;
  }
}

// A saturated counter stays, so that its key can be removed any number of times.
TEST_P(CountingBatchTest, NumKeysStopsAtZero) {
  const auto filter = Make(counter_bits(), 512, 1);
  const std::vector<std::string_view> added(max_count(), "key");
  const std::vector<std::string_view> removed(max_count() + 100, "key");
  filter->AddKeys(added.size(), added.data());
  EXPECT_EQ(filter->RemoveKeys(removed.size(), removed.data()), removed.size());
  EXPECT_EQ(filter->num_keys(), 0u);
  EXPECT_TRUE(filter->RemoveKey("key"));
  EXPECT_EQ(filter->num_keys(), 0u);
}

TEST_P(CountingBatchTest, MergeRefusesOtherShapes) {
  const auto filter = Make(counter_bits(), 2048, 5, 1);
  filter->AddKey("a");
  const auto same = Make(counter_bits(), 2048, 5, 1);
  same->AddKey("a");
  const struct {
    std::unique_ptr<CountingBloomFilter> other;
    std::string what;
  } kOthers[] = {
      {Make(12 - counter_bits(), 2048, 5, 1), "counter_bits is " + std::to_string(counter_bits())},
      {Make(counter_bits(), 1024, 5, 1), "num_counters is 2048 in this filter and 1024"},
      {Make(counter_bits(), 2048, 6, 1), "num_probes is 5 in this filter and 6"},
      {Make(counter_bits(), 2048, 5, 2), "seed is 1 in this filter and 2"},
  };
  for (const auto& [other, what] : kOthers) {
    other->AddKey("b");
    std::string error;
    EXPECT_FALSE(filter->Merge(*other, &error));
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_FALSE(filter->Merge(*other, nullptr));
    EXPECT_FALSE(*filter == *other);
  }
  EXPECT_TRUE(*filter == *same);
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingBatchTest, tests::CounterBits(),
                         tests::CounterBitsName);

}  // namespace
}  // namespace bloomline
