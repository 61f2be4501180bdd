// Seeds: their effect on hashes, and random seeds that filters draw.
#include "bloomline/seed.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "bloomline/c.h"
#include "bloomline/filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/injected_entropy.h"

namespace bloomline::tests::seed_test {
namespace {

constexpr char kNoSeed[] =
    "no random seed: the system's generator failed: Function not implemented";
constexpr char kFilterHasNoSeed[] = "no random seed: the system's generator failed";

FilterOptions RandomSeed(Format format, double bits_per_key) {
  return {format, bits_per_key, /*seed=*/0, /*random_seed=*/true};
}

uint64_t SeedOf(const std::string& filter) { return filter::DecodeTrailer(filter).seed; }

void AddKeys(FilterBuilder* builder, int num_keys = 1000) {
  for (int i = 0; i < num_keys; ++i) builder->AddKey("key " + std::to_string(i));
}

void ExpectKeysMatch(const std::string& filter, int num_keys = 1000) {
  const FilterView view = FilterView::Open(filter);
  for (int i = 0; i < num_keys; ++i) {
    ASSERT_TRUE(view.MayMatch("key " + std::to_string(i))) << "lost key " << i;
  }
}

TEST(KeyHasherTest, IsXxh3WithSeedForKeysOfEveryLength) {
  std::string bytes(600, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 131 + i / 7);
  std::vector<uint64_t> seeds = {0, 1, 0xFFFFFFFF, 0x100000000, 0x0123456789ABCDEF, ~uint64_t{0}};
  for (int bit = 0; bit < 64; ++bit) seeds.push_back(uint64_t{1} << bit);
  for (const uint64_t seed : seeds) {
    const filter::KeyHasher hasher(seed);
    EXPECT_EQ(hasher.seed(), seed);
    for (size_t length = 0; length <= 300; ++length) {
      for (const size_t start : {0, 1, 77}) {  // also at unaligned addresses
        const std::string_view key(&bytes[start], length);
        const uint64_t expected = XXH3_64bits_withSeed(key.data(), key.size(), seed);
        ASSERT_EQ(hasher(key), expected) << length << " bytes, seed " << seed;
        ASSERT_EQ(filter::Hash64(key, seed), expected) << length << " bytes, seed " << seed;
      }
    }
  }
}

TEST(DrawSeedTest, SeedsDifferAndAreNeverZero) {
  std::set<uint64_t> seeds;
  for (int i = 0; i < 1000; ++i) {
    uint64_t seed = 0;
    std::string error = "untouched";
    ASSERT_TRUE(DrawSeed(&seed, &error));
    EXPECT_EQ(error, "untouched");
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_EQ(seeds.count(0), 0u);
}

TEST(DrawSeedTest, ZeroIsDrawnAgainAndAFailureSaysWhy) {
  const InjectedEntropy zeros(3);
  const int calls_before = NumEntropyCalls();
  uint64_t seed = 5;
  std::string error;
  EXPECT_FALSE(DrawSeed(&seed, &error));
  EXPECT_EQ(NumEntropyCalls() - calls_before, 4) << "three zeros, then a failure";
  EXPECT_EQ(error, kNoSeed);
  EXPECT_FALSE(DrawSeed(&seed, nullptr));
  EXPECT_EQ(seed, 5u);
}

TEST(RandomSeedTest, EachFilterDrawsItsOwnAndRecordsIt) {
  for (const FilterOptions& options :
       {RandomSeed(Format::kBlocked, 10), RandomSeed(Format::kRibbon, 7.1),
        RandomSeed(Format::kRibbon, 4)}) {
    std::set<uint64_t> seeds;
    std::set<std::string> filters;
    for (int i = 0; i < 4; ++i) {
      FilterBuilder builder(options);
      for (int reuse = 0; reuse < 4; ++reuse) {
        AddKeys(&builder);
        const std::string filter = builder.Finish();
        EXPECT_EQ(builder.error(), "");
        ExpectKeysMatch(filter);
        EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
        seeds.insert(SeedOf(filter));
        filters.insert(filter);
        // Nothing but the seed is random.
        FilterOptions fixed = options;
        fixed.random_seed = false;
        fixed.seed = SeedOf(filter);
        FilterBuilder same(fixed);
        AddKeys(&same);
        EXPECT_EQ(same.Finish(), filter);
      }
    }
    EXPECT_EQ(seeds.size(), 16u) << FormatName(options.format);
    EXPECT_EQ(filters.size(), 16u);
  }
}

TEST(RandomSeedTest, BuildersOfDifferentSeedsAreNotJoined) {
  const FilterOptions options = RandomSeed(Format::kBlocked, 10);
  FilterBuilder one(options), two(options), unseeded((FilterOptions()));
  AddKeys(&two);
  AddKeys(&unseeded);
  EXPECT_FALSE(one.TakeKeysFrom(&two));
  EXPECT_FALSE(one.TakeKeysFrom(&unseeded));
  EXPECT_FALSE(unseeded.TakeKeysFrom(&two));
  EXPECT_TRUE(two.TakeKeysFrom(&two)) << "its own keys are there already";
  EXPECT_EQ(one.num_keys(), 0u);
  ExpectKeysMatch(two.Finish());
  ExpectKeysMatch(unseeded.Finish());
}

TEST(RandomSeedTest, WithoutAGeneratorTheFilterMatchesEverythingAndSaysWhy) {
  const FilterOptions options = RandomSeed(Format::kRibbon, 7.1);
  FilterBuilder healthy(options);
  AddKeys(&healthy);
  {
    const InjectedEntropy failing;
    FilterBuilder builder(options);
    EXPECT_EQ(builder.error(), kFilterHasNoSeed);
    AddKeys(&builder);
    EXPECT_EQ(builder.FinishedBytes(), filter::kTrailerBytes);
    EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
    EXPECT_NE(builder.error(), "");

    // This filter has had its seed since the first key; only the next one lacks one.
    EXPECT_EQ(healthy.error(), "");
    const std::string filter = healthy.Finish();
    EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
    ExpectKeysMatch(filter);
    EXPECT_EQ(healthy.error(), "") << "of the finished filter";
  }
  AddKeys(&healthy);
  EXPECT_TRUE(FilterView::Open(healthy.Finish()).AlwaysMatches()) << "no seed when it was begun";
  EXPECT_NE(healthy.error(), "");
  AddKeys(&healthy);
  const std::string filter = healthy.Finish();
  EXPECT_EQ(healthy.error(), "");
  EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
  ExpectKeysMatch(filter);
}

TEST(RandomSeedTest, InCTheSameFailureIsAnError) {
  char* error = nullptr;
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  bloomline_filteroptions_set_random_seed(options, 1);
  bloomline_builder_t* builder = bloomline_builder_create(options, &error);
  ASSERT_NE(builder, nullptr);
  size_t length = 0;
  {
    const InjectedEntropy failing;
    EXPECT_EQ(bloomline_draw_seed(&error), 0u);
    EXPECT_STREQ(error, kNoSeed);
    EXPECT_EQ(bloomline_builder_create(options, &error), nullptr);
    bloomline_free(bloomline_builder_finish(builder, 1, &length, &error));  // has its seed
  }
  for (const bool has_seed : {false, true}) {
    bloomline_builder_add_key(builder, "a", 1);
    char* filter = bloomline_builder_finish(builder, 1, &length, &error);
    ASSERT_EQ(filter != nullptr, has_seed);
    EXPECT_STREQ(error, kFilterHasNoSeed);  // success leaves it alone
    EXPECT_TRUE(!has_seed || FilterView::Open({filter, length}).MayMatch("a"));
    bloomline_free(filter);
  }
  bloomline_free(error);
  bloomline_builder_destroy(builder);
  bloomline_filteroptions_destroy(options);
}

TEST(RandomSeedTest, OptionsThatContradictEachOtherAreRefused) {
  FilterOptions both = RandomSeed(Format::kBlocked, 10);
  both.seed = 77;
  EXPECT_EQ(both.Validate(),
            "random_seed is set and seed is 77; allowed: seed 0 with random_seed, or another seed "
            "without");
  FilterBuilder builder(both);
  EXPECT_EQ(builder.error(), both.Validate());
  EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
  EXPECT_EQ(RandomSeed(Format::kClassic, 10).Validate(),
            "random_seed is set and format is classic, whose hash takes no seed; allowed: blocked, "
            "ribbon");
}

}  // namespace
}  // namespace bloomline::tests::seed_test
