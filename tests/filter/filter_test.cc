// FilterBuilder and FilterView: no false negative, whatever the keys and the options.
#include "bloomline/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bloomline/sizing.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/each_kernel.h"
#include "tests/support/finished_filter.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/key_shapes.h"

namespace bloomline {
namespace {

using tests::KeyMaker;
using tests::KeyShape;

FilterOptions Options(Format format, double bits_per_key, uint64_t seed = 0) {
  return {format, bits_per_key, seed};
}

std::string Build(const FilterOptions& options, const std::vector<std::string>& keys) {
  FilterBuilder builder(options);
  for (const std::string& key : keys) builder.AddKey(key);
  return builder.Finish();
}

// In static variables: built and queried before main, whatever else is initialised by then.
const std::string early_blocked = Build(Options(Format::kBlocked, 10), {"hello"});
const std::string early_ribbon = Build(Options(Format::kRibbon, 10), {"hello"});
const bool early_matches[] = {FilterView::Open(early_blocked).MayMatch("hello"),
                              FilterView::Open(early_ribbon).MayMatch("hello")};

TEST(BeforeMainTest, FiltersAreBuiltAndQueried) {
  EXPECT_FALSE(early_blocked.empty() || early_ribbon.empty());
  for (const bool matches : early_matches) EXPECT_TRUE(matches);
}

class FilterTest : public testing::TestWithParam<Format> {};

TEST_P(FilterTest, NeverLosesAKey) {
  for (const KeyShape shape : tests::kAllKeyShapes) {
    for (const double bits_per_key : {1.0, 3.0, 6.5, 9.9, 10.0, 24.0, 100.0}) {
      if (!Options(GetParam(), bits_per_key).Validate().empty()) continue;
      for (const uint64_t n : {1, 2, 7, 125, 126, 127, 600, 20000}) {
        KeyMaker key(shape);
        FilterBuilder builder(Options(GetParam(), bits_per_key, n));
        for (uint64_t i = 0; i < n; ++i) builder.AddKey(key(i));
        const std::string bytes = builder.Finish();
        const FilterView view = FilterView::Open(bytes);
        ASSERT_FALSE(view.AlwaysMatches());
        for (uint64_t i = 0; i < n; ++i) {
          ASSERT_TRUE(view.MayMatch(key(i))) << Name(shape) << " " << bits_per_key << " " << n;
        }
      }
    }
  }
}

TEST_P(FilterTest, HashesAndBatchesAnswerAsTheirKeys) {
  for (const uint64_t seed : {0, 77}) {
    KeyMaker key(KeyShape::kPath);
    FilterBuilder by_key(Options(GetParam(), 8, seed)), one_by_one(Options(GetParam(), 8, seed));
    FilterBuilder at_once(Options(GetParam(), 8, seed));
    std::vector<uint64_t> hashes;
    for (uint64_t i = 0; i < 3000; ++i) {
      for (int repeat = 0; repeat < 2; ++repeat) {  // adjacent duplicates are skipped
        by_key.AddKey(key(2 * i));
        one_by_one.AddHash(one_by_one.HashOf(key(2 * i)));
        hashes.push_back(at_once.HashOf(key(2 * i)));
      }
    }
    at_once.AddHashes(hashes.size(), hashes.data());
    EXPECT_EQ(at_once.num_keys(), 3000u);
    const std::string bytes = by_key.Finish();
    EXPECT_TRUE(bytes == one_by_one.Finish());
    EXPECT_TRUE(bytes == at_once.Finish());
    const FilterView view = FilterView::Open(bytes);
    hashes.clear();
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < 6000; ++i) {
      keys.emplace_back(key(i));
      EXPECT_EQ(view.HashOf(key(i)), by_key.HashOf(key(i)));
      hashes.push_back(view.HashOf(key(i)));
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    for (const size_t n : {0, 1, 31, 32, 33, 64, 6000}) {
      const std::unique_ptr<bool[]> answers(new bool[n]);
      view.MayMatchHashes(n, hashes.data(), answers.get());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(answers[i], view.MayMatch(key(i))) << i;
        ASSERT_EQ(answers[i], view.MayMatchHash(hashes[i])) << i;
      }
      view.MayMatch(n, views.data(), answers.get());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(answers[i], view.MayMatch(keys[i])) << i;
    }
  }
}

// Large enough that blocks are prefetched, at any alignment.
TEST_P(FilterTest, HashesOfLargeFiltersAnswerAsTheirKeys) {
  constexpr uint64_t kKeys = 600000;
  FilterBuilder builder(Options(GetParam(), 10));
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < kKeys; ++i) {
    hashes.push_back(builder.HashOf(std::to_string(i)));
    if (i % 2 == 0) builder.AddHash(hashes.back());
  }
  const std::string bytes = builder.Finish();
  ASSERT_GT(bytes.size(), size_t{256} << 10);
  const std::unique_ptr<char[]> memory(new char[bytes.size() + 128]);
  char* const aligned = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64);
  for (const size_t offset : {0, 1}) {
    std::copy(bytes.begin(), bytes.end(), aligned + offset);
    const FilterView view = FilterView::Open({aligned + offset, bytes.size()});
    const std::unique_ptr<bool[]> answers(new bool[kKeys]);
    view.MayMatchHashes(kKeys, hashes.data(), answers.get());
    for (size_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(answers[i], view.MayMatchHash(hashes[i])) << i;
      ASSERT_TRUE(answers[i] || i % 2 == 1) << i;
    }
  }
}

TEST_P(FilterTest, BuildersAreMoved) {
  FilterBuilder builder(Options(GetParam(), 10));
  builder.AddKey("a");
  FilterBuilder moved(std::move(builder));
  moved.AddKey("b");
  builder = FilterBuilder(Options(GetParam(), 12, 5));
  EXPECT_EQ(builder.num_keys(), 0u);
  builder.AddKey("c");
  EXPECT_TRUE(moved.Finish() == Build(Options(GetParam(), 10), {"a", "b"}));
  moved = std::move(builder);
  EXPECT_TRUE(moved.Finish() == Build(Options(GetParam(), 12, 5), {"c"}));
}

TEST_P(FilterTest, HandlesEmptyAndHugeKeysAndDuplicates) {
  const std::vector<std::string> keys = {
      "",  "", std::string(1 << 20, 'x'), std::string(1 << 20, 'x'), std::string("\0", 1), "a",
      "a", "a"};
  const std::string bytes = Build(Options(GetParam(), 10), keys);
  const FilterView view = FilterView::Open(bytes);
  for (const std::string& key : keys) EXPECT_TRUE(view.MayMatch(key));
}

TEST_P(FilterTest, NoKeysMatchNothing) {
  const std::string bytes = Build(Options(GetParam(), 10), {});
  const FilterView view = FilterView::Open(bytes);
  EXPECT_EQ(bytes.size(), filter::kTrailerBytes) << "no payload";
  EXPECT_FALSE(view.AlwaysMatches());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(view.MayMatch(std::to_string(i)));
  // Batches must not read blocks that do not exist.
  tests::GuardedBytes guarded(bytes.size());
  const std::string_view keys[3] = {"a", "b", "c"};
  bool answers[3] = {true, true, true};
  FilterView::Open(guarded.AtEnd(bytes)).MayMatch(3, keys, answers);
  for (const bool answer : answers) EXPECT_FALSE(answer);
}

TEST_P(FilterTest, FinishedBytesIsWhatFinishReturns) {
  for (const int n : {0, 1, 2, 50, 51, 52, 5000}) {
    FilterBuilder builder(Options(GetParam(), 9.9));
    for (int i = 0; i < n; ++i) builder.AddKey(std::to_string(i));
    const uint64_t expected = builder.FinishedBytes();
    EXPECT_EQ(expected, FilterBytes(GetParam(), static_cast<uint64_t>(n), 9.9));
    EXPECT_EQ(expected, builder.Finish().size());
  }
}

TEST_P(FilterTest, PayloadIsCappedWithoutLosingKeys) {
  filter::FilterWriter builder(Options(GetParam(), 10));
  for (int i = 0; i < 5000; ++i) builder.AddKey(std::to_string(i));
  const std::string bytes = tests::FinishedFilter(&builder, filter::StandaloneShape, 1000);
  EXPECT_LE(bytes.size(), 1000u + 20u);
  const FilterView view = FilterView::Open(bytes);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(view.MayMatch(std::to_string(i)));
}

INSTANTIATE_TEST_SUITE_P(Formats, FilterTest, testing::Values(Format::kBlocked, Format::kRibbon),
                         [](const auto& info) {
                           return info.param == Format::kBlocked ? "Blocked" : "Ribbon";
                         });

TEST(BlockedFilterTest, BuildersOfSeveralThreadsAreJoined) {
  FilterBuilder one((FilterOptions())), all((FilterOptions())), part((FilterOptions()));
  for (int i = 0; i < 50000; ++i) one.AddKey(std::to_string(i));
  for (int first = 0; first < 50000; first += 10000) {
    for (int i = first; i < first + 10000; ++i) part.AddKey(std::to_string(i));
    ASSERT_TRUE(all.TakeKeysFrom(&part));
    EXPECT_EQ(part.num_keys(), 0u);
    ASSERT_TRUE(all.TakeKeysFrom(&part)) << "an empty one";
  }
  EXPECT_EQ(all.num_keys(), 50000u);
  EXPECT_EQ(one.Finish(), all.Finish());
  FilterBuilder seeded(Options(Format::kBlocked, 10, 5));
  seeded.AddKey("a");
  EXPECT_FALSE(all.TakeKeysFrom(&seeded));
  EXPECT_EQ(seeded.num_keys(), 1u);
  FilterBuilder broken(Options(Format::kBlocked, 1e9));
  broken.AddKey("b");
  EXPECT_FALSE(all.TakeKeysFrom(&broken));
  EXPECT_EQ(broken.num_keys(), 1u);
}

TEST(FilterBuilderTest, InvalidOptionsStayTheErrorAfterTakingKeys) {
  const FilterOptions invalid = Options(Format::kBlocked, 1e9);
  FilterBuilder builder(invalid), other((FilterOptions()));
  other.AddKey("a");
  ASSERT_TRUE(builder.TakeKeysFrom(&other));
  EXPECT_EQ(builder.error(), invalid.Validate());
  EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
  EXPECT_EQ(builder.error(), invalid.Validate());
}

// The memory had a filter that matches no key.
TEST(FilterBuilderTest, RefusedFormatsMatchEveryKeyWhateverTheirMemoryHad) {
  FilterBuilder own((FilterOptions()));
  const std::string without_keys = own.Finish();
  for (const int number : {0, 2, 3, 5, 99}) {
    FilterBuilder builder(Options(static_cast<Format>(number), 10));
    EXPECT_NE(builder.error(), "") << number;
    EXPECT_EQ(builder.HashOf("hello"), own.HashOf("hello")) << number;
    builder.AddKey("hello");
    std::string bytes = without_keys;
    ASSERT_EQ(builder.FinishedBytes(), bytes.size()) << number;
    builder.FinishTo(bytes.data());
    EXPECT_TRUE(FilterView::Open(bytes).MayMatch("hello")) << number;
    EXPECT_EQ(FilterView::Validate(bytes), "its writer said so: invalid options, or out of memory")
        << number;
  }
}

TEST(BlockedFilterTest, KeyAndPrefixAreEachKeptOnce) {
  FilterBuilder builder((FilterOptions()));
  builder.AddKeyAndPrefix("k", "k");  // a key that is its own prefix
  EXPECT_EQ(builder.num_keys(), 1u);
  builder.AddKeyAndPrefix("ka", "k");  // equals the previous key
  EXPECT_EQ(builder.num_keys(), 2u);
  builder.AddKeyAndPrefix("kb", "k");  // equals the previous prefix
  EXPECT_EQ(builder.num_keys(), 3u);
  builder.AddKeyAndPrefix("kb", "k");
  EXPECT_EQ(builder.num_keys(), 3u);
  builder.AddKeyAndPrefix("m1", "m");
  EXPECT_EQ(builder.num_keys(), 5u);
  const std::string bytes = builder.Finish();
  const FilterView view = FilterView::Open(bytes);
  for (const char* key : {"k", "ka", "kb", "m1", "m"}) EXPECT_TRUE(view.MayMatch(key)) << key;
}

TEST(BlockedFilterTest, AFinishedFilterLeavesTheNextOneItsKeys) {
  FilterBuilder builder((FilterOptions()));
  for (const char* key : {"pa", "pb", "p"}) {  // the last is the prefix of the filter before
    builder.AddKeyAndPrefix(key, "p");
    const std::string bytes = builder.Finish();
    EXPECT_TRUE(FilterView::Open(bytes).MayMatch(key));
    EXPECT_TRUE(FilterView::Open(bytes).MayMatch("p")) << "with " << key;
  }
}

// The filters of random calls of three builders, of which the first two can exchange keys. Each
// key that was added matches. Many keys are equal, or prefixes of others.
std::vector<std::string> FiltersOfRandomCalls(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const Format format = draw(2) == 0 ? Format::kBlocked : Format::kRibbon;
  FilterBuilder builders[] = {FilterBuilder(Options(format, 10, seed % 2)),
                              FilterBuilder(Options(format, 5, seed % 2)),
                              FilterBuilder(Options(format, 10, 77))};
  std::vector<std::string> added[3];
  std::vector<std::string> filters;
  const auto finish = [&](size_t i) {
    filters.push_back(builders[i].Finish());
    const FilterView view = FilterView::Open(filters.back());
    EXPECT_FALSE(view.AlwaysMatches());
    const std::vector<std::string_view> keys(added[i].begin(), added[i].end());
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    view.MayMatch(keys.size(), keys.data(), answers.get());
    for (size_t j = 0; j < keys.size(); ++j) EXPECT_TRUE(answers[j] && view.MayMatch(keys[j]));
    added[i].clear();
  };
  for (int call = 0; call < 400; ++call) {
    const size_t i = draw(3), other = draw(3), kind = draw(40);
    const std::string key(draw(8) == 0 ? draw(300) : draw(5), static_cast<char>('a' + draw(3)));
    if (kind == 0) {
      finish(i);
    } else if (kind == 1) {
      const bool alike = (i == 2) == (other == 2);
      EXPECT_EQ(builders[i].TakeKeysFrom(&builders[other]), alike);
      if (!alike || i == other) continue;
      added[i].insert(added[i].end(), added[other].begin(), added[other].end());
      added[other].clear();
    } else if (kind < 15) {
      const std::string prefix = key.substr(0, draw(key.size() + 1));
      builders[i].AddKeyAndPrefix(key, prefix);
      added[i].insert(added[i].end(), {key, prefix});
    } else {
      builders[i].AddKey(key);
      added[i].push_back(key);
    }
  }
  for (size_t i = 0; i < 3; ++i) finish(i);
  return filters;
}

TEST(FilterBuilderTest, RandomCallsLoseNoKeyAndGiveTheSameBytesWithEachKernel) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<std::string> expected = FiltersOfRandomCalls(seed);
    tests::WithEachKernel([&] { EXPECT_TRUE(FiltersOfRandomCalls(seed) == expected) << seed; });
  }
}

TEST(FilterOptionsTest, BadValuesAreRefusedByNameAndRange) {
  for (const double bits_per_key : {2.9, 24.1, 0.0}) {
    const std::string error = Options(Format::kCompact, bits_per_key).Validate();
    EXPECT_NE(error.find("3 to 24 in format compact"), std::string::npos) << error;
  }
  EXPECT_EQ(Options(Format::kCompact, 3).Validate(), "");
  EXPECT_EQ(Options(Format::kCompact, 24).Validate(), "");
  EXPECT_EQ(Options(Format::kRibbon, 1).Validate(), "");
  EXPECT_EQ(Options(Format::kRibbon, 100).Validate(), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bits_per_key :
       {nan, -infinity, infinity, -1.0, 0.0, 0.99, 100.01, 1e9, 1073741824.0}) {
    for (const Format format : {Format::kBlocked, Format::kRibbon}) {
      const std::string error = Options(format, bits_per_key).Validate();
      const std::string range = std::string("1 to 100 in format ") + FormatName(format);
      EXPECT_NE(error.find("bits_per_key is"), std::string::npos) << bits_per_key;
      EXPECT_NE(error.find(range), std::string::npos) << error;
      EXPECT_EQ(FilterBuilder(Options(format, bits_per_key)).error(), error);
    }
  }
  // Six digits would name a value that is allowed.
  const std::string error = Options(Format::kBlocked, 100.0000001).Validate();
  EXPECT_NE(error.find("bits_per_key is 100.0000001;"), std::string::npos) << error;
  EXPECT_NE(Options(static_cast<Format>(9), 10).Validate().find("format is 9"), std::string::npos);
  EXPECT_EQ(Options(Format::kBlocked, 1).Validate(), "");
  EXPECT_EQ(Options(Format::kClassic, 100).Validate(), "");
}

TEST(FilterOptionsTest, SomeFormatsAreForEnginesAlone) {
  const struct {
    Format format;
    const char* error;
  } kRefused[] = {{Format::kClassic,
                   "format is classic, which is written in LevelDB only; allowed: blocked, ribbon"},
                  {Format::kCompact,
                   "format is compact, which is written in LevelDB only; allowed: blocked, ribbon "
                   "(ribbon takes "
                   "the place of compact)"},
                  {Format::kBloom,
                   "format is bloom, which is written in RocksDB only; allowed: blocked, ribbon"}};
  for (const auto& refused : kRefused) {
    const FilterOptions options = Options(refused.format, 10);
    EXPECT_EQ(options.Validate(), "");
    FilterBuilder builder(options);
    EXPECT_EQ(builder.error(), refused.error);
    builder.AddKey("a");
    const std::string bytes = builder.Finish();
    EXPECT_TRUE(FilterView::Open(bytes).AlwaysMatches());
    EXPECT_EQ(bytes.size(), 20u);
  }
}

TEST(FilterOptionsTest, RateIsTurnedIntoBits) {
  const FilterOptions options = FilterOptions::ForFalsePositiveRate(Format::kBlocked, 0.01);
  EXPECT_EQ(options.Validate(), "");
  EXPECT_NEAR(FalsePositiveRate(Format::kBlocked, options.bits_per_key), 0.01, 1e-6);
  for (const double rate : {0.0, 1.0, -0.1, 2.0, 1e-300, std::nan("")}) {
    EXPECT_NE(FilterOptions::ForFalsePositiveRate(Format::kBlocked, rate).Validate(), "") << rate;
  }
}

}  // namespace
}  // namespace bloomline
