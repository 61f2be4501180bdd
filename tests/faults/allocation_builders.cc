// Builders of filters, in memory and on disk; views; the choice of a kernel.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "bloomline/on_disk_filter_builder.h"
#include "src/filter/container/shapes.h"
#include "src/filter/writer/hash_list.h"
#include "src/filter/writer/payload_builder.h"
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

// Checks a filter that the builder has just finished for `keys`, and the builder's error.
void CheckFinished(const Attempt& attempt, const ManyKeys& keys, const std::string& expected,
                   const std::string& filter, const std::string& error) {
  const FilterView view = FilterView::Open(filter);
  keys.ExpectPresent([&](std::string_view key) { return view.MayMatch(key); });
  if (error.empty()) {
    EXPECT_TRUE(filter == expected);
  } else {
    EXPECT_TRUE(attempt.HasFailed());
    EXPECT_EQ(error, "out of memory");
    EXPECT_TRUE(filter != expected) << "nothing is wrong with the filter";
  }
}

TEST(FilterOptions, InvalidOnesAreRefusedWithoutMemory) {
  FilterOptions wrong[4];
  wrong[0].bits_per_key = 0;
  wrong[1].format = Format{99};
  wrong[2] = FilterOptions::ForFalsePositiveRate(Format::kBlocked, 1e-30);
  wrong[3].random_seed = true;
  wrong[3].seed = 1;
  for (const FilterOptions& options : wrong) {
    ExpectSentence([&] { return options.Validate(); });
  }
  FailEachAllocation([&](Attempt* attempt) {
    std::optional<FilterBuilder> builder;
    std::string filter;
    attempt->Call([&] {
      builder.emplace(wrong[0]);
      builder->AddKey("a key");
      filter = builder->Finish();
    });
    EXPECT_NE(builder->error(), "");
    EXPECT_TRUE(FilterView::Open(filter).AlwaysMatches());
  });
}

TEST(FilterView, SaysWhyItMatchesEveryKeyWithoutMemory) {
  for (const std::string& bytes : {std::string(100, 'x'), "bLnBloom" + std::string(100, 'x')}) {
    ExpectSentence([&] { return FilterView::Validate(bytes); });
  }
}

TEST(FilterBuilder, LosesNoKeyAndReportsTheFailure) {
  const ManyKeys keys(3000);
  for (const Format format : kFormats) {
    const std::string expected = FilterOf(format, keys);
    FailEachAllocation([&](Attempt* attempt) {
      std::optional<FilterBuilder> builder;
      std::string filter;
      bool answer = false;
      attempt->Call([&] {
        builder.emplace(OptionsOf(format));
        AddAll(keys, &*builder);
        filter = builder->Finish();
        FilterView::Open(filter).MayMatch(1, keys.views.data(), &answer);
      });
      EXPECT_TRUE(answer);
      CheckFinished(*attempt, keys, expected, filter, builder->error());
      EXPECT_EQ(builder->num_keys(), 0u);
      AddAll(keys, &*builder);
      filter = builder->Finish();
      CheckFinished(*attempt, keys, expected, filter, builder->error());
    });
  }
}

TEST(FilterBuilder, WithARandomSeedLosesNoKey) {
  const ManyKeys keys(3000);
  FilterOptions options = OptionsOf(Format::kCompact);
  options.random_seed = true;
  FailEachAllocation([&](Attempt* attempt) {
    FilterBuilder builder(options);
    std::string filter;
    attempt->Call([&] {
      AddAll(keys, &builder);
      filter = builder.Finish();
    });
    const FilterView view = FilterView::Open(filter);
    keys.ExpectPresent([&](std::string_view key) { return view.MayMatch(key); });
    EXPECT_TRUE(!view.AlwaysMatches() || builder.error() == "out of memory") << builder.error();
  });
}

// Millions of keys would each wait for an allocation in vain.
TEST(FilterBuilder, AsksOnceForMemoryThatIsNotThere) {
  const ManyKeys keys(3000);
  FilterBuilder builder(OptionsOf(Format::kBlocked));
  Attempt attempt(FailurePlan{1, true, false});
  attempt.Call([&] { AddAll(keys, &builder); });
  EXPECT_EQ(attempt.failed(), 1u);
  EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
}

TEST(FilterBuilder, HashOfABuilderWithoutMemoryIsRightForAnother) {
  FilterOptions options = OptionsOf(Format::kBlocked);
  options.seed = 7;
  FailEachAllocation([&](Attempt* attempt) {
    std::optional<FilterBuilder> builder;
    attempt->Call([&] { builder.emplace(options); });
    EXPECT_EQ(builder->HashOf("key"), HashKey("key", options.seed));
  });
}

// Hashes, prefixes, moves, and keys taken from another builder.
TEST(FilterBuilder, OtherWaysToAddLoseNoKey) {
  const ManyKeys keys(1000), prefixes(100);  // "key 12" is a prefix of "key 123"
  const auto build = [&](std::optional<FilterBuilder>* builder, Format format) {
    FilterBuilder first(OptionsOf(format)), other(OptionsOf(format));
    for (size_t i = 0; i < 100; ++i) {
      first.AddHash(first.HashOf(keys.views[i]));
      const uint64_t hash = first.HashOf(keys.views[100 + i]);
      first.AddHashes(1, &hash);
    }
    for (size_t i = 200; i < 1000; ++i) {
      const std::string_view key = keys.views[i];
      other.AddKeyAndPrefix(key, key.substr(0, 6));
    }
    builder->emplace(std::move(first));
    EXPECT_TRUE((*builder)->TakeKeysFrom(&other));
    first = std::move(**builder);
    **builder = std::move(first);
    return (*builder)->Finish();
  };
  for (const Format format : kFormats) {
    std::optional<FilterBuilder> without_failure;
    const std::string expected = build(&without_failure, format);
    FailEachAllocation([&](Attempt* attempt) {
      std::optional<FilterBuilder> builder;
      std::string filter;
      attempt->Call([&] { filter = build(&builder, format); });
      CheckFinished(*attempt, keys, expected, filter, builder->error());
      CheckFinished(*attempt, prefixes, expected, filter, builder->error());
    });
  }
}

TEST(FilterBuilder, TakeKeysFromLeavesTheErrorOfAFinishedFilter) {
  const ManyKeys keys(2000);
  FilterBuilder finished(OptionsOf(Format::kCompact));
  AddAll(keys, &finished);
  Attempt attempt(FailurePlan{1, true, false});
  std::string filter(finished.FinishedBytes(), 'x');
  attempt.Call([&] { finished.FinishTo(filter.data()); });
  ASSERT_EQ(finished.error(), "out of memory") << "compact blocks that could not be solved";
  FilterBuilder builder(OptionsOf(Format::kCompact));
  AddAll(keys, &builder);
  EXPECT_TRUE(builder.TakeKeysFrom(&finished));
  EXPECT_EQ(builder.error(), "");
  EXPECT_EQ(builder.Finish(), FilterOf(Format::kCompact, keys));
}

// Many keys are ordered in the memory of the hashes, few in a copy, as the control shows.
TEST(FilterBuilder, FinishToLosesNoKeyAndReportsTheFailure) {
  for (const size_t num_keys : {3000, 60000}) {
    const ManyKeys keys(num_keys);
    filter::HashList list;
    for (size_t i = 0; i < num_keys; ++i) ASSERT_TRUE(list.Append(i));
    const uint64_t temporary_bytes =
        filter::TemporaryBytes(list, filter::StandaloneShape(Format::kCompact, num_keys, 10));
    ASSERT_EQ(temporary_bytes < num_keys * sizeof(uint64_t), num_keys == 60000);
    for (const Format format : kFormats) {
      const std::string expected = FilterOf(format, keys);
      FailEachAllocation([&](Attempt* attempt) {
        FilterBuilder builder(OptionsOf(format));
        AddAll(keys, &builder);
        std::string filter(builder.FinishedBytes(), 'x');
        attempt->Call([&] { builder.FinishTo(filter.data()); });
        EXPECT_EQ(builder.num_keys(), 0u);
        CheckFinished(*attempt, keys, expected, filter, builder.error());
        AddAll(keys, &builder);
        EXPECT_EQ(builder.Finish(), expected);
        EXPECT_EQ(builder.error(), "");
      });
    }
  }
}

// In a payload this large, keys are put in order first, which takes memory.
TEST(FilterBuilder, WithoutMemoryToOrderKeysALargeFilterIsFilledNonetheless) {
  constexpr uint64_t kKeys = 2800000;
  FilterOptions options = OptionsOf(Format::kBlocked);
  options.bits_per_key = kMaxBitsPerKey;
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < kKeys; ++i) builder.AddHash(i * 0x9E3779B97F4A7C15);
  std::string filter(builder.FinishedBytes(), 'x');
  ASSERT_GE(filter.size(), filter::kGroupedFromBytes);
  Attempt attempt(FailurePlan{1, true, false});
  attempt.Call([&] { builder.FinishTo(filter.data()); });
  EXPECT_TRUE(attempt.HasFailed());
  EXPECT_EQ(builder.error(), "");
  const FilterView view = FilterView::Open(filter);
  size_t num_lost = 0;
  for (uint64_t i = 0; i < kKeys; ++i) num_lost += !view.MayMatchHash(i * 0x9E3779B97F4A7C15);
  EXPECT_EQ(num_lost, 0u);
  EXPECT_FALSE(view.AlwaysMatches());
}

TEST(FilterBuilder, BuildsWithoutThreadsThatCannotStart) {
  const ManyKeys keys(300000);
  const std::string expected = FilterOf(Format::kCompact, keys);
  FailEachAllocationOfThreads([&](Attempt* attempt) {
    FilterBuilder builder(OptionsOf(Format::kCompact));
    AddAll(keys, &builder);
    std::string filter;
    attempt->Call([&] { filter = builder.Finish(4); });
    CheckFinished(*attempt, keys, expected, filter, builder.error());
  });
}

class OnDiskFilterBuilderTest : public testing::Test {
 protected:
  OnDiskFilterOptions Options(int num_threads) const {
    OnDiskFilterOptions options;
    options.filter.format = Format::kCompact;
    options.temp_directory = dir_.Path("");
    options.num_threads = num_threads;
    options.memory_bytes = static_cast<uint64_t>(num_threads) * kMinOnDiskMemoryPerThread;
    return options;
  }
  void FinishOrKeepAllKeys(Attempt* attempt, int num_threads) const;

  const TempDir dir_;
  const std::string path_ = dir_.Path("filter");
  const ManyKeys keys_{2000};
  const std::string expected_ = FilterOf(Format::kCompact, keys_);
};

TEST_F(OnDiskFilterBuilderTest, InvalidOptionsAreRefusedWithoutMemory) {
  OnDiskFilterOptions wrong[3] = {Options(1), Options(1), Options(1)};
  wrong[0].filter.bits_per_key = 1;
  wrong[1].memory_bytes = 1;
  wrong[2].temp_directory = dir_.Path("no/such/folder/as/this");
  for (const OnDiskFilterOptions& options : wrong) {
    ExpectRefused([&](std::string* error) { return OnDiskFilterBuilder::Create(options, error); });
  }
}

TEST_F(OnDiskFilterBuilderTest, AddKeyAddsOrReturnsFalse) {
  const OnDiskFilterOptions options = Options(1);
  FailEachAllocation([&](Attempt* attempt) {
    std::unique_ptr<OnDiskFilterBuilder> builder;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { builder = OnDiskFilterBuilder::Create(options, &error); });
    attempt->CheckOutcome(builder != nullptr, error);
    if (builder == nullptr) return;
    bool all_added = true;
    attempt->Call([&] {
      all_added = builder->AddKeys(1000, keys_.views.data(), nullptr);
      for (size_t i = 1000; i < 2000; ++i) all_added &= builder->AddKey(keys_.views[i], nullptr);
    });
    EXPECT_TRUE(all_added || attempt->HasFailed());
    const bool finished = builder->Finish(path_, &error);
    EXPECT_EQ(finished, all_added) << "keys are missing";
    EXPECT_EQ(error == Attempt::kUntouched, all_added);
    EXPECT_TRUE(!finished || ReadFile(path_) == expected_);
  });
}

void OnDiskFilterBuilderTest::FinishOrKeepAllKeys(Attempt* attempt, int num_threads) const {
  std::string error = Attempt::kUntouched;
  auto builder = OnDiskFilterBuilder::Create(Options(num_threads), &error);
  ASSERT_NE(builder, nullptr) << error;
  ASSERT_TRUE(builder->AddKeys(keys_.views.size(), keys_.views.data(), &error)) << error;
  std::ofstream(path_) << "old";
  bool finished = false;
  attempt->Call([&] { finished = builder->Finish(path_, &error); });
  attempt->CheckOutcome(finished, error);
  EXPECT_TRUE(ReadFile(path_) == (finished ? expected_ : "old"));
  EXPECT_EQ(builder->num_keys(), finished ? 0 : keys_.views.size());
  if (!finished) {
    ASSERT_TRUE(builder->Finish(path_, &error)) << error;
    EXPECT_TRUE(ReadFile(path_) == expected_);
  }
  ASSERT_TRUE(builder->AddKey("a new one", &error)) << error;
}

TEST_F(OnDiskFilterBuilderTest, FailedFinishKeepsAllKeys) {
  FailEachAllocation([&](Attempt* attempt) { FinishOrKeepAllKeys(attempt, 1); });
  FailEachAllocationOfThreads([&](Attempt* attempt) { FinishOrKeepAllKeys(attempt, 3); });
}

TEST(Cpu, FunctionsSucceedOrReportTheError) {
  const std::string active = ActiveKernelName(), unknown = "a kernel of a name that needs memory";
  FailEachAllocation([](Attempt* attempt) {
    std::vector<KernelInfo> kernels;
    attempt->Call([&] { kernels = Kernels(); });
    EXPECT_EQ(kernels.empty(), attempt->HasFailed());
  });
  ExpectMadeOrError([&](std::string* error) { return ForceKernel(active, error); }, [](bool) {});
  ExpectRefused([&](std::string* error) { return ForceKernel(unknown, error); });
  EXPECT_EQ(ActiveKernelName(), active);
  setenv("BLOOMLINE_KERNEL", unknown.c_str(), 1);
  ExpectSentence([] { return KernelVariableError(); });
  unsetenv("BLOOMLINE_KERNEL");
}

}  // namespace
}  // namespace bloomline::tests
