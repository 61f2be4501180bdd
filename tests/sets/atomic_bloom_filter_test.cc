// Threads that add and query at the same time: no key is lost, and the bits are those of one
// thread.
#include "bloomline/atomic_bloom_filter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/filter_options.h"
#include "tests/support/bloom_layouts.h"

namespace bloomline::tests::atomic_bloom_filter_test {
namespace {

constexpr int kThreads = 4;

class AtomicBloomFilterTest : public testing::TestWithParam<BloomLayout> {
 protected:
  static BloomFilterOptions Options(uint64_t num_bits, int num_probes) {
    return ForBits(GetParam(), num_bits, num_probes);
  }
};

template <typename F>
void OnThreads(int n, F f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t) threads.emplace_back(f, t);
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> Keys(int first, int count) {
  std::vector<std::string> keys;
  for (int i = first; i < first + count; ++i) keys.push_back("key" + std::to_string(i));
  return keys;
}

// Each bit counts, because few keys set it, and threads start together.
TEST_P(AtomicBloomFilterTest, ThreadsThatWriteTheSameWordsLoseNoBit) {
  constexpr size_t kKeysOfThread = 400;
  for (uint64_t round = 0; round < 60; ++round) {
    const BloomFilterOptions options = Options(32768, 4);
    const auto filter = AtomicBloomFilter::Create(options, nullptr);
    const auto expected = BloomFilter::Create(options, nullptr);
    std::vector<uint64_t> hashes;
    std::mt19937_64 random(round);
    for (size_t i = 0; i < 2 * kKeysOfThread; ++i) hashes.push_back(random());
    std::atomic<int> num_ready{0};
    OnThreads(2, [&](int t) {
      ++num_ready;
      while (num_ready < 2) {  // not a mutex, which would wake the threads one by one
      }
      const uint64_t* const own = hashes.data() + static_cast<size_t>(t) * kKeysOfThread;
      if (t == 0) filter->AddHashes(kKeysOfThread, own);
      for (size_t i = 0; t == 1 && i < kKeysOfThread; ++i) filter->AddHash(own[i]);
    });
    expected->AddHashes(hashes.size(), hashes.data());
    ASSERT_TRUE(*filter->Snapshot(nullptr) == *expected) << round;
    ASSERT_EQ(filter->EstimatedNumKeys(), expected->EstimatedNumKeys());
    ASSERT_EQ(filter->EstimatedFalsePositiveRate(), expected->EstimatedFalsePositiveRate());
  }
}

// The number of added keys is stored with release order after each key. A thread that reads the
// number must see these keys.
TEST_P(AtomicBloomFilterTest, QueriesSeeAddsThatHappenedBefore) {
  const auto filter = AtomicBloomFilter::Create(Options(1 << 18, 7), nullptr);
  const std::vector<std::string> keys = Keys(0, 4000);
  std::atomic<size_t> num_keys{0};
  std::atomic<size_t> num_checked{0};
  OnThreads(kThreads, [&](int t) {
    if (t == 0) {
      for (const std::string& key : keys) {
        filter->AddKey(key);
        num_keys.fetch_add(1, std::memory_order_release);
      }
      return;
    }
    size_t checked = 0;
    while (checked < keys.size()) {
      const size_t added = num_keys.load(std::memory_order_acquire);
      for (; checked < added; ++checked) ASSERT_TRUE(filter->MayMatch(keys[checked]));
      std::this_thread::yield();
    }
    num_checked += checked;
  });
  EXPECT_EQ(num_checked, (kThreads - 1) * keys.size());
}

TEST_P(AtomicBloomFilterTest, OneThreadGetsTheAnswersOfABloomFilter) {
  constexpr size_t kKeys = 300;
  const std::vector<std::string> keys = Keys(0, kKeys);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  for (int k = kMinProbes; k <= kMaxProbes; ++k) {
    // Not large, and large enough that keys are prefetched.
    for (const uint64_t num_bits : {uint64_t{6000}, uint64_t{1} << 22}) {
      SCOPED_TRACE(std::to_string(k) + " probes, " + std::to_string(num_bits) + " bits");
      const auto filter = AtomicBloomFilter::Create(Options(num_bits, k), nullptr);
      const auto plain = BloomFilter::Create(Options(num_bits, k), nullptr);
      for (size_t i = 0; i < kKeys / 2; ++i) {
        const uint64_t hash = filter->HashOf(keys[i]);
        ASSERT_EQ(hash, plain->HashOf(keys[i]));
        ASSERT_EQ(i % 3 == 0 ? filter->AddHash(hash) : filter->AddKey(keys[i]),
                  plain->AddKey(keys[i]));
      }
      bool answers[kKeys], plain_answers[kKeys];
      filter->MayMatch(kKeys, views.data(), answers);
      for (size_t i = 0; i < kKeys; ++i) {
        ASSERT_EQ(answers[i], plain->MayMatch(keys[i]));
        ASSERT_EQ(filter->MayMatch(keys[i]), answers[i]);
      }
      EXPECT_EQ(filter->AddKeys(kKeys, views.data(), answers),
                plain->AddKeys(kKeys, views.data(), plain_answers));
      for (size_t i = 0; i < kKeys; ++i) ASSERT_EQ(answers[i], plain_answers[i]);
      std::vector<uint64_t> absent;
      for (const std::string& key : Keys(100000, kKeys)) absent.push_back(plain->HashOf(key));
      filter->MayMatchHashes(kKeys, absent.data(), answers);
      for (size_t i = 0; i < kKeys; ++i) {
        ASSERT_EQ(answers[i], plain->MayMatchHash(absent[i]));
        ASSERT_EQ(filter->MayMatchHash(absent[i]), answers[i]);
      }
      EXPECT_EQ(filter->AddHashes(kKeys, absent.data()), plain->AddHashes(kKeys, absent.data()));
      EXPECT_TRUE(*filter->Snapshot(nullptr) == *plain);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, AtomicBloomFilterTest, testing::ValuesIn(kAllBloomLayouts),
                         [](const auto& info) { return Name(info.param); });

TEST(AtomicBloomFilterConversionTest, ConversionsKeepTheKeys) {
  BloomFilterOptions options;
  options.capacity = 1000;
  options.seed = 5;
  auto plain = BloomFilter::Create(options, nullptr);
  for (int i = 0; i < 500; ++i) plain->AddKey(std::to_string(i));
  auto atomic = AtomicBloomFilter::ToAtomic(std::move(plain));
  EXPECT_EQ(atomic->num_bits(), BloomFilter::Create(options, nullptr)->num_bits());
  EXPECT_EQ(atomic->capacity(), 1000u);
  EXPECT_EQ(atomic->seed(), 5u);
  EXPECT_EQ(atomic->layout(), BloomLayout::kBlocked);
  EXPECT_GE(atomic->num_probes(), 1);
  for (int i = 500; i < 1200; ++i) atomic->AddKey(std::to_string(i));
  const auto snapshot = atomic->Snapshot(nullptr);
  const auto frozen = AtomicBloomFilter::ToBloomFilter(std::move(atomic));
  EXPECT_TRUE(*snapshot == *frozen);
  EXPECT_EQ(snapshot->num_keys(), frozen->num_keys());
  EXPECT_NEAR(static_cast<double>(frozen->num_keys()), 1200, 60);
  EXPECT_TRUE(frozen->IsPastCapacity());
  for (int i = 0; i < 1200; ++i) ASSERT_TRUE(frozen->MayMatch(std::to_string(i)));
}

TEST(AtomicBloomFilterConversionTest, NullAndInvalidOptionsGiveNull) {
  EXPECT_EQ(AtomicBloomFilter::ToAtomic(nullptr), nullptr);
  EXPECT_EQ(AtomicBloomFilter::ToBloomFilter(nullptr), nullptr);
  std::string error;
  EXPECT_EQ(AtomicBloomFilter::Create(BloomFilterOptions(), &error), nullptr);
  EXPECT_NE(error.find("capacity is 0"), std::string::npos) << error;
}

}  // namespace
}  // namespace bloomline::tests::atomic_bloom_filter_test
