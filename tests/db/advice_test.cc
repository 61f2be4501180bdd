// Advice without an engine: figures, ranges, refusals. advice_engines_test has what the engines say
// of the settings, tool_rates_test what a database then wastes.
#include "src/db/model/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/level_sizing.h"
#include "bloomline/sizing.h"
#include "src/filter/rates/rates.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"
#include "tests/db/advice_samples.h"

namespace bloomline::model::advice_test {
namespace {

using tests::FullLevels;
using tests::LevelDBLevels;
using tests::StockLevels;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Advice Ask(const Situation& situation, const Request& request = {}) {
  Advice advice;
  std::string error;
  EXPECT_TRUE(Advise(situation, request, &advice, &error)) << error;
  return advice;
}

// "" if the advice is given.
std::string Refusal(const Situation& situation, const Request& request = {}) {
  Advice advice;
  advice.wasted_reads_now = -1;
  std::string error;
  const bool done = Advise(situation, request, &advice, &error);
  EXPECT_EQ(done, error.empty());
  if (!done) {
    EXPECT_EQ(advice.wasted_reads_now, -1) << "untouched";
    EXPECT_FALSE(Advise(situation, request, &advice, nullptr));
  }
  return error;
}

Request Memory(uint64_t bytes) { return {bytes, {}}; }
Request Rate(double wasted_reads) { return {{}, wasted_reads}; }

const Choice* Find(const Advice& advice, const std::string& title) {
  for (const Choice& choice : advice.choices) {
    if (choice.title() == title) return &choice;
  }
  return nullptr;
}

bool HasGoal(const Choice& choice, const std::string& goal) { return choice.goal == goal; }

bool AnyByLevel(const Advice& advice) {
  return std::any_of(advice.choices.begin(), advice.choices.end(),
                     [](const Choice& choice) { return choice.by_level; });
}

// Levels of all kinds: empty ones, level 0 with files, unequal sizes.
Situation RandomSituation(std::mt19937_64* random) {
  const auto below = [&](uint64_t n) { return (*random)() % n; };
  Situation situation;
  situation.engine = below(6) == 0 ? tables::Engine::kLevelDB : tables::Engine::kRocksDB;
  if (below(5) == 0) situation.compaction = Compaction::kOther;
  uint64_t keys_per_filter = below(2) == 0 ? UINT64_MAX : 20 + below(300);
  if (situation.engine == tables::Engine::kLevelDB) keys_per_filter = 20 + below(37);
  const int num_levels = 1 + static_cast<int>(below(6));
  for (int i = 0; i < num_levels; ++i) {
    Level level;
    level.number = 2 * i + static_cast<int>(below(2));
    level.num_runs = i == 0 ? 1 + static_cast<double>(below(8)) : 1 / (1.0 + double(below(3)));
    level.num_keys = below(4) == 0 ? 0 : 1 + below(uint64_t{100} << (3 * i));
    level.num_filters = 1 + level.num_keys / keys_per_filter;
    level.filter_bytes = below(5) == 0 ? 0 : level.num_keys * (3 + below(15)) / 8 + 64;
    level.wasted_reads = level.num_runs * static_cast<double>(below(1000)) / 10000;
    situation.levels.push_back(level);
  }
  situation.levels.back().num_keys += 1000;
  situation.targets.least_keys = 10 + static_cast<double>(below(1000));
  if (situation.engine == tables::Engine::kRocksDB && below(2) == 0) {
    situation.stock_format = below(2) == 0 ? Format::kBloom : Format::kRibbon;
  }
  return situation;
}

// With bits by level.
std::string OptionString(const std::string& format, const Choice& choice) {
  return "{id=bloomline;format=" + format +
         ";bits_per_key=" + support::DoubleText(choice.bits_per_key) + ";bits_by_level=auto" +
         (choice.is_stock() ? ";stock_id=true}" : "}");
}

TEST(AdviceTest, HasTheFiguresOfTheModel) {
  const Advice advice = Ask(FullLevels());
  EXPECT_EQ(advice.filter_bytes_now, 3333300u * 10 / 8);
  EXPECT_NEAR(advice.wasted_reads_now, 0.0483, 1e-9);
  // docs/rocksdb.md.
  const struct {
    const char* title;
    double wasted_reads, bits_per_key;
  } kExpected[] = {{"RocksDB Ribbon by level, same memory", 0.00197, 14.53},
                   {"RocksDB Bloom by level, same memory", 0.0140, 10},
                   {"RocksDB Ribbon by level, same wasted reads", 0.0483, 7.27},
                   {"blocked by level, same memory", 0.0140, 10},
                   {"blocked by level, same wasted reads", 0.0483, 7.24}};
  for (const auto& expected : kExpected) {
    const Choice* const choice = Find(advice, expected.title);
    ASSERT_NE(choice, nullptr) << expected.title;
    EXPECT_NEAR(choice->wasted_reads, expected.wasted_reads, 0.02 * expected.wasted_reads)
        << choice->title();
    EXPECT_NEAR(choice->bits_per_key, expected.bits_per_key, 0.2) << choice->title();
  }
  const Choice& first = advice.choices.front();
  EXPECT_EQ(first.title(), "RocksDB Ribbon by level, same memory");
  EXPECT_EQ(first.environment,
            "LD_PRELOAD=libbloomline_rocksdb_preload.so BLOOMLINE_FORMAT=ribbon "
            "BLOOMLINE_BITS_PER_KEY=" +
                support::DoubleText(first.bits_per_key) + " BLOOMLINE_BITS_BY_LEVEL=auto");
  EXPECT_EQ(first.database_option(), "listeners=bloomline.account");
  // The best division, which LeftOverBits changes by up to a bit, and where it has more than 24.
  const auto expect_near = [](const Choice& choice, const std::vector<double>& best) {
    ASSERT_EQ(choice.bits_of_level.size(), best.size());
    for (size_t i = 0; i < best.size(); ++i) {
      EXPECT_NEAR(choice.bits_of_level[i], std::min(best[i], 24.0), 1.1) << choice.title();
    }
    EXPECT_NEAR(choice.bits_of_level.back(), best.back(), 0.15);
  };
  expect_near(first, {24.02, 19.89, 16.77, 13.65, 9.56});
  const Choice& blocked = *Find(advice, "blocked by level, same memory");
  EXPECT_EQ(blocked.option_string, OptionString("blocked", blocked));
  expect_near(blocked, {35.5, 27.5, 20.62, 14.75, 9.39});
  // Compact filters are LevelDB's.
  for (const Choice& choice : advice.choices) EXPECT_NE(choice.format, Format::kCompact);
  EXPECT_NE(Find(Ask(LevelDBLevels()), "compact, same memory"), nullptr);
  // RocksDB's own filter is as good as these.
  EXPECT_EQ(Find(advice, "blocked, same memory"), nullptr);
}

// The first advice: RocksDB's own filters that waste the fewest reads, if RocksDB reads them and
// their building does not slow compactions too much.
TEST(AdviceTest, RocksDBsOwnFiltersComeFirst) {
  constexpr double kBitsOfRibbon = 14.53;  // with the memory of 10 bits per key
  const struct {
    Format format;
    bool reads_ribbon;
    BuildKernel kernel;
    uint64_t bytes_per_key;
    const char* format_name;
    double bits_per_key, gain;
  } kExpected[] = {
      {Format::kBloom, true, BuildKernel::kAvx512, 0, "ribbon", kBitsOfRibbon, 24.5},
      {Format::kBloom, true, BuildKernel::kAvx512, 10, "ribbon", kBitsOfRibbon, 24.5},
      {Format::kBloom, true, BuildKernel::kPortable, 100, "ribbon", kBitsOfRibbon, 24.5},
      {Format::kBloom, true, BuildKernel::kPortable, 10, "ribbon", kBitsOfRibbon, 24.5},
      {Format::kBloom, false, BuildKernel::kAvx512, 100, "bloom", 10, 3.4},
      {Format::kRibbon, true, BuildKernel::kAvx2, 100, "ribbon", 10, 3.4}};
  for (const auto& expected : kExpected) {
    Situation situation = StockLevels(expected.format);
    situation.reads_ribbon = expected.reads_ribbon;
    situation.cpu.kernel = expected.kernel;
    situation.table_bytes = 3333300 * expected.bytes_per_key;
    const Advice advice = Ask(situation);
    const Choice& first = advice.choices.front();
    EXPECT_LE(first.build_share, kMostBuildShare);
    const Choice* const ribbon = Find(advice, "RocksDB Ribbon by level, same memory");
    ASSERT_EQ(ribbon != nullptr, expected.reads_ribbon);
    if (ribbon != nullptr) {
      EXPECT_EQ(ribbon == &first, ribbon->build_share <= kMostBuildShare);
      EXPECT_EQ(ribbon->build_ns, BuildNs(Format::kRibbon, situation.cpu));
    }
    EXPECT_EQ(first.option_string, OptionString(expected.format_name, first));
    EXPECT_NEAR(first.bits_per_key, expected.bits_per_key, 0.2);
    EXPECT_TRUE(first.is_stock());
    EXPECT_NEAR(advice.wasted_reads_now / first.wasted_reads, expected.gain, 0.03 * expected.gain);
    EXPECT_LE(first.filter_bytes, advice.filter_bytes_now);
    EXPECT_GE(double(first.filter_bytes), 0.97 * double(advice.filter_bytes_now));
    // Memory in each level, also where the option has another number.
    double bits = 0;
    for (size_t i = 0; i < first.bits_of_level.size(); ++i) {
      bits += first.bits_of_level[i] * static_cast<double>(FullLevels().levels[i].num_keys);
    }
    EXPECT_NEAR(bits / 8, double(first.filter_bytes), 0.01 * double(first.filter_bytes));
    EXPECT_EQ(Find(advice, "blocked by level, same memory") != nullptr,
              expected.format == Format::kBloom);
  }
}

TEST(AdviceTest, EachMachineHasTimesOfAllFilters) {
  for (const BuildMachine machine : {BuildMachine::kXeon, BuildMachine::kEpyc}) {
    for (const Format format :
         {Format::kBlocked, Format::kCompact, Format::kBloom, Format::kRibbon}) {
      const double slowest = BuildNs(format, {machine, BuildKernel::kPortable});
      const double fastest = BuildNs(format, {machine, BuildKernel::kAvx512});
      EXPECT_LE(fastest, slowest) << Name(machine) << ' ' << FormatName(format);
      EXPECT_GT(fastest, 1) << Name(machine) << ' ' << FormatName(format);
    }
  }
  EXPECT_EQ(ThisBuildCpu("avx2").kernel, BuildKernel::kAvx2);
  EXPECT_EQ(ThisBuildCpu("neon").kernel, BuildKernel::kPortable);
}

// It cannot load bloomline. Bits by level then come from a rewrite alone.
TEST(AdviceTest, BeforeRocksDB7OnlyWhatItCanDoIsAdvised) {
  Situation situation = StockLevels(Format::kBloom);
  situation.loads_bloomline = false;
  situation.ribbon_name = "experimental_ribbon";
  const Advice advice = Ask(situation);
  const Choice& first = advice.choices.front();
  EXPECT_EQ(first.title(), "RocksDB Ribbon by level, same memory");
  EXPECT_EQ(first.rewrite_policy, OptionString("ribbon", first));
  EXPECT_EQ(first.database_option(), "") << "it has no listener";
  for (const Choice& choice : advice.choices) {
    EXPECT_TRUE(choice.is_stock()) << choice.title();
    EXPECT_EQ(choice.environment, "") << choice.title();
    EXPECT_EQ(choice.option_string.find("bloomline"), std::string::npos) << choice.option_string;
    EXPECT_NE(choice.option_string.empty(), choice.rewrite_policy.empty()) << choice.title();
    EXPECT_EQ(choice.rewrite_policy.empty(), !choice.by_level) << choice.title();
  }
  EXPECT_EQ(Find(advice, "RocksDB Ribbon, same memory")
                ->option_string.rfind("experimental_ribbon:14.", 0),
            0u);
  situation.ribbon_name = "ribbonfilter";
  const Advice later = Ask(situation);
  const std::string ribbon = Find(later, "RocksDB Ribbon, same memory")->option_string;
  EXPECT_EQ(ribbon.rfind("ribbonfilter:14.", 0), 0u);
  EXPECT_EQ(ribbon.substr(ribbon.rfind(':')), ":-1");
  // Before 6.6, a fraction is dropped.
  situation.reads_ribbon = false;
  for (const bool takes_whole_bits : {false, true}) {
    situation.takes_whole_bits = takes_whole_bits;
    const Advice given = Ask(situation, Memory(5000000));
    const Choice* const bloom = Find(given, "RocksDB Bloom, at most the given memory");
    ASSERT_NE(bloom, nullptr);
    EXPECT_EQ(bloom->option_string,
              takes_whole_bits ? "bloomfilter:11:false" : "bloomfilter:11.99:false");
    EXPECT_LE(bloom->filter_bytes, 5000000u);
  }
}

// In one level, and in a tree whose levels would gain little. RocksDB's builder takes more time.
TEST(AdviceTest, WhatRocksDBHasItselfNeedsNoBloomline) {
  Situation one = StockLevels(Format::kBloom);
  one.levels.erase(one.levels.begin(), one.levels.end() - 1);
  const Choice first = Ask(one).choices.front();
  ASSERT_EQ(first.title(), "RocksDB Ribbon, same memory");
  const std::string bits = support::DoubleText(first.bits_per_key);
  EXPECT_EQ(first.option_string, "ribbonfilter:" + bits + ":-1");
  EXPECT_EQ(first.faster_option_string,
            "{id=bloomline;format=ribbon;bits_per_key=" + bits + ";stock_id=true}");
  EXPECT_NE(first.environment, "");
  EXPECT_TRUE(first.needs_no_bloomline());
  for (const Choice& choice : Ask(FullLevels(), Memory(4000000)).choices) {
    EXPECT_EQ(choice.needs_no_bloomline(), choice.is_stock() && !choice.by_level) << choice.title();
  }
  one.table_bytes = one.levels[0].num_keys * 10;
  const Choice small = Ask(one).choices.front();
  EXPECT_EQ(small.option_string, first.faster_option_string);
  EXPECT_EQ(small.faster_option_string, "");
  EXPECT_FALSE(small.needs_no_bloomline());
}

TEST(AdviceTest, RocksDBsBloomFiltersGainNothingInOneLevel) {
  Situation one = StockLevels(Format::kBloom);
  one.levels.erase(one.levels.begin(), one.levels.end() - 1);
  EXPECT_EQ(Ask(one).choices.front().title(), "RocksDB Ribbon, same memory");
  one.reads_ribbon = false;
  const Advice advice = Ask(one);
  for (const Choice& choice : advice.choices) EXPECT_FALSE(choice.is_stock()) << choice.title();
  // What is asked for is met by them, too.
  const Advice given = Ask(StockLevels(Format::kBloom), Memory(3000000));
  const Choice* const stock = Find(given, "RocksDB Bloom by level, at most the given memory");
  ASSERT_NE(stock, nullptr);
  EXPECT_LE(stock->filter_bytes, 3000000u);
}

// In whatever tree, and the figures are those of the bits that are printed.
TEST(AdviceTest, KeepsToTheMemoryAndToTheRate) {
  std::mt19937_64 random(15);
  int choices = 0, by_level = 0, stock = 0;
  for (int i = 0; i < 60; ++i) {
    const Situation situation = RandomSituation(&random);
    const Advice advice = Ask(situation);
    for (const Choice& choice : advice.choices) {
      ++choices;
      by_level += choice.by_level ? 1 : 0;
      stock += choice.is_stock() ? 1 : 0;
      if (HasGoal(choice, "same memory")) {
        EXPECT_LE(choice.filter_bytes, advice.filter_bytes_now);
        EXPECT_LE(choice.wasted_reads, 0.95 * advice.wasted_reads_now);
      } else if (HasGoal(choice, "same wasted reads")) {
        EXPECT_LE(choice.wasted_reads, advice.wasted_reads_now);
        EXPECT_LE(double(choice.filter_bytes), 0.95 * double(advice.filter_bytes_now));
      }
      ASSERT_EQ(choice.bits_of_level.size(), situation.levels.size());
      double reads = 0, bits = 0, keys = 0;
      for (size_t j = 0; j < situation.levels.size(); ++j) {
        const Level& level = situation.levels[j];
        const double b = choice.bits_of_level[j];
        // In kRibbon, memory is less than the number that the option has.
        const BitsPerKeyRange allowed = AllowedBitsPerKey(choice.format);
        const double min = choice.format == Format::kRibbon ? 0.7 : allowed.min;
        EXPECT_TRUE(b == 0 || (b >= min && b <= allowed.max)) << b;
        EXPECT_EQ(b, std::round(b * 100) / 100);
        if (level.num_keys == 0) continue;
        if (choice.is_stock()) continue;
        reads += level.num_runs * (b == 0 ? 1 : FalsePositiveRate(choice.format, b));
        bits += b * static_cast<double>(level.num_keys);
        keys += static_cast<double>(level.num_keys);
        EXPECT_TRUE(choice.by_level || b == choice.bits_per_key);
      }
      if (choice.is_stock()) continue;
      EXPECT_NEAR(bits / keys, choice.bits_per_key, choice.by_level ? 0.1 * bits / keys : 0.0051);
      // Without whole blocks and trailers, which small filters pay for or gain from.
      if (situation.engine == tables::Engine::kRocksDB &&
          situation.levels.back().num_filters == 1 && situation.levels.front().num_keys > 1000) {
        EXPECT_NEAR(choice.wasted_reads, reads, 0.2 * reads) << choice.title();
      }
    }
  }
  EXPECT_GT(choices, 150);
  EXPECT_GT(by_level, 40);
  EXPECT_GT(stock, 10);
}

TEST(AdviceTest, MoreMemoryNeverWastesMore) {
  for (const Situation& situation : {FullLevels(), LevelDBLevels()}) {
    double before = kInfinity;
    for (uint64_t bytes = 450000; bytes < 9000000; bytes += bytes / 4) {
      const Advice advice = Ask(situation, Memory(bytes));
      double least = kInfinity;
      for (const Choice& choice : advice.choices) {
        EXPECT_TRUE(HasGoal(choice, "at most the given memory"));
        EXPECT_LE(choice.filter_bytes, bytes);
        least = std::min(least, choice.wasted_reads);
      }
      EXPECT_LE(least, before) << bytes;
      EXPECT_LE(advice.choices.front().wasted_reads, std::max(1.1 * least, 1e-5)) << bytes;
      before = least;
    }
  }
  // With memory for anything, all are as good: the one with the least memory, uniform.
  const Advice advice = Ask(FullLevels(), Memory(uint64_t{2} << 30));
  EXPECT_EQ(advice.choices.front().title(), "RocksDB Ribbon, at most the given memory");
}

TEST(AdviceTest, ImpossibleRequestsNameTheValueAndTheRange) {
  const Situation five = FullLevels();
  EXPECT_EQ(Refusal(five, Memory(10)),
            "memory is 10 B; allowed: from 321361 B on, the smallest filters for these keys");
  EXPECT_EQ(Refusal(five, Memory(321361)), "");
  const std::string too_low = Refusal(five, Rate(1e-12));
  const std::string start = "wasted reads are 1e-12 per Get of a missing key; allowed: from ";
  EXPECT_EQ(too_low.substr(0, start.size()), start);
  const double least = std::stod(too_low.substr(start.size()));
  EXPECT_EQ(Refusal(five, Rate(least * 1.001)), "");
  EXPECT_NE(Refusal(five, Rate(least * 0.999)), "");
  EXPECT_EQ(Refusal(five, Rate(4.999)), "");
  for (const double rate : {5.0, 0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_NE(Refusal(five, Rate(rate)).find("allowed: from "), std::string::npos) << rate;
  }
  EXPECT_EQ(Refusal(Situation()), "no level has keys; allowed: at least one with more than 0");
}

TEST(AdviceTest, ByLevelTheOptionIsTheMeanOfAllFiles) {
  Situation young = StockLevels(Format::kBloom);
  young.targets.least_keys = 25000;
  young.levels = {{0, 4, 100000, 4, 125000, 0.0386},
                  {1, 1, 200000, 1, 250000, 0.0097},
                  {2, 1, 700000, 1, 875000, 0.0097}};
  const Choice first = Ask(young).choices.front();
  ASSERT_EQ(first.title(), "RocksDB Ribbon by level, same memory");
  EXPECT_NEAR(filter::MemoryBits(Format::kRibbon, first.bits_per_key), 10, 0.2);
  EXPECT_GT(first.bits_of_level[0], first.bits_of_level[1] + 1);
  EXPECT_GT(first.bits_of_level[1], first.bits_of_level[2] + 1);
}

// The rates of level 0 with other numbers of files; the deeper levels stay.
TEST(AdviceTest, SaysWhatIsWastedAtRestAndWhileMuchIsWritten) {
  Situation tree = tests::DynamicLevels();
  tree.reads_ribbon = true;
  const Advice advice = Ask(tree, Memory(12600000));
  EXPECT_NEAR(advice.wasted_at_rest_now, 3 * 0.0097, 1e-9);
  EXPECT_NEAR(advice.wasted_busy_now, (3 + kFilesWritten) * 0.0097, 1e-9);
  const Choice* const uniform = Find(advice, "RocksDB Ribbon, at most the given memory");
  ASSERT_NE(uniform, nullptr);
  const double rate = uniform->wasted_reads / 5;
  EXPECT_NEAR(uniform->wasted_at_rest, 3 * rate, 0.1 * rate);
  EXPECT_NEAR(uniform->wasted_busy, (3 + kFilesWritten) * rate, 0.1 * rate);
  // By level, files of level 0 have lower rates than others.
  const Choice& by_level = advice.choices.front();
  ASSERT_EQ(by_level.title(), "RocksDB Ribbon by level, at most the given memory");
  EXPECT_GT(by_level.wasted_reads, by_level.wasted_at_rest);
  EXPECT_GT(by_level.wasted_busy, by_level.wasted_reads);
  EXPECT_LT(by_level.wasted_busy, 2 * by_level.wasted_at_rest);
  // Without files in level 0, it is the present state that is at rest.
  tree.levels.erase(tree.levels.begin());
  const Choice rested = Ask(tree, Memory(12600000)).choices.front();
  EXPECT_EQ(rested.wasted_at_rest, rested.wasted_reads);
  EXPECT_GT(rested.wasted_busy, rested.wasted_reads);
  // Keys that never leave level 0.
  tree.compaction = Compaction::kOther;
  EXPECT_TRUE(std::isnan(Ask(tree, Memory(12600000)).choices.front().wasted_busy));
  tree = tests::DynamicLevels();
  tree.levels.resize(1);
  const Advice of_top = Ask(tree, Memory(75000));
  EXPECT_TRUE(std::isnan(of_top.wasted_busy_now));
  EXPECT_TRUE(std::isnan(of_top.choices.front().wasted_at_rest));
}

// A flushed file covers all the range, whatever the levels below look like.
TEST(AdviceTest, FlushesAboveOtherLevelsAreOfAllTheRange) {
  Situation tree = tests::DynamicLevels();
  tree.levels.erase(tree.levels.begin());
  const auto flushed = [&tree] {
    const Advice advice = Ask(tree, Memory(12600000));
    return (advice.wasted_busy_now - advice.wasted_at_rest_now) / kFilesWritten;
  };
  EXPECT_NEAR(flushed(), 0.0097, 1e-9);
  // A top level that has just begun.
  tree.levels[0] = {4, 0.02, 100, 1, 125, 0.000194};
  EXPECT_NEAR(flushed(), 0.0097, 1e-9);
  // Other bits in the upper levels, which have few keys.
  tree.levels[1].wasted_reads = 1e-5;
  EXPECT_LT(flushed(), 0.0097);
  EXPECT_GT(flushed(), 0.004);
  // Ascending keys: each level has a part of the range.
  tree = tests::DynamicLevels();
  tree.levels = {{5, 0.1, 900000, 10, 1125000, 0.00097}, {6, 0.9, 9000000, 90, 11250000, 0.00873}};
  EXPECT_NEAR(flushed(), 0.9 * 0.0097, 1e-9);
}

// optimize_filters_for_hits, fully compacted: all keys are in a level without filters.
TEST(AdviceTest, FlushesHaveFiltersWhereTheLastLevelHasNone) {
  Situation tree = tests::DynamicLevels();
  tree.skips_last_level = true;
  tree.levels = {{6, 1, 9000000, 90, 0, 1}};
  Advice advice = Ask(tree, Memory(12600000));
  EXPECT_EQ(advice.wasted_at_rest_now, 1);
  EXPECT_NEAR(advice.wasted_busy_now, 1 + kFilesWritten * 0.0095, 0.005);
  tree.levels.insert(tree.levels.begin(), {5, 1, 900000, 10, 1125000, 0.002});
  advice = Ask(tree, Memory(12600000));
  EXPECT_NEAR(advice.wasted_busy_now, 1.002 + kFilesWritten * 0.002, 1e-9);
  tree.skips_last_level = false;
  tree.levels = {{6, 1, 9000000, 90, 0, 1}};
  EXPECT_EQ(Ask(tree, Memory(12600000)).wasted_busy_now, 1 + kFilesWritten);
}

// The divider searches for the bits by bisection.
TEST(AdviceTest, MoreBitsByLevelTakeMoreMemoryAndWasteLess) {
  std::mt19937_64 random(112);
  int num_trees = 0;
  while (num_trees < 30) {
    const Situation tree = RandomSituation(&random);
    if (tree.levels.size() < 2) continue;
    ++num_trees;
    for (const Format format : {Format::kBlocked, Format::kBloom, Format::kRibbon}) {
      double memory_before = 0, wasted_before = kInfinity;
      for (double bits_per_key = 4; bits_per_key < 24; bits_per_key += 0.5) {
        const std::vector<double> bits = BitsByLevel(tree, format, bits_per_key);
        double memory = 0, wasted = 0;
        for (const Level& level : tree.levels) {
          if (level.num_keys == 0) continue;
          const double of_level = bits[static_cast<size_t>(level.number)];
          memory += filter::MemoryBits(format, of_level) * static_cast<double>(level.num_keys);
          wasted += level.num_runs * filter::EngineRate(format, of_level);
        }
        EXPECT_GE(memory, 0.999 * memory_before) << FormatName(format) << ' ' << bits_per_key;
        EXPECT_LE(wasted, 1.001 * wasted_before) << FormatName(format) << ' ' << bits_per_key;
        memory_before = memory;
        wasted_before = wasted;
      }
    }
  }
}

// A program may set the number that is advised for one kind in the policy of the other.
TEST(AdviceTest, TheSameBitsTakeTheSameMemoryUniformAndByLevel) {
  for (const Situation& tree : {FullLevels(), tests::DynamicLevels()}) {
    for (const Format format : {Format::kBlocked, Format::kBloom, Format::kRibbon}) {
      for (const double bits_per_key : {6.0, 9.9, 14.5, 20.0}) {
        const std::vector<double> bits = BitsByLevel(tree, format, bits_per_key);
        double memory = 0, keys = 0;
        for (const Level& level : tree.levels) {
          const double of_level = bits[static_cast<size_t>(level.number)];
          memory += filter::MemoryBits(format, of_level) * static_cast<double>(level.num_keys);
          keys += static_cast<double>(level.num_keys);
        }
        const double uniform = filter::MemoryBits(format, bits_per_key);
        EXPECT_NEAR(memory / keys, uniform, 0.02 * uniform)
            << FormatName(format) << ' ' << bits_per_key;
      }
    }
  }
}

// RocksDB takes any max_bytes_for_level_multiplier.
TEST(AdviceTest, AnyTargetsOfLevelsGiveAdvice) {
  Situation situation = FullLevels();
  for (const double ratio : {0.5, 1001.0, kNaN, 0.0, 4.0}) {
    for (const bool is_dynamic : {false, true}) {
      situation.targets = {true, is_dynamic, 300, ratio, 30};
      const Choice first = Ask(situation).choices.front();
      EXPECT_EQ(first.title(), "RocksDB Ribbon by level, same memory");
      EXPECT_TRUE(std::isfinite(first.wasted_reads));
    }
  }
}

TEST(AdviceTest, TakesTheLargestNumbers) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  Situation huge;
  huge.levels = {{0, 1e6, kMost, kMost / 1000, kMost, 1e6}, {63, 1e-6, kMost, 1, kMost, 0}};
  for (const Request& request : {Request{}, Memory(kMost), Rate(1)}) {
    for (const Choice& choice : Ask(huge, request).choices) {
      EXPECT_TRUE(std::isfinite(choice.wasted_reads)) << choice.title();
      EXPECT_GT(choice.filter_bytes, 0u) << choice.title();
    }
  }
}

TEST(AdviceTest, EmptyLevelsCountAsNone) {
  const Situation dynamic = tests::DynamicLevels();
  Situation with_empty = dynamic;
  with_empty.levels.insert(with_empty.levels.begin() + 1, {3, 1, 0, 1, 0, 0});
  const Choice expected = Ask(dynamic).choices.front();
  const Choice choice = Ask(with_empty).choices.front();
  EXPECT_EQ(choice.option_string, expected.option_string);
  EXPECT_EQ(choice.bits_of_level[1], 0);
  EXPECT_EQ(choice.bits_of_level[2], expected.bits_of_level[1]);
}

TEST(AdviceTest, WithoutFiltersTheDefaultIsAdvised) {
  Situation none = FullLevels();
  for (Level& level : none.levels) {
    level.filter_bytes = 0;
    level.wasted_reads = 0;  // not measured
  }
  const Advice advice = Ask(none);
  EXPECT_EQ(advice.wasted_reads_now, 5);
  EXPECT_EQ(advice.filter_bytes_now, 0u);
  ASSERT_EQ(advice.choices.size(), 6u);
  EXPECT_EQ(advice.choices.front().title(), "RocksDB Ribbon by level, 10 bits per key");
  const Choice& plain = *Find(advice, "RocksDB Bloom, 10 bits per key");
  EXPECT_EQ(plain.option_string, "bloomfilter:10");
  EXPECT_EQ(plain.environment, "");
  EXPECT_EQ(advice.choices[4].title(), "blocked by level, 10 bits per key");
  for (const Choice& choice : advice.choices) {
    EXPECT_TRUE(HasGoal(choice, "10 bits per key"));
    EXPECT_NEAR(choice.bits_per_key, choice.format == Format::kRibbon ? 14.52 : 10, 0.02);
  }
  // Only the bottom, and new files will have filters.
  Situation bottom = FullLevels();
  bottom.levels.back().filter_bytes = 0;
  const Advice of_bottom = Ask(bottom);
  EXPECT_NEAR(of_bottom.wasted_reads_now, 1 + 4 * 0.00966, 1e-9);
  EXPECT_TRUE(HasGoal(of_bottom.choices.front(), "10 bits per key"));
  EXPECT_GT(of_bottom.choices.front().bits_of_level.back(), 0);
}

// With optimize_filters_for_hits, RocksDB writes no filters there and queries none.
TEST(AdviceTest, ALastLevelThatIsSkippedStaysSoUnlessTheChoiceEndsIt) {
  Situation hits = StockLevels(Format::kBloom);
  hits.skips_last_level = true;
  hits.levels.back().filter_bytes = 0;
  hits.levels.back().wasted_reads = 1;
  const Advice advice = Ask(hits);
  size_t num_as_is = 0;
  for (const Choice& choice : advice.choices) {
    SCOPED_TRACE(choice.title());
    EXPECT_EQ(choice.bits_of_level.back() != 0, choice.filters_last_level);
    EXPECT_EQ(choice.goal.find("optimize_filters_for_hits=false") != choice.goal.npos,
              choice.filters_last_level);
    if (choice.filters_last_level) {
      EXPECT_EQ(choice.environment, "");
      EXPECT_LT(choice.wasted_reads, 1);
      continue;
    }
    ++num_as_is;
    EXPECT_FALSE(choice.by_level);
    EXPECT_EQ(choice.environment.find("BY_LEVEL") != choice.environment.npos, choice.by_level);
    EXPECT_GE(choice.wasted_reads, 1);
    EXPECT_LE(choice.wasted_reads, advice.wasted_reads_now + 1e-9);
    EXPECT_LE(choice.filter_bytes, advice.filter_bytes_now);
    EXPECT_TRUE(advice.choices.front().filters_last_level) << "the others waste a read per Get";
  }
  EXPECT_GE(num_as_is, 1u) << "fewer wasted reads in the upper levels";
  EXPECT_LT(num_as_is, advice.choices.size());
  // The number of a choice counts both groups.
  Request request;
  request.choice = static_cast<int>(advice.choices.size());
  EXPECT_EQ(Ask(hits, request).choices.size(), advice.choices.size());
  request.choice += 1;
  Advice unused;
  std::string error;
  EXPECT_FALSE(Advise(hits, request, &unused, &error));
  EXPECT_EQ(error, "choice is " + std::to_string(request.choice) + "; allowed: 1 to " +
                       std::to_string(advice.choices.size()));
}

// What is listed unasked.
TEST(AdviceTest, NoChoiceIsWorseThanThePresentFilters) {
  std::mt19937_64 random(113);
  int num_choices = 0;
  for (int i = 0; i < 300; ++i) {
    Situation tree = RandomSituation(&random);
    tree.reads_ribbon = true;
    tree.skips_last_level = tree.engine == tables::Engine::kRocksDB && i % 3 == 0;
    if (tree.skips_last_level) {
      tree.levels.back().filter_bytes = 0;
      tree.levels.back().wasted_reads = tree.levels.back().num_runs;
    }
    const Advice advice = Ask(tree);
    for (const Choice& choice : advice.choices) {
      SCOPED_TRACE(choice.title());
      ++num_choices;
      EXPECT_LE(choice.wasted_reads, advice.wasted_reads_now * (1 + 1e-9));
      if (HasGoal(choice, "same memory")) {
        EXPECT_LE(choice.filter_bytes, advice.filter_bytes_now);
      }
      if (choice.goal.rfind("same wasted reads", 0) == 0) {
        EXPECT_LT(choice.filter_bytes, advice.filter_bytes_now);
        EXPECT_LT(choice.wasted_reads, 0.5);
      }
    }
  }
  EXPECT_GT(num_choices, 500);
  const Advice advice = Ask(tests::DynamicLevels());
  EXPECT_GE(advice.choices.size(), 4u);
  for (const Choice& choice : advice.choices) {
    EXPECT_LE(choice.wasted_busy, advice.wasted_busy_now) << choice.title();
  }
}

// Files on their own have no level.
TEST(AdviceTest, FilesOfUnknownLevelHaveTheMeanOfAll) {
  Situation tree = FullLevels();
  tree.levels = {tree.levels.back()};
  tree.levels[0].number = -1;
  EXPECT_EQ(BitsByLevel(tree, Format::kBloom, 10).size(), 1u);
}

TEST(AdviceTest, InventsNoGain) {
  Situation situation = FullLevels();
  const Choice best = Ask(situation).choices.front();
  // As the database is after that advice: what the choice has, level by level.
  for (size_t i = 0; i < situation.levels.size(); ++i) {
    Level& level = situation.levels[i];
    level.filter_bytes =
        static_cast<uint64_t>(static_cast<double>(level.num_keys) * best.bits_of_level[i] / 8);
    const double bits = filter::BitsOfMemory(Format::kRibbon, best.bits_of_level[i]);
    level.wasted_reads = filter::EngineRate(Format::kRibbon, bits);
  }
  const Advice advice = Ask(situation);
  EXPECT_TRUE(advice.choices.empty()) << advice.choices.front().title();
  // What is asked for is answered.
  EXPECT_FALSE(Ask(situation, Rate(0.05)).choices.empty());
}

// Small Ribbon filters, whose memory has steps of whole columns: in no more memory than the present
// ones have, none of the others is better than the advised ones.
TEST(AdviceTest, NothingInTheSameMemoryIsBetter) {
  int num_gains = 0;
  const std::pair<uint64_t, size_t> kTrees[] = {{150, 3}, {700, 2}, {1500, 3}, {8000, 2}};
  for (const auto& [keys_per_filter, num_levels] : kTrees) {
    for (const double present_bits : {6.0, 8.0, 9.0, 9.4, 9.9, 10.0, 10.6, 12.0}) {
      Situation tree = StockLevels(Format::kRibbon);
      tree.levels.resize(num_levels);
      for (size_t i = 0; i < tree.levels.size(); ++i) {
        Level& level = tree.levels[i];
        level.num_filters = uint64_t{1} << 2 * i;
        level.num_keys = keys_per_filter * level.num_filters;
      }
      const auto shape_with = [&](double bits) {
        return filter::SSTableShape(Format::kRibbon, {keys_per_filter, bits});
      };
      for (Level& level : tree.levels) {
        const filter::FilterShape shape = shape_with(present_bits);
        level.filter_bytes = level.num_filters * (shape.payload_bytes() + stock::kMetadataBytes);
        level.wasted_reads = filter::ExactShapeRate(shape, keys_per_filter);
      }
      const Advice advice = Ask(tree);
      double best = kInfinity;
      for (double bits = 2; bits < 20; bits += 0.04) {
        const std::vector<double> of_level = BitsByLevel(tree, Format::kRibbon, bits);
        uint64_t bytes = 0;
        double reads = 0;
        for (const Level& level : tree.levels) {
          const auto shape = shape_with(of_level[static_cast<size_t>(level.number)]);
          bytes += level.num_filters * (shape.payload_bytes() + stock::kMetadataBytes);
          reads += filter::ExactShapeRate(shape, keys_per_filter);
        }
        if (bytes <= advice.filter_bytes_now) best = std::min(best, reads);
      }
      SCOPED_TRACE(support::StrCat(keys_per_filter, " keys, ", present_bits, " bits; now ",
                                   advice.wasted_reads_now, ", best ", best));
      if (best > 0.93 * advice.wasted_reads_now) continue;
      ++num_gains;
      ASSERT_FALSE(advice.choices.empty());
      EXPECT_LE(advice.choices.front().wasted_reads, 1.02 * best);
    }
  }
  EXPECT_GE(num_gains, 20);
}

TEST(AdviceTest, NoAdviceByLevelWhereFiltersCannotDiffer) {
  EXPECT_TRUE(AnyByLevel(Ask(FullLevels())));
  const auto with = [](auto change) {
    Situation situation = FullLevels();
    change(&situation);
    return Ask(situation);
  };
  EXPECT_TRUE(AnyByLevel(with([](Situation* s) { s->compaction = Compaction::kUniversal; })));
  const Advice fifo = with([](Situation* s) { s->compaction = Compaction::kOther; });
  EXPECT_FALSE(AnyByLevel(fifo));
  EXPECT_EQ(fifo.choices.front().title(), "RocksDB Ribbon, same memory");
  const Advice one =
      with([](Situation* s) { s->levels.erase(s->levels.begin(), s->levels.end() - 1); });
  EXPECT_FALSE(AnyByLevel(one));
  const Advice unknown = with([](Situation* s) { s->levels.front().number = -1; });
  EXPECT_FALSE(AnyByLevel(unknown));
  // Ascending keys: a Get comes to one file, of whichever level.
  const Advice ascending = with([](Situation* s) {
    for (Level& level : s->levels) {
      level.num_runs = static_cast<double>(level.num_keys) / 3333300;
      level.wasted_reads = 0.00966 * level.num_runs;
    }
  });
  EXPECT_FALSE(AnyByLevel(ascending));
  const Advice leveldb = Ask(LevelDBLevels());
  EXPECT_FALSE(AnyByLevel(leveldb));
  for (const Choice& choice : leveldb.choices) EXPECT_EQ(choice.option_string, "");
}

}  // namespace
}  // namespace bloomline::model::advice_test
