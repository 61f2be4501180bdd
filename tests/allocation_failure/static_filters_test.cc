// filter.h, filter_options.h, seed.h, cpu.h.
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "bloomline/seed.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {
namespace {

constexpr Format kFormats[] = {Format::kBlocked, Format::kCompact};
constexpr char kOutOfMemory[] = "out of memory";

FilterOptions OptionsOf(Format format) {
  FilterOptions options;
  options.format = format;
  return options;
}

void AddAll(const std::vector<std::string_view>& keys, FilterBuilder* builder) {
  const size_t half = keys.size() / 2;
  builder->AddKeys(half, keys.data());
  for (size_t i = half; i < keys.size(); ++i) builder->AddKey(keys[i]);
}

std::string FilterOf(Format format, const std::vector<std::string_view>& keys) {
  FilterBuilder builder(OptionsOf(format));
  AddAll(keys, &builder);
  return builder.Finish();
}

// Checks a filter that the builder has just finished for `keys`, and the builder's error.
void CheckFinished(const Attempt& attempt, const std::vector<std::string_view>& keys,
                   const std::string& expected, const std::string& filter,
                   const std::string& error) {
  const FilterView view = FilterView::Open(filter);
  for (const std::string_view key : keys) attempt.CheckPresent(view.MayMatch(key));
  if (error.empty()) {
    EXPECT_TRUE(filter == expected);
  } else {
    EXPECT_TRUE(attempt.HasFailed());
    EXPECT_EQ(error, kOutOfMemory);
    EXPECT_TRUE(filter != expected) << "nothing is wrong with the filter";
  }
}

TEST(FilterOptions, InvalidOnesAreRefusedWithoutMemory) {
  FilterOptions wrong[6];
  wrong[0].bits_per_key = 0;
  wrong[1].format = Format{99};
  wrong[2] = OptionsOf(Format::kCompact);
  wrong[2].bits_per_key = 30;
  wrong[3] = FilterOptions::ForFalsePositiveRate(Format::kBlocked, 1e-30);
  wrong[4].random_seed = true;
  wrong[4].seed = 1;
  wrong[5] = OptionsOf(Format::kClassic);
  wrong[5].random_seed = true;
  for (const FilterOptions& options : wrong) {
    FailEachAllocation({"FilterOptions::Validate"}, [&](Attempt* attempt) {
      std::string error;
      attempt->Call([&] { error = options.Validate(); });
      attempt->CheckRefusal(false, error);
    });
  }
}

TEST(FilterView, SaysWhyItMatchesEveryKeyWithoutMemory) {
  for (const std::string& bytes : {std::string(100, 'x'), "bLnBloom" + std::string(100, 'x')}) {
    FailEachAllocation({"FilterView::Validate"}, [&](Attempt* attempt) {
      std::string why;
      attempt->Call([&] { why = FilterView::Validate(bytes); });
      attempt->CheckRefusal(false, why);
    });
  }
}

TEST(FilterOptions, NeedNoMemory) {
  ExpectNoAllocation(
      {"FilterOptions::Validate", "FilterOptions::ForFalsePositiveRate", "FormatName",
       "AllowedBitsPerKey"},
      [] {
        for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
          FilterOptions::ForFalsePositiveRate(format, 0.01).Validate();
          FormatName(format);
          AllowedBitsPerKey(format);
        }
      });
}

TEST(Seed, NeedsNoMemory) {
  ExpectNoAllocation({"DrawSeed"}, [] {
    uint64_t seed = 0;
    EXPECT_TRUE(DrawSeed(&seed, nullptr));
  });
}

TEST(FilterBuilder, WithARandomSeedLosesNoKey) {
  const auto stored = MakeKeys(3000);
  const auto keys = Views(stored);
  FilterOptions options = OptionsOf(Format::kCompact);
  options.random_seed = true;
  FailEachAllocation({"FilterBuilder::Finish"}, [&](Attempt* attempt) {
    FilterBuilder builder(options);
    std::string filter;
    attempt->Call([&] {
      AddAll(keys, &builder);
      filter = builder.Finish();
    });
    const FilterView view = FilterView::Open(filter);
    for (const std::string_view key : keys) attempt->CheckPresent(view.MayMatch(key));
    EXPECT_TRUE(!view.AlwaysMatches() || builder.error() == kOutOfMemory) << builder.error();
  });
}

TEST(FilterBuilder, LosesNoKeyAndReportsTheFailure) {
  const auto stored = MakeKeys(3000);
  const auto keys = Views(stored);
  for (const Format format : kFormats) {
    const std::string expected = FilterOf(format, keys);
    FailEachAllocation(
        {"FilterBuilder::FilterBuilder", "FilterBuilder::AddKey", "FilterBuilder::AddKeys",
         "FilterBuilder::Finish", "FilterBuilder::num_keys", "FilterBuilder::FinishedBytes",
         "FilterBuilder::error"},
        [&](Attempt* attempt) {
          std::optional<FilterBuilder> builder;
          std::string filter, error;
          attempt->Call([&] {
            builder.emplace(OptionsOf(format));
            AddAll(keys, &*builder);
            builder->num_keys();
            builder->FinishedBytes();
            filter = builder->Finish();
          });
          CheckFinished(*attempt, keys, expected, filter, builder->error());
          EXPECT_EQ(builder->num_keys(), 0u);
          if (builder->error() == kOutOfMemory) {
            EXPECT_EQ(builder->error(), kOutOfMemory) << "until keys are added again";
          }
          AddAll(keys, &*builder);
          filter = builder->Finish();
          CheckFinished(*attempt, keys, expected, filter, builder->error());
        });
  }
}

// Millions of keys would each wait for an allocation in vain.
TEST(FilterBuilder, AsksOnceForMemoryThatIsNotThere) {
  const auto stored = MakeKeys(3000);
  const auto keys = Views(stored);
  FilterBuilder builder(OptionsOf(Format::kBlocked));
  Attempt attempt(FailurePlan{1, true, false});
  attempt.Call([&] { AddAll(keys, &builder); });
  EXPECT_EQ(attempt.failed(), 1u);
  EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
}

TEST(FilterBuilder, HashesAreNotLost) {
  const auto stored = MakeKeys(3000);
  const auto keys = Views(stored);
  for (const Format format : kFormats) {
    const std::string expected = FilterOf(format, keys);
    FailEachAllocation(
        {"FilterBuilder::HashOf", "FilterBuilder::AddHash", "FilterBuilder::AddHashes",
         "FilterBuilder::FilterBuilder", "FilterBuilder::operator="},
        [&](Attempt* attempt) {
          std::optional<FilterBuilder> builder;
          std::string filter;
          attempt->Call([&] {
            FilterBuilder first(OptionsOf(format));
            first.AddHash(first.HashOf(keys[0]));
            builder.emplace(std::move(first));
            for (size_t i = 1; i < keys.size(); ++i) {
              const uint64_t hash = builder->HashOf(keys[i]);
              builder->AddHashes(1, &hash);
            }
            first = std::move(*builder);
            *builder = std::move(first);
            filter = builder->Finish();
          });
          CheckFinished(*attempt, keys, expected, filter, builder->error());
        });
  }
}

TEST(FilterBuilder, HashOfABuilderWithoutMemoryIsRightForAnother) {
  FilterOptions options = OptionsOf(Format::kBlocked);
  options.seed = 7;
  FailEachAllocation({"FilterBuilder::FilterBuilder", "FilterBuilder::HashOf"},
                     [&](Attempt* attempt) {
                       std::optional<FilterBuilder> builder;
                       attempt->Call([&] { builder.emplace(options); });
                       EXPECT_EQ(builder->HashOf("key"), HashKey("key", options.seed));
                     });
}

void FinishToLosesNoKey(size_t num_keys) {
  const auto stored = MakeKeys(num_keys);
  const auto keys = Views(stored);
  for (const Format format : kFormats) {
    const std::string expected = FilterOf(format, keys);
    FailEachAllocation({"FilterBuilder::FinishTo"}, [&](Attempt* attempt) {
      FilterBuilder builder(OptionsOf(format));
      AddAll(keys, &builder);
      std::string filter(builder.FinishedBytes(), 'x');
      attempt->Call([&] { builder.FinishTo(filter.data()); });
      EXPECT_EQ(builder.num_keys(), 0u);
      CheckFinished(*attempt, keys, expected, filter, builder.error());
      AddAll(keys, &builder);
      EXPECT_EQ(builder.error(), "");
      EXPECT_EQ(builder.Finish(), expected);
      EXPECT_EQ(builder.error(), "");
    });
  }
}

TEST(FilterBuilder, FinishToLosesNoKeyAndReportsTheFailure) { FinishToLosesNoKey(3000); }

// In the memory of the hashes, as the control shows.
TEST(FilterBuilder, FinishToOfManyKeysLosesNoneAndReportsTheFailure) {
  constexpr size_t kKeys = 60000;
  filter::FilterWriter writer(OptionsOf(Format::kCompact));
  for (const std::string& key : MakeKeys(kKeys)) writer.AddKey(key);
  ASSERT_GT(writer.Plan().temporary_bytes, 0u);
  FinishToLosesNoKey(kKeys);
}

TEST(FilterBuilder, PrefixesAreNotLost) {
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  for (const Format format : kFormats) {
    FailEachAllocation({"FilterBuilder::AddKeyAndPrefix"}, [&](Attempt* attempt) {
      std::optional<FilterBuilder> builder;
      std::string filter;
      attempt->Call([&] {
        builder.emplace(OptionsOf(format));
        for (const std::string_view key : keys) {
          builder->AddKeyAndPrefix(key, key.substr(0, key.size() - 1));
        }
        filter = builder->Finish();
      });
      const FilterView view = FilterView::Open(filter);
      for (const std::string_view key : keys) {
        attempt->CheckPresent(view.MayMatch(key));
        attempt->CheckPresent(view.MayMatch(key.substr(0, key.size() - 1)));
      }
      if (view.AlwaysMatches()) {
        EXPECT_EQ(builder->error(), kOutOfMemory);
      }
    });
  }
}

TEST(FilterBuilder, KeysTakenFromAnotherAreNotLost) {
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  const std::vector<std::string_view> half(keys.begin(), keys.begin() + 1000);
  const std::vector<std::string_view> rest(keys.begin() + 1000, keys.end());
  for (const Format format : kFormats) {
    const std::string expected = FilterOf(format, keys);
    FailEachAllocation({"FilterBuilder::TakeKeysFrom"}, [&](Attempt* attempt) {
      std::optional<FilterBuilder> builder, other;
      std::string filter;
      attempt->Call([&] {
        builder.emplace(OptionsOf(format));
        other.emplace(OptionsOf(format));
        AddAll(half, &*builder);
        AddAll(rest, &*other);
        EXPECT_TRUE(builder->TakeKeysFrom(&*other));
        filter = builder->Finish();
      });
      CheckFinished(*attempt, keys, expected, filter, builder->error());
    });
  }
}

TEST(FilterBuilder, TakeKeysFromLeavesTheErrorOfAFinishedFilter) {
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  FilterBuilder finished(OptionsOf(Format::kCompact));
  AddAll(keys, &finished);
  Attempt attempt(FailurePlan{1, true, false});
  std::string filter(finished.FinishedBytes(), 'x');
  attempt.Call([&] { finished.FinishTo(filter.data()); });
  ASSERT_EQ(finished.error(), kOutOfMemory) << "compact blocks that could not be solved";
  FilterBuilder builder(OptionsOf(Format::kCompact));
  AddAll(keys, &builder);
  EXPECT_TRUE(builder.TakeKeysFrom(&finished));
  EXPECT_EQ(builder.error(), "");
  EXPECT_EQ(builder.Finish(), FilterOf(Format::kCompact, keys));
}

TEST(FilterBuilder, InvalidOptionsMatchEverything) {
  FilterOptions invalid;
  invalid.bits_per_key = 0;
  FailEachAllocation({"FilterBuilder::FilterBuilder"}, [&](Attempt* attempt) {
    std::optional<FilterBuilder> builder;
    std::string filter;
    attempt->Call([&] {
      builder.emplace(invalid);
      builder->AddKey("a key");
      filter = builder->Finish();
    });
    EXPECT_NE(builder->error(), "");
    attempt->CheckPresent(FilterView::Open(filter).MayMatch("a key"));
    EXPECT_TRUE(FilterView::Open(filter).AlwaysMatches());
  });
}

TEST(FilterBuilder, BuildsWithoutThreadsThatCannotStart) {
  const auto stored = MakeKeys(300000);
  const auto keys = Views(stored);
  const std::string expected = FilterOf(Format::kCompact, keys);
  FailEachAllocationOfThreads({"FilterBuilder::Finish"}, [&](Attempt* attempt) {
    FilterBuilder builder(OptionsOf(Format::kCompact));
    AddAll(keys, &builder);
    std::string filter;
    attempt->Call([&] { filter = builder.Finish(4); });
    CheckFinished(*attempt, keys, expected, filter, builder.error());
  });
}

// Large enough for hashes to be ordered by partition before insertion.
TEST(FilterBuilder, BlockedBytesAreTheSameWithoutMemoryToOrderHashes) {
  constexpr uint64_t kKeys = 2800000;
  FilterOptions options;
  options.bits_per_key = 100;
  const auto add_all = [](FilterBuilder* builder) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      builder->AddKey({reinterpret_cast<const char*>(&i), sizeof(i)});
    }
  };
  FilterBuilder builder(options);
  add_all(&builder);
  const std::string expected = builder.Finish();
  ASSERT_GT(expected.size(), uint64_t{32} << 20);
  std::string filter(expected.size(), 'x');
  FailEachAllocationOfThreads({"FilterBuilder::FinishTo"}, [&](Attempt* attempt) {
    add_all(&builder);
    attempt->Call([&] { builder.FinishTo(filter.data(), 2); });
    EXPECT_EQ(builder.error(), "");
    EXPECT_TRUE(filter == expected);
  });
}

TEST(FilterView, NeedsNoMemory) {
  const auto stored = MakeKeys(1000);
  const auto keys = Views(stored);
  for (const Format format : kFormats) {
    const std::string filter = FilterOf(format, keys);
    bool answers[1000];
    ExpectNoAllocation({"FilterView::FilterView", "FilterView::Open", "FilterView::MayMatch",
                        "FilterView::AlwaysMatches", "FilterView::num_probes", "FilterView::HashOf",
                        "FilterView::MayMatchHash", "FilterView::MayMatchHashes", "HashKey"},
                       [&] {
                         FilterView view;
                         view = FilterView::Open(filter);
                         view.AlwaysMatches();
                         view.num_probes();
                         view.MayMatch(keys[0]);
                         view.MayMatch(keys.size(), keys.data(), answers);
                         const uint64_t hash = view.HashOf(keys[0]);
                         view.MayMatchHash(hash);
                         view.MayMatchHash(HashKey(keys[0], 7));
                         bool answer;
                         view.MayMatchHashes(1, &hash, &answer);
                       });
    for (const bool answer : answers) Attempt::CheckPresent(answer);
  }
}

TEST(Cpu, FunctionsSucceedOrReportTheError) {
  FailEachAllocation({"Kernels"}, [](Attempt* attempt) {
    std::vector<KernelInfo> kernels;
    attempt->Call([&] { kernels = Kernels(); });
    EXPECT_EQ(kernels.empty(), attempt->HasFailed());
  });
  const std::string active = ActiveKernelName();
  FailEachAllocation({"ForceKernel", "ActiveKernelName"}, [&](Attempt* attempt) {
    std::string error = Attempt::kUntouched;
    bool forced = false;
    attempt->Call([&] { forced = ForceKernel(active, &error); });
    attempt->CheckOutcome(forced, error);
    ExpectNoAllocation({}, [] { ActiveKernelName(); });
    EXPECT_EQ(ActiveKernelName(), active);
  });
  setenv("BLOOMLINE_KERNEL", "a kernel of a name that needs memory", 1);
  FailEachAllocation({"KernelVariableError"}, [](Attempt* attempt) {
    std::string error;
    attempt->Call([&] { error = KernelVariableError(); });
    attempt->CheckRefusal(false, error);
  });
  unsetenv("BLOOMLINE_KERNEL");
  ExpectNoAllocation({"KernelVariableError"}, [] { EXPECT_EQ(KernelVariableError(), ""); });
  FailEachAllocation({"ForceKernel"}, [&](Attempt* attempt) {
    const std::string name = "a kernel of a name that needs memory";
    std::string error = Attempt::kUntouched;
    bool forced = false;
    attempt->Call([&] { forced = ForceKernel(name, &error); });
    attempt->CheckRefusal(forced, error);
    EXPECT_EQ(ActiveKernelName(), active);
  });
}

}  // namespace
}  // namespace bloomline::tests
