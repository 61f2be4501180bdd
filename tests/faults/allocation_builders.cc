// Builders of filters, saved filters and their readers: each allocation fails once, alone or with
// all that follow. A function returns or throws bad_alloc, no filter lacks a key, and the object
// can be used again.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/filter/container/shapes.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr Format kFormats[] = {Format::kBlocked, Format::kCompact};

FilterOptions OptionsOf(Format format) {
  FilterOptions options;
  options.format = format;
  return options;
}

void AddAll(const ManyKeys& keys, FilterBuilder* builder) {
  const size_t half = keys.views.size() / 2;
  builder->AddKeys(half, keys.views.data());
  for (size_t i = half; i < keys.views.size(); ++i) builder->AddKey(keys.views[i]);
}

std::string FilterOf(Format format, const ManyKeys& keys) {
  FilterBuilder builder(OptionsOf(format));
  AddAll(keys, &builder);
  return builder.Finish();
}

void ExpectAllMatch(const ManyKeys& keys, const std::string& filter) {
  const FilterView view = FilterView::Open(filter);
  keys.ExpectPresent([&](std::string_view key) { return view.MayMatch(key); });
}

// A key for which memory was missing is in the next filter, which then matches every key, and
// error() says why. The builder can be used again.
TEST(FilterBuilder, LosesNoKey) {
  for (const size_t num_keys : {3000, 60000}) {  // ordered in a copy; in the memory of the hashes
    const ManyKeys keys(num_keys);
    for (const Format format : kFormats) {
      const std::string expected = FilterOf(format, keys);
      FailEachAllocation([&](Attempt* attempt) {
        std::optional<FilterBuilder> builder;
        std::string filter;
        if (!attempt->Call([&] { builder.emplace(OptionsOf(format)); })) return;
        const bool added = attempt->Call([&] { AddAll(keys, &*builder); });
        const bool finished = added && attempt->Call([&] { filter = builder->Finish(); });
        if (finished) {
          EXPECT_TRUE(filter == expected);
        } else {
          filter = builder->Finish();
          ExpectAllMatch(keys, filter);
          EXPECT_EQ(filter == expected, builder->error().empty());
          EXPECT_EQ(FilterView::Open(filter).AlwaysMatches(), builder->error() == "out of memory");
        }
        EXPECT_EQ(builder->num_keys(), 0u);
        AddAll(keys, &*builder);
        EXPECT_TRUE(builder->Finish() == expected);
        EXPECT_EQ(builder->error(), "");
      });
    }
  }
}

TEST(FilterBuilder, WithARandomSeedLosesNoKey) {
  const ManyKeys keys(3000);
  FilterOptions options = OptionsOf(Format::kCompact);
  options.random_seed = true;
  FailEachAllocation([&](Attempt* attempt) {
    FilterBuilder builder(options);
    std::string filter;
    const bool built = attempt->Call([&] {
      AddAll(keys, &builder);
      filter = builder.Finish();
    });
    if (!built) filter = builder.Finish();
    ExpectAllMatch(keys, filter);
  });
}

// Hashes, prefixes, moves, and keys taken from another builder.
TEST(FilterBuilder, OtherWaysToAddLoseNoKey) {
  const ManyKeys keys(1000), prefixes(100);  // "key 12" is a prefix of "key 123"
  for (const Format format : kFormats) {
    FailEachAllocation([&](Attempt* attempt) {
      FilterBuilder first(OptionsOf(format)), other(OptionsOf(format));
      attempt->Call([&] {
        for (size_t i = 0; i < 100; ++i) {
          first.AddHash(first.HashOf(keys.views[i]));
          const uint64_t hash = first.HashOf(keys.views[100 + i]);
          first.AddHashes(1, &hash);
        }
      });
      attempt->Call([&] {
        for (size_t i = 200; i < 1000; ++i) {
          other.AddKeyAndPrefix(keys.views[i], keys.views[i].substr(0, 6));
        }
      });
      FilterBuilder builder = std::move(first);
      attempt->Call([&] { EXPECT_TRUE(builder.TakeKeysFrom(&other)); });
      std::string filter(builder.FinishedBytes(), 'x');
      if (!attempt->Call([&] { builder.FinishTo(filter.data()); })) filter = builder.Finish();
      ExpectAllMatch(keys, filter);
      ExpectAllMatch(prefixes, filter);
    });
  }
}

// Threads that cannot start, and those that find no memory.
TEST(FilterBuilder, LosesNoKeyOnThreads) {
  const ManyKeys keys(300000);
  const std::string expected = FilterOf(Format::kCompact, keys);
  FailEachAllocationOfThreads([&](Attempt* attempt) {
    FilterBuilder builder(OptionsOf(Format::kCompact));
    AddAll(keys, &builder);
    std::string filter;
    const bool finished = attempt->Call([&] { filter = builder.Finish(4); });
    if (!finished) filter = builder.Finish(4);
    ExpectAllMatch(keys, filter);
    EXPECT_TRUE(filter == expected || !finished);
  });
}

TEST(FilterView, NeedsNoMemory) {
  const ManyKeys keys(3000);
  for (const Format format : kFormats) {
    const std::string filter = FilterOf(format, keys);
    Attempt attempt(FailurePlan{1, true, false});
    bool answers[3000];
    EXPECT_TRUE(attempt.Call([&] {
      const FilterView view = FilterView::Open(filter);
      view.MayMatch(keys.views.size(), keys.views.data(), answers);
      answers[0] &= view.MayMatch(keys.views[0]);
    }));
    EXPECT_FALSE(attempt.HasFailed());
    for (const bool answer : answers) EXPECT_TRUE(answer);
  }
}

// A filter of each kind is made, filled, saved, and read again, into a file and into bytes.
template <typename Filter, typename Options>
void TrySavedFilter(const Options& options) {
  const ManyKeys keys(300);
  const TempDir dir;
  const std::string path = dir.Path("a file whose name needs memory");
  FailEachAllocation([&](Attempt* attempt) {
    std::unique_ptr<Filter> filter;
    if (!attempt->Call([&] { filter = Filter::Create(options, nullptr); })) return;
    if (filter == nullptr) {
      EXPECT_TRUE(attempt->HasFailed());
      return;
    }
    if (!attempt->Call([&] { filter->AddKeys(keys.views.size(), keys.views.data()); })) {
      filter->AddKeys(keys.views.size(), keys.views.data());
    }
    keys.ExpectPresent([&](std::string_view key) { return filter->MayMatch(key); });
    const auto load = [&](const auto& save, const auto& read) {
      bool saved = false;
      attempt->Call([&] { saved = save(); });
      if (!saved) {
        EXPECT_TRUE(attempt->HasFailed());
        ASSERT_TRUE(save());
      }
      std::unique_ptr<Filter> copy;
      attempt->Call([&] { copy = read(); });
      if (copy == nullptr) {
        EXPECT_TRUE(attempt->HasFailed());
      }
      if (copy == nullptr) copy = read();
      ASSERT_NE(copy, nullptr);
      keys.ExpectPresent([&](std::string_view key) { return copy->MayMatch(key); });
    };
    load([&] { return filter->Save(path, nullptr); }, [&] { return Filter::Load(path, nullptr); });
    std::string bytes;
    load([&] { return filter->ToBytes(&bytes, nullptr); },
         [&] { return Filter::FromBytes(bytes, nullptr); });
  });
}

TEST(SavedFilters, LoseNoKey) {
  BloomFilterOptions bloom;
  bloom.capacity = 300;
  TrySavedFilter<BloomFilter>(bloom);
  CountingBloomFilterOptions counting;
  counting.capacity = 300;
  TrySavedFilter<CountingBloomFilter>(counting);
  ScalableBloomFilterOptions scalable;
  scalable.initial_capacity = 10;
  TrySavedFilter<ScalableBloomFilter>(scalable);
}

}  // namespace
}  // namespace bloomline::tests
