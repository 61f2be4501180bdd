// on_disk_filter_builder.h.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/filter.h"
#include "bloomline/on_disk_filter_builder.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

OnDiskFilterOptions Options(const TempDir& dir, int num_threads) {
  OnDiskFilterOptions options;
  options.filter.format = Format::kCompact;
  options.temp_directory = dir.Path("");
  options.num_threads = num_threads;
  options.memory_bytes = static_cast<uint64_t>(num_threads) * kMinOnDiskMemoryPerThread;
  return options;
}

std::string Expected(const OnDiskFilterOptions& options,
                     const std::vector<std::string_view>& keys) {
  FilterBuilder builder(options.filter);
  for (const std::string_view key : keys) builder.AddKey(key);
  return builder.Finish();
}

TEST(OnDiskFilterBuilder, AddKeyAddsOrReturnsFalse) {
  const TempDir dir;
  const OnDiskFilterOptions options = Options(dir, 1);
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  const std::string expected = Expected(options, keys);
  FailEachAllocation(
      {"OnDiskFilterBuilder::Create", "OnDiskFilterBuilder::AddKey", "OnDiskFilterBuilder::AddKeys",
       "OnDiskFilterBuilder::num_keys", "OnDiskFilterBuilder::OnDiskFilterBuilder",
       "OnDiskFilterBuilder::operator="},
      [&](Attempt* attempt) {
        std::unique_ptr<OnDiskFilterBuilder> builder;
        std::string error = Attempt::kUntouched;
        attempt->Call([&] { builder = OnDiskFilterBuilder::Create(options, &error); });
        attempt->CheckOutcome(builder != nullptr, error);
        if (builder == nullptr) return;
        bool all_added = true;
        attempt->Call([&] {
          OnDiskFilterBuilder moved(std::move(*builder));
          *builder = std::move(moved);
          all_added = builder->AddKeys(keys.size() / 2, keys.data(), nullptr);
          for (size_t i = keys.size() / 2; i < keys.size(); ++i) {
            all_added &= builder->AddKey(keys[i], nullptr);
          }
          builder->num_keys();
        });
        EXPECT_TRUE(all_added || attempt->HasFailed());
        const bool finished = builder->Finish(dir.Path("filter"), &error);
        EXPECT_EQ(finished, all_added) << "keys are missing";
        EXPECT_EQ(error == Attempt::kUntouched, all_added);
        if (finished) {
          EXPECT_TRUE(ReadFile(dir.Path("filter")) == expected);
        }
      });
}

void FinishOrKeepAllKeys(Attempt* attempt, const TempDir& dir, const OnDiskFilterOptions& options,
                         const std::vector<std::string_view>& keys, const std::string& expected) {
  std::string error = Attempt::kUntouched;
  auto builder = OnDiskFilterBuilder::Create(options, &error);
  ASSERT_NE(builder, nullptr) << error;
  for (const std::string_view key : keys) ASSERT_TRUE(builder->AddKey(key, &error)) << error;
  const std::string path = dir.Path("filter");
  std::ofstream(path) << "old";
  bool finished = false;
  attempt->Call([&] { finished = builder->Finish(path, &error); });
  attempt->CheckOutcome(finished, error);
  EXPECT_TRUE(ReadFile(path) == (finished ? expected : "old"));
  EXPECT_EQ(builder->num_keys(), finished ? 0 : keys.size());
  if (!finished) {
    ASSERT_TRUE(builder->Finish(path, &error)) << error;
    EXPECT_TRUE(ReadFile(path) == expected);
  }
  ASSERT_TRUE(builder->AddKey("a new one", &error)) << error;
}

TEST(OnDiskFilterBuilder, FailedFinishKeepsAllKeys) {
  const TempDir dir;
  const OnDiskFilterOptions options = Options(dir, 1);
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  const std::string expected = Expected(options, keys);
  FailEachAllocation({"OnDiskFilterBuilder::Finish"}, [&](Attempt* attempt) {
    FinishOrKeepAllKeys(attempt, dir, options, keys, expected);
  });
}

TEST(OnDiskFilterBuilder, FailedFinishKeepsAllKeysWithoutThreads) {
  const TempDir dir;
  const OnDiskFilterOptions options = Options(dir, 3);
  const auto stored = MakeKeys(2000);
  const auto keys = Views(stored);
  const std::string expected = Expected(options, keys);
  FailEachAllocationOfThreads({"OnDiskFilterBuilder::Finish"}, [&](Attempt* attempt) {
    FinishOrKeepAllKeys(attempt, dir, options, keys, expected);
  });
}

TEST(OnDiskFilterBuilder, InvalidOptionsAreRefusedWithoutMemory) {
  const TempDir dir;
  OnDiskFilterOptions wrong[5];
  for (OnDiskFilterOptions& options : wrong) options = Options(dir, 1);
  wrong[0].filter.bits_per_key = 1;
  wrong[1].filter.format = Format::kClassic;
  wrong[2].num_threads = 0;
  wrong[3].memory_bytes = 1;
  wrong[4].temp_directory = dir.Path("no/such/folder/as/this");
  for (const OnDiskFilterOptions& options : wrong) {
    const bool is_valid = &options == &wrong[4];
    FailEachAllocation({"OnDiskFilterOptions::Validate", "OnDiskFilterBuilder::Create"},
                       [&](Attempt* attempt) {
                         std::string invalid, error = Attempt::kUntouched;
                         std::unique_ptr<OnDiskFilterBuilder> builder;
                         attempt->Call([&] {
                           invalid = options.Validate();
                           builder = OnDiskFilterBuilder::Create(options, &error);
                           OnDiskFilterBuilder::Create(options, nullptr);
                         });
                         EXPECT_EQ(invalid.empty(), is_valid);
                         attempt->CheckRefusal(builder != nullptr, error);
                       });
  }
}

}  // namespace
}  // namespace bloomline::tests
