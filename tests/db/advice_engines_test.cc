// What the engines' policies and the preload libraries make of the settings that are advised, and
// whether they write filters of the sizes that the advice counts with.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "bloomline/rocksdb.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/db/model/advice.h"
#include "src/engines/preload/environment.h"
#include "src/engines/preload/settings.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/filter/options/formats.h"
#include "src/support/number_text.h"
#include "tests/db/advice_samples.h"
#include "tests/engines/rocksdb_settings.h"

namespace bloomline::tests::advice_engines_test {
namespace {

using model::Choice;

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

std::vector<Choice> ChoicesFor(tables::Engine engine) {
  std::vector<Choice> choices;
  for (const auto& [situation, request] : AdviceSamples()) {
    if (situation.engine != engine) continue;
    model::Advice advice;
    std::string error;
    EXPECT_TRUE(model::Advise(situation, request, &advice, &error)) << error;
    choices.insert(choices.end(), advice.choices.begin(), advice.choices.end());
  }
  return choices;
}

Policy ByString(const std::string& text) {
  RegisterBloomline();
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  return policy;
}

// The options that decide about filters.
std::string OptionsOf(const Policy& policy) {
  return Value(*policy, "format") + " " + Value(*policy, "bits_per_key") + " " +
         Value(*policy, "bits_by_level");
}

// "NAME=VALUE NAME=VALUE", as env takes it.
std::map<std::string, std::string> Variables(const std::string& line) {
  std::map<std::string, std::string> variables;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    EXPECT_NE(equals, std::string::npos) << word;
    variables[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return variables;
}

// What a preload library makes of it, but for the bits by level.
FilterOptions Parsed(const std::string& line, preload::Engine engine) {
  const auto variables = Variables(line);
  const auto value = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  preload::Environment environment = {};
  for (int i = 0; i < preload::kNumVariables; ++i) {
    environment.values[i] = value(preload::kVariableNames[i]);
  }
  const auto settings = preload::Settings::Parse(environment, engine);
  EXPECT_EQ(settings.wrong, "");
  EXPECT_TRUE(settings.remarks.empty());
  EXPECT_TRUE(settings.has_bits_per_key) << line;
  return settings.options;
}

std::string OptionsOfEnvironment(const std::string& line) {
  RocksDBFilterOptions options(Parsed(line, preload::Engine::kRocksDB));
  const std::string bits = Variables(line)["BLOOMLINE_BITS_BY_LEVEL"];
  if (!bits.empty()) {
    EXPECT_EQ(engine::SetOption("bits_by_level", bits, &options), "");
  }
  std::string error;
  const Policy policy = NewRocksDBFilterPolicy(options, &error);
  EXPECT_EQ(error, "");
  return OptionsOf(policy);
}

TEST(AdviceEnginesTest, OptionStringsAreAcceptedAsTheyAreMeant) {
  const std::vector<Choice> choices = ChoicesFor(tables::Engine::kRocksDB);
  ASSERT_GE(choices.size(), 30u);
  int by_level = 0, stock = 0;
  for (const Choice& choice : choices) {
    SCOPED_TRACE(choice.option_string);
    Policy policy = ByString(choice.option_string);
    ASSERT_NE(policy, nullptr);
    if (choice.needs_no_bloomline()) {
      EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
      const std::string name = filter::RowOf(choice.format).rocksdb_policy;
      EXPECT_EQ(choice.option_string.rfind(name + ":", 0), 0u);
      EXPECT_EQ(choice.environment.empty(), choice.format == Format::kBloom);
      if (choice.format == Format::kBloom) continue;
      policy = ByString(choice.faster_option_string);
    }
    EXPECT_EQ(Value(*policy, "format"), FormatName(choice.format));
    const BitsPerKeyRange allowed = AllowedBitsPerKey(choice.format);
    double bits_per_key = 0;
    ASSERT_TRUE(support::ParseDouble(Value(*policy, "bits_per_key"), &bits_per_key));
    EXPECT_EQ(bits_per_key, std::clamp(choice.bits_per_key, allowed.min, allowed.max));
    RocksDBFilterOptions options;
    ASSERT_EQ(engine::SetOption("bits_by_level", Value(*policy, "bits_by_level"), &options), "");
    EXPECT_EQ(choice.by_level, options.auto_bits_by_level || !options.bits_by_level.empty());
    EXPECT_EQ(Value(*policy, "stock_id"), choice.is_stock() ? "true" : "false");
    EXPECT_EQ(Value(*policy, "flush_format"), "same") << "as the variables say";
    stock += choice.is_stock() ? 1 : 0;
    by_level += choice.by_level ? 1 : 0;

    EXPECT_EQ(OptionsOfEnvironment(choice.environment), OptionsOf(policy));
  }
  EXPECT_GE(by_level, 15);
  EXPECT_GE(stock, 10);
}

TEST(AdviceEnginesTest, LevelDBsVariablesAreAcceptedAsTheyAreMeant) {
  const std::vector<Choice> choices = ChoicesFor(tables::Engine::kLevelDB);
  ASSERT_GE(choices.size(), 6u);
  for (const Choice& choice : choices) {
    const FilterOptions options = Parsed(choice.environment, preload::Engine::kLevelDB);
    EXPECT_EQ(options.format, choice.format);
    const BitsPerKeyRange allowed = AllowedBitsPerKey(choice.format);
    EXPECT_EQ(options.bits_per_key, std::clamp(choice.bits_per_key, allowed.min, allowed.max));
  }
}

// LevelDB's policy decides by itself which layout a small set gets, and the advice repeats that.
TEST(AdviceEnginesTest, LevelDBFiltersHaveTheSizeAndRateThatAreCounted) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const double bits_per_key : {3.0, 4.5, 7.0, 10.0, 16.5, 24.0}) {
      const std::unique_ptr<const leveldb::FilterPolicy> policy(
          NewLevelDBFilterPolicy({format, bits_per_key}));
      for (const int n : {1, 2, 5, 10, 20, 36, 56, 57, 62, 100, 193, 500, 501, 900}) {
        SCOPED_TRACE(std::string(FormatName(format)) + " " + std::to_string(n) + " keys, " +
                     std::to_string(bits_per_key) + " bits");
        const auto counted = engine_filters::FiguresFor(tables::Engine::kLevelDB, format,
                                                        static_cast<uint64_t>(n), bits_per_key);
        constexpr int kFilters = 20, kQueries = 1500;
        uint64_t positives = 0;
        for (int f = 0; f < kFilters; ++f) {
          std::vector<std::string> words;
          for (int i = 0; i < n; ++i) words.push_back(std::to_string(f * 1000 + i) + "key");
          const std::vector<leveldb::Slice> keys(words.begin(), words.end());
          std::string filter;
          policy->CreateFilter(keys.data(), n, &filter);
          ASSERT_NEAR(static_cast<double>(filter.size()), counted.bytes_per_key * n, 1e-6);
          for (int i = 0; i < kQueries; ++i) {
            positives += policy->KeyMayMatch("no" + std::to_string(f * kQueries + i), filter);
          }
        }
        // Four standard deviations, and what one filter differs from another.
        const double expected = counted.rate * kFilters * kQueries;
        EXPECT_NEAR(static_cast<double>(positives), expected,
                    4 * std::sqrt(expected) + 0.15 * expected + 4);
      }
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::advice_engines_test
