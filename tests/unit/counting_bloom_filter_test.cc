// Counting filters, key by key: counts, removal and saturation.
#include "bloomline/counting_bloom_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/filter/kernels/probe_sequence.h"
#include "tests/support/counting_filters.h"

namespace bloomline {
namespace {

using tests::Key;
using tests::Keys;
using tests::Make;
using tests::MakeFor;

class CountingBloomFilterTest : public tests::CountingTest {};

// The distinct counters of a key within its block.
std::set<uint32_t> Positions(const CountingBloomFilter& filter, const std::string& key) {
  const kernels::ProbePair pair = kernels::BlockedPair(filter.HashOf(key));
  std::set<uint32_t> positions;
  for (int j = 0; j < filter.num_probes(); ++j) {
    const uint32_t probe = kernels::Probe(pair, j);
    positions.insert(filter.counter_bits() == 4 ? probe >> 25 : probe >> 26);
  }
  return positions;
}

TEST_P(CountingBloomFilterTest, NewFilterMatchesNothing) {
  const auto filter = MakeFor(counter_bits(), 1000, 0.01);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(filter->MayMatch(Key(i)));
    EXPECT_EQ(filter->EstimatedCount(Key(i)), 0u);
    EXPECT_FALSE(filter->RemoveKey(Key(i)));
  }
  EXPECT_EQ(filter->num_keys(), 0u);
}

TEST_P(CountingBloomFilterTest, AKeyStaysUntilRemovedAsOftenAsAdded) {
  const auto filter = MakeFor(counter_bits(), 1000, 0.01);
  for (uint32_t count = 1; count < max_count(); ++count) {
    EXPECT_EQ(filter->AddKey("a"), count == 1);
    EXPECT_EQ(filter->EstimatedCount("a"), count);
  }
  for (uint32_t count = max_count() - 1; count > 0; --count) {
    EXPECT_EQ(filter->EstimatedCount("a"), count);
    EXPECT_TRUE(filter->RemoveKey("a"));
  }
  EXPECT_FALSE(filter->MayMatch("a"));
  EXPECT_FALSE(filter->RemoveKey("a"));
}

TEST_P(CountingBloomFilterTest, SaturatedCountersStay) {
  const auto filter = Make(counter_bits(), 100000, 5);
  const uint64_t num_counters_of_key = Positions(*filter, "a").size();
  for (uint32_t i = 1; i < max_count(); ++i) filter->AddKey("a");
  EXPECT_EQ(filter->num_saturated_counters(), 0u);
  filter->AddKey("a");
  EXPECT_EQ(filter->num_saturated_counters(), num_counters_of_key);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  const auto same = Make(counter_bits(), 100000, 5);
  for (uint32_t i = 0; i < max_count(); ++i) same->AddKey("a");
  for (uint32_t i = 0; i < 3 * max_count(); ++i) filter->AddKey("a");
  EXPECT_TRUE(*filter == *same);
  for (uint32_t i = 0; i < 9 * max_count(); ++i) EXPECT_TRUE(filter->RemoveKey("a"));
  EXPECT_TRUE(*filter == *same);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  EXPECT_EQ(filter->num_saturated_counters(), num_counters_of_key);
  EXPECT_EQ(filter->num_keys(), 0u);
}

TEST_P(CountingBloomFilterTest, RefusedRemoveChangesNothing) {
  const auto filter = MakeFor(counter_bits(), 3000, 0.01);
  const auto same = MakeFor(counter_bits(), 3000, 0.01);
  for (const std::string& key : Keys(0, 3000)) {
    filter->AddKey(key);
    same->AddKey(key);
  }
  int num_refused = 0;
  for (const std::string& key : Keys(3000, 100000)) {
    if (filter->MayMatch(key)) continue;
    ASSERT_FALSE(filter->RemoveKey(key));
    ++num_refused;
  }
  EXPECT_GT(num_refused, 90000);
  EXPECT_TRUE(*filter == *same);
  EXPECT_EQ(filter->num_keys(), 3000u);
}

// Why the documentation says "remove only what was added": the filter cannot know.
TEST_P(CountingBloomFilterTest, RemovingAFalsePositiveLosesOtherKeys) {
  const auto filter = MakeFor(counter_bits(), 3000, 0.01);
  const std::vector<std::string> keys = Keys(0, 3000);
  for (const std::string& key : keys) filter->AddKey(key);
  uint64_t i = keys.size();
  while (!filter->MayMatch(Key(i))) ++i;
  EXPECT_TRUE(filter->RemoveKey(Key(i)));
  EXPECT_GT(std::count_if(keys.begin(), keys.end(),
                          [&](const std::string& key) { return !filter->MayMatch(key); }),
            0);
}

TEST_P(CountingBloomFilterTest, EqualProbesOfAKeyCountOnce) {
  for (const int num_probes : {2, 3, 6, 30}) {
    SCOPED_TRACE(num_probes);
    const auto filter = Make(counter_bits(), 4096, num_probes);
    const auto empty = Make(counter_bits(), 4096, num_probes);
    int num_colliding = 0;
    for (uint64_t i = 0; num_colliding < 50; ++i) {
      const uint64_t distinct = Positions(*filter, Key(i)).size();
      if (distinct == static_cast<uint64_t>(num_probes)) continue;
      ++num_colliding;
      for (uint32_t count = 1; count < max_count(); ++count) {
        filter->AddKey(Key(i));
        ASSERT_EQ(filter->EstimatedCount(Key(i)), count);
      }
      // One more addition saturates exactly the distinct counters, once each.
      filter->AddKey(Key(i));
      ASSERT_EQ(filter->num_saturated_counters(), distinct);
      filter->Clear();
      ASSERT_TRUE(filter->AddKey(Key(i)));
      const auto bits = filter->ToBloomFilter(nullptr);
      ASSERT_TRUE(bits->MayMatch(Key(i)));
      ASSERT_FALSE(filter->AddKey(Key(i)));
      ASSERT_TRUE(filter->RemoveKey(Key(i)));
      ASSERT_EQ(filter->EstimatedCount(Key(i)), 1u);
      ASSERT_TRUE(filter->RemoveKey(Key(i)));
      ASSERT_TRUE(*filter == *empty);
      ASSERT_FALSE(filter->RemoveKey(Key(i)));
    }
  }
}

TEST_P(CountingBloomFilterTest, CollidingKeysOfOneBlockDoNotLoseEachOther) {
  // Two probes in one block: nearly every pair of keys shares a counter.
  const auto filter = Make(counter_bits(), 512, 2);
  const std::vector<std::string> keys = Keys(0, 400);
  for (const std::string& key : keys) filter->AddKey(key);
  for (size_t removed = 0; removed < keys.size(); ++removed) {
    ASSERT_TRUE(filter->RemoveKey(keys[removed]));
    for (size_t i = removed + 1; i < keys.size(); ++i) ASSERT_TRUE(filter->MayMatch(keys[i]));
  }
  if (filter->num_saturated_counters() == 0) {
    EXPECT_TRUE(*filter == *Make(counter_bits(), 512, 2));
  }
}

TEST_P(CountingBloomFilterTest, HashesMatchTheirKeys) {
  const auto filter = Make(counter_bits(), 100000, 6, 77);
  EXPECT_TRUE(filter->AddHash(filter->HashOf("a")));
  EXPECT_TRUE(filter->MayMatch("a"));
  EXPECT_EQ(filter->EstimatedHashCount(filter->HashOf("a")), 1u);
  EXPECT_TRUE(filter->MayMatchHash(filter->HashOf("a")));
  EXPECT_TRUE(filter->RemoveKey("a"));
  EXPECT_FALSE(filter->RemoveHash(filter->HashOf("a")));
  EXPECT_NE(filter->HashOf("a"), Make(counter_bits(), 512, 1)->HashOf("a"));
}

TEST_P(CountingBloomFilterTest, ClearResetsAllCountersAlsoSaturatedOnes) {
  const auto filter = Make(counter_bits(), 1024, 5);
  for (int i = 0; i < 1000; ++i) filter->AddKey("a");
  EXPECT_GT(filter->num_saturated_counters(), 0u);
  filter->Clear();
  EXPECT_TRUE(*filter == *Make(counter_bits(), 1024, 5));
  EXPECT_EQ(filter->num_keys(), 0u);
  EXPECT_EQ(filter->num_saturated_counters(), 0u);
  EXPECT_FALSE(filter->MayMatch("a"));
}

TEST_P(CountingBloomFilterTest, HandlesEmptyAndHugeKeys) {
  const auto filter = MakeFor(counter_bits(), 100, 0.01);
  for (const std::string& key : {std::string(), std::string(1 << 20, 'x'), std::string("\0", 1)}) {
    filter->AddKey(key);
    EXPECT_TRUE(filter->MayMatch(key));
    EXPECT_TRUE(filter->RemoveKey(key));
    EXPECT_FALSE(filter->MayMatch(key));
  }
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingBloomFilterTest, tests::CounterBits(),
                         tests::CounterBitsName);

}  // namespace
}  // namespace bloomline
