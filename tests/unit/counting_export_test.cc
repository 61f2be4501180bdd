// The Bloom filter that a counting filter exports equals the filter of its keys.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "tests/support/counting_filters.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using tests::Key;
using tests::Keys;
using tests::Make;
using tests::MakeFor;

class CountingExportTest : public tests::CountingTest {};

TEST_P(CountingExportTest, BloomFilterGivesTheAnswersOfTheCounters) {
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

TEST_P(CountingExportTest, BloomFilterEqualsTheFilterOfTheKeys) {
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
  EXPECT_NEAR(static_cast<double>(bits->num_keys()), 1e5, 1e3);
  EXPECT_NEAR(bits->EstimatedFalsePositiveRate(), 0.01, 3e-4);
}

// Other forms of the Bloom filter have the same bits.
TEST_P(CountingExportTest, SavedMappedAndAtomicBloomFiltersGiveTheAnswersOfTheCounters) {
  const tests::TempDir dir;
  const auto filter = MakeFor(counter_bits(), 5000, 0.05);
  for (const std::string& key : Keys(0, 5000)) filter->AddKey(key);
  std::string error;
  auto bits = filter->ToBloomFilter(&error);
  ASSERT_TRUE(bits->Save(dir.Path("f"), &error)) << error;
  const auto loaded = BloomFilter::Load(dir.Path("f"), &error);
  ASSERT_NE(loaded, nullptr) << error;
  EXPECT_TRUE(*loaded == *bits);
  const auto mapped =
      MappedBloomFilter::Open(dir.Path("f"), MappedBloomFilter::Verify::kPayload, &error);
  ASSERT_NE(mapped, nullptr) << error;
  const auto atomic = AtomicBloomFilter::ToAtomic(std::move(bits));
  for (const std::string& key : Keys(5000, 5500))
    ASSERT_EQ(atomic->AddKey(key), filter->AddKey(key));
  for (const std::string& key : Keys(0, 20000)) {
    ASSERT_EQ(atomic->MayMatch(key), filter->MayMatch(key));
    ASSERT_EQ(mapped->MayMatch(key), loaded->MayMatch(key));
  }
  EXPECT_TRUE(*atomic->Snapshot(nullptr) == *filter->ToBloomFilter(nullptr));
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingExportTest, tests::CounterBits(),
                         tests::CounterBitsName);

}  // namespace
}  // namespace bloomline
