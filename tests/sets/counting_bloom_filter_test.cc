// Counting filters: counts, removal and saturation, one by one and in batches; random operations
// beside an exact multiset; merging and export to Bloom filters.
#include "bloomline/counting_bloom_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::counting_bloom_filter_test {
namespace {

std::unique_ptr<CountingBloomFilter> Make(const CountingBloomFilterOptions& options) {
  std::string error;
  auto filter = CountingBloomFilter::Create(options, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

std::unique_ptr<CountingBloomFilter> Make(int counter_bits, uint64_t num_counters, int num_probes,
                                          uint64_t seed = 0) {
  return Make({/*capacity=*/0, 0.01, num_counters, num_probes, counter_bits, seed});
}

std::unique_ptr<CountingBloomFilter> MakeFor(int counter_bits, uint64_t capacity, double rate) {
  return Make({capacity, rate, /*num_counters=*/0, /*num_probes=*/0, counter_bits});
}

std::string Key(uint64_t i) { return "key" + std::to_string(i); }

std::vector<std::string> Keys(uint64_t first, uint64_t end) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < end; ++i) keys.push_back(Key(i));
  return keys;
}

// Both widths of counters.
class CountingBloomFilterTest : public testing::TestWithParam<int> {
 protected:
  int counter_bits() const { return GetParam(); }
  uint32_t max_count() const { return counter_bits() == 4 ? 15 : 255; }
};

TEST_P(CountingBloomFilterTest, SaturatedCountersStay) {
  const auto filter = Make(counter_bits(), 100000, 5);
  for (uint32_t i = 1; i < max_count(); ++i) filter->AddKey("a");
  EXPECT_EQ(filter->num_saturated_counters(), 0u);
  filter->AddKey("a");
  const uint64_t num_saturated = filter->num_saturated_counters();
  EXPECT_GT(num_saturated, 0u);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  const auto same = Make(counter_bits(), 100000, 5);
  for (uint32_t i = 0; i < max_count(); ++i) same->AddKey("a");
  for (uint32_t i = 0; i < 3 * max_count(); ++i) filter->AddKey("a");
  EXPECT_TRUE(*filter == *same);
  for (uint32_t i = 0; i < 9 * max_count(); ++i) EXPECT_TRUE(filter->RemoveKey("a"));
  EXPECT_TRUE(*filter == *same);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  EXPECT_EQ(filter->num_saturated_counters(), num_saturated);
  EXPECT_EQ(filter->num_keys(), 0u);
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

TEST_P(CountingBloomFilterTest, MergedFilterEqualsTheFilterOfAllKeys) {
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

TEST_P(CountingBloomFilterTest, MergeRefusesOtherShapes) {
  const auto filter = Make(counter_bits(), 2048, 5, 1);
  filter->AddKey("a");
  const auto same = Make(counter_bits(), 2048, 5, 1);
  same->AddKey("a");
  const std::pair<int, std::string> others[] = {
      {12 - counter_bits(), "counter_bits is " + std::to_string(counter_bits())},
      {counter_bits(), "num_counters is 2048 in this filter and 1024"}};
  for (const auto& [other_bits, what] : others) {
    const auto other = Make(other_bits, other_bits == counter_bits() ? 1024 : 2048, 5, 1);
    other->AddKey("b");
    std::string error;
    EXPECT_FALSE(filter->Merge(*other, &error));
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_FALSE(*filter == *other);
  }
  EXPECT_TRUE(*filter == *same);
}

TEST_P(CountingBloomFilterTest, BloomFilterGivesTheAnswersOfTheCounters) {
  for (const int num_probes : {1, 5, 6, 30}) {
    SCOPED_TRACE(num_probes);
    const auto filter = Make(counter_bits(), 30000, num_probes);
    std::mt19937_64 random(6);
    for (int i = 0; i < 6000; ++i) filter->AddKey(Key(random() % 4000));
    for (int i = 0; i < 2000; ++i) filter->RemoveKey(Key(random() % 4000));
    std::string error;
    const auto bits = filter->ToBloomFilter(&error);
    ASSERT_NE(bits, nullptr) << error;
    EXPECT_EQ(bits->num_bits(), filter->num_counters());
    EXPECT_EQ(bits->num_probes(), filter->num_probes());
    EXPECT_EQ(bits->HashOf("a"), filter->HashOf("a"));
    const std::vector<std::string> keys = Keys(0, 40000);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    bits->MayMatch(keys.size(), views.data(), answers.get());
    int num_matches = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(bits->MayMatch(keys[i]), filter->MayMatch(keys[i]));
      ASSERT_EQ(answers[i], filter->MayMatch(keys[i]));
      num_matches += answers[i] ? 1 : 0;
    }
    EXPECT_GT(num_matches, 2000);
    EXPECT_LT(num_matches, 40000);
    // Also with more keys.
    for (uint64_t i = 0; i < 500; ++i) {
      ASSERT_EQ(bits->AddKey(Key(50000 + i)), filter->AddKey(Key(50000 + i)));
    }
    EXPECT_TRUE(*bits == *filter->ToBloomFilter(nullptr));
  }
}

TEST_P(CountingBloomFilterTest, SizeFollowsTheOptions) {
  const auto counted = Make(counter_bits(), 513, 7, 9);
  EXPECT_EQ(counted->num_counters(), 1024u);
  EXPECT_EQ(counted->num_probes(), 7);
  EXPECT_EQ(counted->counter_bits(), counter_bits());
  EXPECT_EQ(counted->max_count(), max_count());
  EXPECT_EQ(counted->seed(), 9u);
  EXPECT_EQ(counted->capacity(), 0u);
  const auto sized = MakeFor(counter_bits(), 1000000, 0.01);
  EXPECT_EQ(sized->capacity(), 1000000u);
  EXPECT_EQ(sized->num_probes(), counter_bits() == 4 ? 6 : 5);
  EXPECT_NEAR(static_cast<double>(sized->num_counters()) / 1e6, counter_bits() == 4 ? 10.85 : 12.14,
              0.01);
}

// A filter and the exact multiset of its keys.
class CheckedFilter {
 public:
  explicit CheckedFilter(std::unique_ptr<CountingBloomFilter> filter)
      : filter_(std::move(filter)) {}

  void AddKey(const std::string& key) {
    const bool was_absent = filter_->AddKey(key);
    uint32_t& count = counts_[key];
    EXPECT_FALSE(was_absent && count > 0) << key;
    ++count;
    ++num_keys_;
    CheckKey(key, count);
  }

  // Removes the key if it is stored. If not, the filter must refuse, or it is a false positive and
  // is not removed.
  void RemoveIfIn(const std::string& key) {
    const auto found = counts_.find(key);
    if (found == counts_.end()) {
      if (!filter_->MayMatch(key)) {
        ASSERT_FALSE(filter_->RemoveKey(key)) << key;
      }
      return;
    }
    ASSERT_TRUE(filter_->RemoveKey(key)) << key;
    --num_keys_;
    if (--found->second == 0) {
      counts_.erase(found);
    } else {
      CheckKey(key, found->second);
    }
  }

  void CheckAll() const {
    for (const auto& [key, count] : counts_) CheckKey(key, count);
    ASSERT_EQ(filter_->num_keys(), num_keys_);
  }

  void RemoveAll() {
    while (!counts_.empty()) RemoveIfIn(std::string(counts_.begin()->first));
  }

  const CountingBloomFilter& filter() const { return *filter_; }

 private:
  void CheckKey(const std::string& key, uint32_t count) const {
    ASSERT_TRUE(filter_->MayMatch(key)) << key << " is in " << count << " times";
    ASSERT_GE(filter_->EstimatedCount(key), std::min(count, filter_->max_count())) << key;
  }

  std::unique_ptr<CountingBloomFilter> filter_;
  std::unordered_map<std::string, uint32_t> counts_;
  uint64_t num_keys_ = 0;
};

void RunRandomOperations(CheckedFilter* checked, uint64_t num_different_keys, int num_operations,
                         uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < num_operations && !testing::Test::HasFatalFailure(); ++i) {
    // A few keys are drawn very often, the others hardly ever.
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    const auto index = static_cast<uint64_t>(u * u * static_cast<double>(num_different_keys));
    // Phases of growing and shrinking.
    const uint64_t adds = i / 50000 % 2 == 0 ? 10 : 5;
    if (random() % 16 < adds) {
      checked->AddKey(Key(index));
    } else {
      checked->RemoveIfIn(Key(index));
    }
    if (i % 50000 == 0) checked->CheckAll();
  }
  checked->CheckAll();
}

// No key is lost as long as none is removed more often than it was added.
TEST_P(CountingBloomFilterTest, RandomOperationsAgreeWithAMultiset) {
  for (const int num_probes : {1, 5, 6, 16, 17, 30}) {
    SCOPED_TRACE(num_probes);
    CheckedFilter checked(Make(counter_bits(), 600000, num_probes));
    RunRandomOperations(&checked, 30000, Repetitions(300000), static_cast<uint64_t>(num_probes));
    if (HasFatalFailure()) return;
    if (checked.filter().num_saturated_counters() != 0) continue;
    checked.RemoveAll();
    EXPECT_TRUE(checked.filter() == *Make(counter_bits(), 600000, num_probes));
    EXPECT_EQ(checked.filter().num_keys(), 0u);
  }
}

TEST_P(CountingBloomFilterTest, RandomOperationsOnFullFiltersAgreeWithAMultiset) {
  CheckedFilter past_capacity(MakeFor(counter_bits(), 2000, 0.01));
  RunRandomOperations(&past_capacity, 20000, Repetitions(1000000), 1);
  // One group of blocks, in which counters of both widths overflow.
  CheckedFilter saturated(Make(counter_bits(), 512, 4));
  RunRandomOperations(&saturated, counter_bits() == 4 ? 2000 : 40000, Repetitions(500000), 2);
  EXPECT_GT(saturated.filter().num_saturated_counters(), 0u);
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingBloomFilterTest, testing::Values(4, 8),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace bloomline::tests::counting_bloom_filter_test
