// CountingBloomFilter: no key is lost as long as none is removed more often than it was added.
#include "bloomline/counting_bloom_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "src/kernels/probe_sequence.h"
#include "tests/bloom_layouts.h"
#include "tests/golden_keys.h"
#include "tests/temp_dir.h"

namespace bloomline {
namespace {

std::unique_ptr<CountingBloomFilter> Make(const CountingBloomFilterOptions& options) {
  std::string error;
  auto filter = CountingBloomFilter::Create(options, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

std::unique_ptr<CountingBloomFilter> Make(int counter_bits, uint64_t num_counters, int num_probes,
                                          uint64_t seed = 0) {
  CountingBloomFilterOptions options;
  options.counter_bits = counter_bits;
  options.num_counters = num_counters;
  options.num_probes = num_probes;
  options.seed = seed;
  return Make(options);
}

std::unique_ptr<CountingBloomFilter> MakeFor(int counter_bits, uint64_t capacity, double rate) {
  CountingBloomFilterOptions options;
  options.counter_bits = counter_bits;
  options.capacity = capacity;
  options.false_positive_rate = rate;
  return Make(options);
}

std::string Key(uint64_t i) { return "key" + std::to_string(i); }

std::vector<std::string> Keys(uint64_t first, uint64_t end) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < end; ++i) keys.push_back(Key(i));
  return keys;
}

// The distinct counters of a key within its line.
std::set<uint32_t> Positions(const CountingBloomFilter& filter, const std::string& key) {
  const kernels::ProbePair pair = kernels::BlockedPair(filter.HashOf(key));
  std::set<uint32_t> positions;
  for (int j = 0; j < filter.num_probes(); ++j) {
    const uint32_t probe = kernels::Probe(pair, j);
    positions.insert(filter.counter_bits() == 4 ? probe >> 25 : probe >> 26);
  }
  return positions;
}

class CountingBloomFilterTest : public testing::TestWithParam<int> {
 protected:
  int counter_bits() const { return GetParam(); }
  uint32_t max_count() const { return counter_bits() == 4 ? 15 : 255; }
};

// A filter beside the exact multiset that it stands for.
class CheckedFilter {
 public:
  explicit CheckedFilter(std::unique_ptr<CountingBloomFilter> filter)
      : filter_(std::move(filter)) {}

  void Add(const std::string& key) {
    const bool was_absent = filter_->Add(key);
    uint32_t& count = counts_[key];
    EXPECT_FALSE(was_absent && count > 0) << key;
    ++count;
    ++num_keys_;
    CheckKey(key, count);
  }

  // Takes the key out if it is in; else the filter must refuse it, or take it for present, and then
  // nothing is removed.
  void RemoveIfIn(const std::string& key) {
    const auto found = counts_.find(key);
    if (found == counts_.end()) {
      if (!filter_->MayContain(key)) {
        ASSERT_FALSE(filter_->Remove(key)) << key;
      }
      return;
    }
    ASSERT_TRUE(filter_->Remove(key)) << key;
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
    ASSERT_TRUE(filter_->MayContain(key)) << key << " is in " << count << " times";
    ASSERT_GE(filter_->EstimatedCount(key), std::min(count, filter_->max_count())) << key;
  }

  std::unique_ptr<CountingBloomFilter> filter_;
  std::unordered_map<std::string, uint32_t> counts_;
  uint64_t num_keys_ = 0;
};

// `adds` of 16 operations add, so that the filter fills to some level and stays there.
void RunRandomOperations(CheckedFilter* checked, uint64_t num_different_keys, int num_operations,
                         uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < num_operations && !testing::Test::HasFatalFailure(); ++i) {
    // Few keys are drawn often: the same one many times, and others hardly ever.
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    const auto index = static_cast<uint64_t>(u * u * static_cast<double>(num_different_keys));
    // Phases of growing and shrinking.
    const uint64_t adds = i / 50000 % 2 == 0 ? 10 : 5;
    if (random() % 16 < adds) {
      checked->Add(Key(index));
    } else {
      checked->RemoveIfIn(Key(index));
    }
    if (i % 50000 == 0) checked->CheckAll();
  }
  checked->CheckAll();
}

TEST_P(CountingBloomFilterTest, RandomOperationsAgreeWithAMultiset) {
  for (const int num_probes : {1, 5, 6, 16, 17, 30}) {
    SCOPED_TRACE(num_probes);
    CheckedFilter checked(Make(counter_bits(), 600000, num_probes));
    RunRandomOperations(&checked, 30000, 300000, static_cast<uint64_t>(num_probes));
    if (HasFatalFailure()) return;
  }
}

TEST_P(CountingBloomFilterTest, RandomOperationsOnAFilterPastCapacityAgreeWithAMultiset) {
  CheckedFilter checked(MakeFor(counter_bits(), 2000, 0.01));
  RunRandomOperations(&checked, 20000, 1000000, 1);
}

TEST_P(CountingBloomFilterTest, RandomOperationsOnASaturatedFilterAgreeWithAMultiset) {
  // One group of lines, in which counters of both widths overflow.
  CheckedFilter checked(Make(counter_bits(), 512, 4));
  RunRandomOperations(&checked, counter_bits() == 4 ? 2000 : 40000, 500000, 2);
  EXPECT_GT(checked.filter().num_saturated_counters(), 0u);
}

TEST_P(CountingBloomFilterTest, FilterIsEmptyWhenAllKeysAreRemoved) {
  // Sizes at which no counter saturates; so that nothing is left behind can be asked.
  CheckedFilter checked(Make(counter_bits(), 1000000, 6));
  std::mt19937_64 random(3);
  for (int i = 0; i < 60000; ++i) checked.Add(Key(random() % 60000));
  ASSERT_EQ(checked.filter().num_saturated_counters(), 0u);
  checked.RemoveAll();
  EXPECT_TRUE(checked.filter() == *Make(counter_bits(), 1000000, 6));
  EXPECT_EQ(checked.filter().num_keys(), 0u);
}

TEST_P(CountingBloomFilterTest, NewFilterContainsNothing) {
  const auto filter = MakeFor(counter_bits(), 1000, 0.01);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(filter->MayContain(Key(i)));
    EXPECT_EQ(filter->EstimatedCount(Key(i)), 0u);
    EXPECT_FALSE(filter->Remove(Key(i)));
  }
  EXPECT_EQ(filter->num_keys(), 0u);
}

TEST_P(CountingBloomFilterTest, AKeyIsInAsOftenAsItWasAdded) {
  const auto filter = MakeFor(counter_bits(), 1000, 0.01);
  for (uint32_t count = 1; count < max_count(); ++count) {
    EXPECT_EQ(filter->Add("a"), count == 1);
    EXPECT_EQ(filter->EstimatedCount("a"), count);
  }
  for (uint32_t count = max_count() - 1; count > 0; --count) {
    EXPECT_EQ(filter->EstimatedCount("a"), count);
    EXPECT_TRUE(filter->Remove("a"));
  }
  EXPECT_FALSE(filter->MayContain("a"));
  EXPECT_FALSE(filter->Remove("a"));
}

TEST_P(CountingBloomFilterTest, SaturatedCountersStay) {
  const auto filter = Make(counter_bits(), 100000, 5);
  const uint64_t num_counters_of_key = Positions(*filter, "a").size();
  for (uint32_t i = 1; i < max_count(); ++i) filter->Add("a");
  EXPECT_EQ(filter->num_saturated_counters(), 0u);
  filter->Add("a");
  EXPECT_EQ(filter->num_saturated_counters(), num_counters_of_key);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  const auto same = Make(counter_bits(), 100000, 5);
  for (uint32_t i = 0; i < max_count(); ++i) same->Add("a");
  for (uint32_t i = 0; i < 3 * max_count(); ++i) filter->Add("a");
  EXPECT_TRUE(*filter == *same);
  for (uint32_t i = 0; i < 9 * max_count(); ++i) EXPECT_TRUE(filter->Remove("a"));
  EXPECT_TRUE(*filter == *same);
  EXPECT_EQ(filter->EstimatedCount("a"), max_count());
  EXPECT_EQ(filter->num_saturated_counters(), num_counters_of_key);
  EXPECT_EQ(filter->num_keys(), 0u);
}

TEST_P(CountingBloomFilterTest, RefusedRemoveChangesNothing) {
  const auto filter = MakeFor(counter_bits(), 3000, 0.01);
  const auto same = MakeFor(counter_bits(), 3000, 0.01);
  for (const std::string& key : Keys(0, 3000)) {
    filter->Add(key);
    same->Add(key);
  }
  int num_refused = 0;
  for (const std::string& key : Keys(3000, 100000)) {
    if (filter->MayContain(key)) continue;
    ASSERT_FALSE(filter->Remove(key));
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
  for (const std::string& key : keys) filter->Add(key);
  uint64_t i = keys.size();
  while (!filter->MayContain(Key(i))) ++i;
  EXPECT_TRUE(filter->Remove(Key(i)));
  EXPECT_GT(std::count_if(keys.begin(), keys.end(),
                          [&](const std::string& key) { return !filter->MayContain(key); }),
            0);
}

TEST_P(CountingBloomFilterTest, ProbesThatMeetCountOnce) {
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
        filter->Add(Key(i));
        ASSERT_EQ(filter->EstimatedCount(Key(i)), count);
      }
      // One more saturates exactly the distinct ones, once each.
      filter->Add(Key(i));
      ASSERT_EQ(filter->num_saturated_counters(), distinct);
      filter->Clear();
      ASSERT_TRUE(filter->Add(Key(i)));
      const auto bits = filter->ToBloomFilter(nullptr);
      ASSERT_TRUE(bits->MayContain(Key(i)));
      ASSERT_FALSE(filter->Add(Key(i)));
      ASSERT_TRUE(filter->Remove(Key(i)));
      ASSERT_EQ(filter->EstimatedCount(Key(i)), 1u);
      ASSERT_TRUE(filter->Remove(Key(i)));
      ASSERT_TRUE(*filter == *empty);
      ASSERT_FALSE(filter->Remove(Key(i)));
    }
  }
}

TEST_P(CountingBloomFilterTest, CollidingKeysOfOneLineDoNotLoseEachOther) {
  // Two probes in one line: nearly every pair of keys shares a counter.
  const auto filter = Make(counter_bits(), 512, 2);
  const std::vector<std::string> keys = Keys(0, 400);
  for (const std::string& key : keys) filter->Add(key);
  for (size_t removed = 0; removed < keys.size(); ++removed) {
    ASSERT_TRUE(filter->Remove(keys[removed]));
    for (size_t i = removed + 1; i < keys.size(); ++i) ASSERT_TRUE(filter->MayContain(keys[i]));
  }
  if (filter->num_saturated_counters() == 0) {
    EXPECT_TRUE(*filter == *Make(counter_bits(), 512, 2));
  }
}

TEST_P(CountingBloomFilterTest, BatchesDoWhatSingleCallsDo) {
  // The larger one is past the size from which lines are requested ahead.
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

      size_t count = batch->AddMany(n, added_views.data(), answers.get());
      size_t expected = 0;
      for (size_t i = 0; i < n; ++i) {
        const bool was_absent = single->Add(added[i]);
        ASSERT_EQ(answers[i], was_absent) << i;
        expected += was_absent ? 1 : 0;
      }
      EXPECT_EQ(count, expected);
      EXPECT_TRUE(*batch == *single);
      EXPECT_EQ(batch->num_keys(), single->num_keys());

      batch->MayContainMany(n, asked_views.data(), answers.get());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(answers[i], single->MayContain(asked[i])) << i;

      count = batch->RemoveMany(n, asked_views.data(), answers.get());
      expected = 0;
      for (size_t i = 0; i < n; ++i) {
        const bool removed = single->Remove(asked[i]);
        ASSERT_EQ(answers[i], removed) << i;
        expected += removed ? 1 : 0;
      }
      EXPECT_EQ(count, expected);
      EXPECT_TRUE(*batch == *single);
      EXPECT_EQ(batch->num_keys(), single->num_keys());
      EXPECT_EQ(batch->AddMany(n, added_views.data()), [&] {
        size_t absent = 0;
        for (const std::string& key : added) absent += single->Add(key) ? 1 : 0;
        return absent;
      }());
      EXPECT_TRUE(*batch == *single);
    }
  }
}

TEST_P(CountingBloomFilterTest, BatchesCountSaturation) {
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

TEST_P(CountingBloomFilterTest, HashesAreWhatKeysHashTo) {
  const auto filter = Make(counter_bits(), 100000, 6, 77);
  EXPECT_TRUE(filter->AddHash(filter->HashOf("a")));
  EXPECT_TRUE(filter->MayContain("a"));
  EXPECT_EQ(filter->EstimatedHashCount(filter->HashOf("a")), 1u);
  EXPECT_TRUE(filter->MayContainHash(filter->HashOf("a")));
  EXPECT_TRUE(filter->Remove("a"));
  EXPECT_FALSE(filter->RemoveHash(filter->HashOf("a")));
  EXPECT_NE(filter->HashOf("a"), Make(counter_bits(), 512, 1)->HashOf("a"));
}

TEST_P(CountingBloomFilterTest, BloomFilterAnswersAsTheCountersDo) {
  for (const int num_probes : {1, 5, 6, 30}) {
    SCOPED_TRACE(num_probes);
    const auto filter = Make(counter_bits(), 30000, num_probes);
    std::mt19937_64 random(6);
    for (int i = 0; i < 6000; ++i) filter->Add(Key(random() % 4000));
    for (int i = 0; i < 2000; ++i) filter->Remove(Key(random() % 4000));
    std::string error;
    const auto bits = filter->ToBloomFilter(&error);
    ASSERT_NE(bits, nullptr) << error;
    EXPECT_EQ(bits->num_bits(), filter->num_counters());
    EXPECT_EQ(bits->num_probes(), filter->num_probes());
    EXPECT_EQ(bits->HashOf("a"), filter->HashOf("a"));
    const std::vector<std::string> keys = Keys(0, 40000);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    bits->MayContainMany(keys.size(), views.data(), answers.get());
    int num_matches = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(bits->MayContain(keys[i]), filter->MayContain(keys[i]));
      ASSERT_EQ(answers[i], filter->MayContain(keys[i]));
      num_matches += answers[i] ? 1 : 0;
    }
    EXPECT_GT(num_matches, 2000);
    EXPECT_LT(num_matches, 40000);
    // And as it grows.
    for (uint64_t i = 0; i < 500; ++i) {
      ASSERT_EQ(bits->Add(Key(50000 + i)), filter->Add(Key(50000 + i)));
    }
    EXPECT_TRUE(*bits == *filter->ToBloomFilter(nullptr));
  }
}

TEST_P(CountingBloomFilterTest, BloomFilterIsTheOneThatTheKeysMake) {
  const auto filter = MakeFor(counter_bits(), 100000, 0.01);
  BloomFilterOptions options;
  options.capacity = 100000;
  options.layout = counter_bits() == 4 ? BloomLayout::kBlocked128 : BloomLayout::kBlocked64;
  const auto bloom = BloomFilter::Create(options, nullptr);
  std::vector<uint64_t> hashes(100000);
  for (uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = filter->HashOf(Key(i));
  filter->AddHashes(hashes.size(), hashes.data());
  bloom->AddHashes(hashes.size(), hashes.data());
  const auto bits = filter->ToBloomFilter(nullptr);
  EXPECT_TRUE(*bits == *bloom);
  EXPECT_EQ(bits->capacity(), 100000u);
  EXPECT_NEAR(static_cast<double>(bits->EstimatedNumKeys()), 1e5, 1e3);
  EXPECT_NEAR(static_cast<double>(bits->num_added()), 1e5, 1e3);
  EXPECT_NEAR(bits->EstimatedFalsePositiveRate(), 0.01, 3e-4);
}

TEST_P(CountingBloomFilterTest, MergedFilterIsTheOneThatAllKeysMake) {
  const auto one = Make(counter_bits(), 2000, 5);
  const auto other = Make(counter_bits(), 2000, 5);
  const auto both = Make(counter_bits(), 2000, 5);
  const uint64_t num_keys = counter_bits() == 4 ? 1500 : 50000;  // some counters saturate
  for (uint64_t i = 0; i < num_keys; ++i) {
    one->Add(Key(i));
    other->Add(Key(2 * i));
    both->Add(Key(i));
    both->Add(Key(2 * i));
  }
  ASSERT_TRUE(one->Merge(*other, nullptr));
  EXPECT_TRUE(*one == *both);
  EXPECT_EQ(one->num_keys(), both->num_keys());
  EXPECT_GT(one->num_saturated_counters(), 0u);
  EXPECT_LT(one->num_saturated_counters(), one->num_counters());
  EXPECT_EQ(one->num_saturated_counters(), both->num_saturated_counters());
  // Itself: every count doubles.
  const auto twice = Make(counter_bits(), 2000, 5);
  twice->Add("a");
  ASSERT_TRUE(twice->Merge(*twice, nullptr));
  EXPECT_EQ(twice->EstimatedCount("a"), 2u);
  EXPECT_EQ(twice->num_keys(), 2u);
}

TEST_P(CountingBloomFilterTest, MergeRefusesOtherShapes) {
  const auto filter = Make(counter_bits(), 2048, 5, 1);
  filter->Add("a");
  const auto same = Make(counter_bits(), 2048, 5, 1);
  same->Add("a");
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
    other->Add("b");
    std::string error;
    EXPECT_FALSE(filter->Merge(*other, &error));
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_FALSE(filter->Merge(*other, nullptr));
    EXPECT_FALSE(*filter == *other);
  }
  EXPECT_TRUE(*filter == *same);
}

TEST_P(CountingBloomFilterTest, ClearRemovesAllAlsoSaturatedCounters) {
  const auto filter = Make(counter_bits(), 1024, 5);
  for (int i = 0; i < 1000; ++i) filter->Add("a");
  EXPECT_GT(filter->num_saturated_counters(), 0u);
  filter->Clear();
  EXPECT_TRUE(*filter == *Make(counter_bits(), 1024, 5));
  EXPECT_EQ(filter->num_keys(), 0u);
  EXPECT_EQ(filter->num_saturated_counters(), 0u);
  EXPECT_FALSE(filter->MayContain("a"));
}

TEST_P(CountingBloomFilterTest, FileHoldsTheFilter) {
  const tests::TempDir dir;
  CountingBloomFilterOptions options;
  options.capacity = 3000;
  options.counter_bits = counter_bits();
  options.seed = 12345;
  const auto filter = Make(options);
  for (const std::string& key : Keys(0, 3000)) filter->Add(key);
  for (int i = 0; i < 1000; ++i) filter->Add("often");
  std::string error;
  ASSERT_TRUE(filter->Save(dir.Path("f"), &error)) << error;
  const auto loaded = CountingBloomFilter::Load(dir.Path("f"), &error);
  ASSERT_NE(loaded, nullptr) << error;
  EXPECT_TRUE(*loaded == *filter);
  EXPECT_EQ(loaded->capacity(), 3000u);
  EXPECT_EQ(loaded->num_keys(), 4000u);
  EXPECT_EQ(loaded->counter_bits(), counter_bits());
  EXPECT_GT(loaded->num_saturated_counters(), 0u);
  EXPECT_EQ(loaded->num_saturated_counters(), filter->num_saturated_counters());
  EXPECT_TRUE(loaded->Remove(Key(5)));
  EXPECT_EQ(std::filesystem::file_size(dir.Path("f")),
            64 + filter->num_counters() * static_cast<uint64_t>(counter_bits()) / 8);
}

TEST_P(CountingBloomFilterTest, DamagedFilesAreRefused) {
  const tests::TempDir dir;
  const auto filter = Make(counter_bits(), 512, 3);
  filter->Add("a");
  ASSERT_TRUE(filter->Save(dir.Path("f"), nullptr));
  std::string bytes;
  {
    std::ifstream in(dir.Path("f"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto expect_refused = [&](const std::string& damaged, const std::string& what) {
    std::ofstream(dir.Path("d"), std::ios::binary) << damaged;
    std::string error;
    ASSERT_EQ(CountingBloomFilter::Load(dir.Path("d"), &error), nullptr) << what;
    ASSERT_NE(error.find(dir.Path("d")), std::string::npos) << error;
    ASSERT_EQ(CountingBloomFilter::Load(dir.Path("d"), nullptr), nullptr);
  };
  for (size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : 13) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    expect_refused(damaged, "byte " + std::to_string(i));
  }
  for (const size_t size : {size_t{0}, size_t{63}, size_t{64}, bytes.size() - 1}) {
    expect_refused(bytes.substr(0, size), "cut to " + std::to_string(size));
  }
  expect_refused(bytes + '\0', "longer");
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Load(dir.Path("none"), &error), nullptr);
  EXPECT_NE(error.find("none"), std::string::npos) << error;
  EXPECT_FALSE(filter->Save(dir.Path("none/f"), &error));
  EXPECT_NE(error.find("none/f"), std::string::npos) << error;
}

TEST_P(CountingBloomFilterTest, FilesOfOtherKindsAreRefused) {
  const tests::TempDir dir;
  const auto filter = Make(counter_bits(), 512, 3);
  ASSERT_TRUE(filter->Save(dir.Path("counters"), nullptr));
  ASSERT_TRUE(filter->ToBloomFilter(nullptr)->Save(dir.Path("bits"), nullptr));
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Load(dir.Path("bits"), &error), nullptr);
  EXPECT_NE(error.find("magic"), std::string::npos) << error;
  EXPECT_EQ(BloomFilter::Load(dir.Path("counters"), &error), nullptr);
  EXPECT_NE(error.find("magic"), std::string::npos) << error;
}

// What else a Bloom filter can be made into has the same bits in the same places.
TEST_P(CountingBloomFilterTest, SavedMappedAndAtomicBloomFiltersAnswerAsTheCountersDo) {
  const tests::TempDir dir;
  const auto filter = MakeFor(counter_bits(), 5000, 0.05);
  for (const std::string& key : Keys(0, 5000)) filter->Add(key);
  std::string error;
  auto bits = filter->ToBloomFilter(&error);
  ASSERT_TRUE(bits->Save(dir.Path("f"), &error)) << error;
  const auto loaded = BloomFilter::Load(dir.Path("f"), &error);
  ASSERT_NE(loaded, nullptr) << error;
  EXPECT_TRUE(*loaded == *bits);
  const auto mapped =
      MappedBloomFilter::Open(dir.Path("f"), MappedBloomFilter::Verify::kPayload, &error);
  ASSERT_NE(mapped, nullptr) << error;
  const auto atomic = AtomicBloomFilter::Thaw(std::move(bits));
  for (const std::string& key : Keys(5000, 5500)) ASSERT_EQ(atomic->Add(key), filter->Add(key));
  for (const std::string& key : Keys(0, 20000)) {
    ASSERT_EQ(atomic->MayContain(key), filter->MayContain(key));
    ASSERT_EQ(mapped->MayContain(key), loaded->MayContain(key));
  }
  EXPECT_TRUE(*atomic->Snapshot(nullptr) == *filter->ToBloomFilter(nullptr));
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

TEST_P(CountingBloomFilterTest, HandlesEmptyAndHugeKeys) {
  const auto filter = MakeFor(counter_bits(), 100, 0.01);
  for (const std::string& key : {std::string(), std::string(1 << 20, 'x'), std::string("\0", 1)}) {
    filter->Add(key);
    EXPECT_TRUE(filter->MayContain(key));
    EXPECT_TRUE(filter->Remove(key));
    EXPECT_FALSE(filter->MayContain(key));
  }
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingBloomFilterTest, testing::Values(4, 8),
                         [](const auto& info) { return std::to_string(info.param); });

// The files of docs/format.md, made by an independent implementation (golden/reference.py).
TEST(CountingBloomFilterFileTest, FilesAreExactlyTheBytesOfTheFormat) {
  const tests::TempDir dir;
  std::ifstream vectors(BLOOMLINE_GOLDEN_DIR "/saved_filters.txt");
  int num_filters = 0;
  for (std::string line; std::getline(vectors, line);) {
    std::istringstream fields(line);
    std::string kind, layout, key_list, file;
    CountingBloomFilterOptions options;
    fields >> kind >> layout >> options.num_counters >> options.num_probes >> options.seed >>
        options.capacity >> key_list >> file;
    if (kind != "counting") continue;
    SCOPED_TRACE(layout + " " + std::to_string(options.num_counters));
    options.counter_bits = tests::LayoutOf(layout) == BloomLayout::kBlocked128 ? 4 : 8;
    const std::string bytes = tests::FromHex(file);
    std::ofstream(dir.Path("golden"), std::ios::binary) << bytes;
    std::string error;
    const auto loaded = CountingBloomFilter::Load(dir.Path("golden"), &error);
    ASSERT_NE(loaded, nullptr) << error;
    const auto filter = Make(options);
    for (const std::string& key : tests::KeysFromHex(key_list)) filter->Add(key);
    EXPECT_TRUE(*loaded == *filter);
    EXPECT_EQ(loaded->num_saturated_counters(), filter->num_saturated_counters());
    ASSERT_TRUE(filter->Save(dir.Path("saved"), &error)) << error;
    std::ifstream saved(dir.Path("saved"), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(saved), {}), bytes);
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 4);
}

TEST(CountingBloomFilterOptionsTest, BadValuesAreRefusedByNameAndRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_error = [](const CountingBloomFilterOptions& options, const std::string& value,
                               const std::string& allowed) {
    std::string error;
    EXPECT_EQ(CountingBloomFilter::Create(options, &error), nullptr);
    EXPECT_EQ(error, options.Validate());
    EXPECT_NE(error.find(value), std::string::npos) << error;
    EXPECT_NE(error.find(allowed), std::string::npos) << error;
    EXPECT_EQ(CountingBloomFilter::Create(options, nullptr), nullptr);
  };
  CountingBloomFilterOptions options;
  expect_error(options, "capacity is 0", "1 and more, or num_counters of 1 and more");
  options.capacity = 100;
  EXPECT_EQ(options.Validate(), "");
  for (const int counter_bits : {-4, 0, 1, 5, 16}) {
    options.counter_bits = counter_bits;
    expect_error(options, "counter_bits is " + std::to_string(counter_bits), "allowed: 4 and 8");
  }
  options.counter_bits = 8;
  for (const double rate : {0.0, 1.0, -0.1, 2.0, nan, 1e-9}) {
    options.false_positive_rate = rate;
    expect_error(options, "false_positive_rate is", "100 counters per key");
  }
  options.false_positive_rate = 0.01;
  options.num_probes = 3;
  expect_error(options, "num_probes is 3 without num_counters", "allowed: 0");
  for (const int num_probes : {-1, 0, 31}) {
    options.num_counters = 1000;
    options.num_probes = num_probes;
    expect_error(options, "num_probes is " + std::to_string(num_probes), "1 to 30");
  }
  options.num_probes = 6;
  EXPECT_EQ(options.Validate(), "");
  options.num_counters = kMaxBloomBits + 1;
  expect_error(options, "num_counters is " + std::to_string(kMaxBloomBits + 1),
               "1 to " + std::to_string(kMaxBloomBits));
  options = CountingBloomFilterOptions();
  options.capacity = std::numeric_limits<uint64_t>::max();
  expect_error(options, "capacity is 18446744073709551615", "counters in all");
}

TEST(CountingBloomFilterOptionsTest, MissingMemoryIsAnError) {
  CountingBloomFilterOptions options;
  options.num_counters = kMaxBloomBits;
  options.num_probes = 6;
  options.counter_bits = 8;
  EXPECT_EQ(options.Validate(), "");
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Create(options, &error), nullptr);
  EXPECT_NE(error.find("out of memory: 1125899906842624 bytes"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline
