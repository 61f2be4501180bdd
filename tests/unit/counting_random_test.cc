// No key is lost as long as none is removed more often than it was added: random operations beside
// an exact multiset.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "bloomline/counting_bloom_filter.h"
#include "tests/support/counting_filters.h"

namespace bloomline {
namespace {

using tests::Key;
using tests::Make;
using tests::MakeFor;

class CountingRandomTest : public tests::CountingTest {};

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

// `adds` of 16 operations add, so that the fill reaches some level and stays there.
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

TEST_P(CountingRandomTest, RandomOperationsAgreeWithAMultiset) {
  for (const int num_probes : {1, 5, 6, 16, 17, 30}) {
    SCOPED_TRACE(num_probes);
    CheckedFilter checked(Make(counter_bits(), 600000, num_probes));
    RunRandomOperations(&checked, 30000, 300000, static_cast<uint64_t>(num_probes));
    if (HasFatalFailure()) return;
  }
}

TEST_P(CountingRandomTest, RandomOperationsOnAFilterPastCapacityAgreeWithAMultiset) {
  CheckedFilter checked(MakeFor(counter_bits(), 2000, 0.01));
  RunRandomOperations(&checked, 20000, 1000000, 1);
}

TEST_P(CountingRandomTest, RandomOperationsOnASaturatedFilterAgreeWithAMultiset) {
  // One group of blocks, in which counters of both widths overflow.
  CheckedFilter checked(Make(counter_bits(), 512, 4));
  RunRandomOperations(&checked, counter_bits() == 4 ? 2000 : 40000, 500000, 2);
  EXPECT_GT(checked.filter().num_saturated_counters(), 0u);
}

TEST_P(CountingRandomTest, FilterIsEmptyWhenAllKeysAreRemoved) {
  // At these sizes no counter saturates, so the filter must end empty.
  CheckedFilter checked(Make(counter_bits(), 1000000, 6));
  std::mt19937_64 random(3);
  for (int i = 0; i < 60000; ++i) checked.AddKey(Key(random() % 60000));
  ASSERT_EQ(checked.filter().num_saturated_counters(), 0u);
  checked.RemoveAll();
  EXPECT_TRUE(checked.filter() == *Make(counter_bits(), 1000000, 6));
  EXPECT_EQ(checked.filter().num_keys(), 0u);
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingRandomTest, tests::CounterBits(),
                         tests::CounterBitsName);

}  // namespace
}  // namespace bloomline
