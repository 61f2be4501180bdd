// Bits by level against brute force, the conditions of an optimum, and published figures.
#include "bloomline/level_sizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::level_sizing_test {
namespace {

constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kRibbon};
using Numbers = std::vector<double>;

Numbers Keys(int num_levels, double ratio) {
  Numbers keys(static_cast<size_t>(num_levels));
  EXPECT_TRUE(KeysOfLevels(num_levels, ratio, keys.data()));
  return keys;
}

int Count(const Numbers& levels) { return static_cast<int>(levels.size()); }

Numbers Spread(Format format, double bits_per_key, const Numbers& keys, const Numbers& runs = {}) {
  Numbers bits(keys.size());
  EXPECT_TRUE(SpreadBitsByLevel(format, bits_per_key, keys.data(),
                                runs.empty() ? nullptr : runs.data(), Count(keys), bits.data()));
  return bits;
}

double Wasted(Format format, const Numbers& bits, const Numbers& runs = {}) {
  return WastedReads(format, bits.data(), runs.empty() ? nullptr : runs.data(), Count(bits));
}

double Average(const Numbers& keys, const Numbers& bits) {
  return AverageBitsPerKey(keys.data(), bits.data(), Count(keys));
}

// The mean memory per key, in bits. In kRibbon, it is less than the bits of a policy's options.
double Memory(Format format, const Numbers& keys, Numbers bits) {
  for (double& of_level : bits) of_level = filter::MemoryBits(format, of_level);
  return Average(keys, bits);
}

TEST(LevelSizingTest, FiveLevelsAtTenBitsPerKey) {
  const Numbers keys = Keys(5, 10);
  // RocksDB's Bloom filter has six probes in 64 bytes, too.
  EXPECT_NEAR(5 * BlockedFalsePositiveRate(10, 6), 0.0483, 1e-4);
  const double n = filter::BitsOfMemory(Format::kRibbon, 10);
  EXPECT_NEAR(Wasted(Format::kRibbon, Numbers(5, n)), 0.0071, 1e-4);
  const Numbers bits = Spread(Format::kRibbon, n, keys);
  EXPECT_NEAR(Wasted(Format::kRibbon, bits), 0.00197, 1e-5);
  EXPECT_NEAR(Memory(Format::kRibbon, keys, bits), 10, 0.01);
  const double expected[] = {24, 19.9, 16.8, 13.6, 9.58};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(filter::MemoryBits(Format::kRibbon, bits[i]), expected[i], 0.1) << i;
  }
  // What Monkey's formula gives, with the same bits between all levels: nearly as good.
  Numbers formula = {24, 20.7, 17.0, 13.3, 9.58};
  EXPECT_NEAR(Average(keys, formula), 10, 0.01);
  for (double& memory : formula) memory = filter::BitsOfMemory(Format::kRibbon, memory);
  EXPECT_NEAR(Wasted(Format::kRibbon, formula) / Wasted(Format::kRibbon, bits), 1, 0.02);
}

TEST(LevelSizingTest, BitsOfMemoryAreTheInverse) {
  for (const Format format : kFormats) {
    for (const double bits : {0.0, 0.3, 1.0, 7.0, 40.0}) {
      EXPECT_NEAR(filter::BitsOfMemory(format, filter::MemoryBits(format, bits)), bits, 1e-3);
    }
  }
}

TEST(LevelSizingTest, FullLevelsGrowByTheRatio) {
  const Numbers keys = Keys(5, 10);
  for (size_t i = 1; i < keys.size(); ++i) EXPECT_NEAR(keys[i] / keys[i - 1], 10, 1e-12);
  EXPECT_NEAR(keys[0] + keys[1] + keys[2] + keys[3] + keys[4], 1, 1e-12);
  EXPECT_EQ(Keys(1, 10), Numbers{1});
  EXPECT_EQ(Keys(4, 1), Numbers(4, 0.25));
}

bool IsLevelBits(Format format, double bits) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return bits == 0 || (bits >= allowed.min && bits <= allowed.max);
}

// Neither more memory than was given, nor more wasted reads than without levels, nor with less
// memory.
TEST(LevelSizingTest, EverySpreadKeepsItsPromises) {
  for (const Format format : kFormats) {
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    for (const int num_levels : {1, 2, 5, 7, 12}) {
      for (const double ratio : {1.0, 2.5, 10.0}) {
        const Numbers keys = Keys(num_levels, ratio);
        double with_less = num_levels;
        for (double b = 0; b <= allowed.max; b += b < 24 ? 0.37 : 7.6) {
          SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << num_levels
                                          << " levels, ratio " << ratio << ", bits " << b);
          const Numbers bits = Spread(format, b, keys);
          for (const double of_level : bits) EXPECT_TRUE(IsLevelBits(format, of_level)) << of_level;
          EXPECT_LE(Memory(format, keys, bits), filter::MemoryBits(format, b) * (1 + 1e-12));
          const double wasted = Wasted(format, bits);
          if (b >= allowed.min) {
            EXPECT_LE(wasted, Wasted(format, Numbers(keys.size(), b)));
          }
          EXPECT_LE(wasted, with_less * 1.001);
          with_less = wasted;
        }
      }
    }
  }
}

// The least wasted reads of three levels: the first two at every step of a grid, the third with all
// the memory that they leave.
double BruteForce(Format format, double bits_per_key, const Numbers& keys, const Numbers& runs) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  Numbers grid = {0}, rates = {1};
  const double last = std::min(allowed.max, 40.0);
  for (double b = allowed.min; b <= last; b += format == Format::kBlocked ? 0.5 : 0.25) {
    grid.push_back(filter::MemoryBits(format, b));
    rates.push_back(filter::EngineRate(format, b));
  }
  const double memory = filter::MemoryBits(format, bits_per_key) * (keys[0] + keys[1] + keys[2]);
  double best = HUGE_VAL;
  for (size_t i = 0; i < grid.size(); ++i) {
    for (size_t j = 0; j < grid.size(); ++j) {
      const double rest = memory - keys[0] * grid[i] - keys[1] * grid[j];
      if (rest < -1e-9) break;
      const double sum = runs[0] * rates[i] + runs[1] * rates[j];
      if (sum >= best) continue;
      const double third = filter::BitsOfMemory(format, rest / keys[2]);
      const double rate =
          third < allowed.min ? 1 : filter::EngineRate(format, std::min(third, allowed.max));
      best = std::min(best, sum + runs[2] * rate);
    }
  }
  return best;
}

TEST(LevelSizingTest, NoDivisionOfAGridIsBetter) {
  std::mt19937_64 random(7);
  int uniform_is_worse = 0;
  for (const Format format : kFormats) {
    const int num_cases = format == Format::kBlocked ? 12 : 40;
    double sum_of_ratios = 0;
    for (int i = 0; i < num_cases; ++i) {
      std::uniform_real_distribution<double> log_keys(0, 6), few_bits(0.2, 4), many_bits(3, 20);
      Numbers keys, runs;
      for (int level = 0; level < 3; ++level) {
        keys.push_back(std::exp(log_keys(random)));
        runs.push_back(static_cast<double>(1 + random() % 3));
      }
      if (i % 8 == 0) keys[1] = keys[2];
      std::sort(keys.begin(), keys.end());
      const double b = i % 2 == 0 ? few_bits(random) : many_bits(random);
      const Numbers bits = Spread(format, b, keys, runs);
      const double least = BruteForce(format, b, keys, runs);
      sum_of_ratios += Wasted(format, bits, runs) / least;
      EXPECT_LE(Wasted(format, bits, runs), least * 1.01)
          << FormatName(format) << ", " << b << " bits per key, keys "
          << testing::PrintToString(keys) << ", runs " << testing::PrintToString(runs) << ", bits "
          << testing::PrintToString(bits);
      if (b >= AllowedBitsPerKey(format).min) {
        uniform_is_worse += Wasted(format, Numbers(3, b), runs) > least * 1.01;
      }
    }
    EXPECT_LE(sum_of_ratios, num_cases) << FormatName(format) << ": the grid has wider steps";
  }
  EXPECT_GT(uniform_is_worse, 30);
}

TEST(LevelSizingTest, RunsOfALevelAreLikeLevels) {
  for (const Format format : kFormats) {
    const Numbers as_runs = Spread(format, 8, {4, 40, 400}, {4, 1, 1});
    const Numbers as_levels = Spread(format, 8, {1, 1, 1, 1, 40, 400});
    EXPECT_NEAR(Wasted(format, as_runs, {4, 1, 1}) / Wasted(format, as_levels), 1, 1e-3);
    EXPECT_NEAR(as_runs[2], as_levels[5], 0.05);
    // Each run counts.
    EXPECT_GT(as_runs[0], Spread(format, 8, {4, 40, 400})[0]);
    EXPECT_NEAR(Wasted(format, {10, 10}, {4, 1}), 5 * filter::EngineRate(format, 10), 1e-12);
  }
  EXPECT_EQ(Wasted(Format::kCompact, {0, 0, 0}, {4, 1, 1}), 6);
}

TEST(LevelSizingTest, LittleMemoryGoesToTheLevelWithMoreRuns) {
  // The smallest compact filters have 3 bits per key: enough for either level, not for both.
  const Numbers bits = Spread(Format::kCompact, 190.0 / 70, {10, 60}, {1, 5});
  EXPECT_EQ(bits[0], 0);
  EXPECT_NEAR(bits[1], 190.0 / 60, 1e-9);
}

TEST(LevelSizingTest, LittleMemoryGoesToTheSmallLevels) {
  // Below three bits per key, a compact filter is impossible.
  const Numbers bits = Spread(Format::kCompact, 1, Keys(5, 10));
  EXPECT_EQ(bits[4], 0);
  EXPECT_GT(bits[3], 9);
  EXPECT_NEAR(Wasted(Format::kCompact, bits), 1.002, 1e-3);
  EXPECT_EQ(Spread(Format::kCompact, 0, Keys(5, 10)), Numbers(5, 0.0));
  // Not enough for any level.
  EXPECT_EQ(Spread(Format::kCompact, 0.5, Numbers(5, 1.0)), Numbers(5, 0.0));
}

TEST(LevelSizingTest, EmptyLevelsCostNothing) {
  const Numbers bits = Spread(Format::kCompact, 10, {0, 1, 10});
  const Numbers others = Spread(Format::kCompact, 10, {1, 10});
  EXPECT_EQ(bits[0], kMaxCompactBitsPerKey);
  EXPECT_EQ(bits[1], others[0]);
  EXPECT_EQ(bits[2], others[1]);
}

TEST(LevelSizingTest, BitsForWastedReadsAreTheLeast) {
  const Numbers keys = Keys(5, 10);
  for (const Format format : kFormats) {
    for (const double wasted : {2.5, 0.5, 0.0483, 1e-3}) {
      SCOPED_TRACE(testing::Message() << FormatName(format) << " " << wasted);
      const double b = BitsPerKeyForWastedReads(format, wasted, keys.data(), nullptr, 5);
      EXPECT_LE(Wasted(format, Spread(format, b, keys)), wasted);
      EXPECT_GT(Wasted(format, Spread(format, b - 0.001, keys)), wasted);
    }
    // No filters waste one read in each run.
    EXPECT_EQ(BitsPerKeyForWastedReads(format, 5, keys.data(), nullptr, 5), 0);
    const double runs[] = {4, 1, 1, 1, 1};
    EXPECT_GT(BitsPerKeyForWastedReads(format, 5, keys.data(), runs, 5), 0);
  }
  const auto ribbon = [&](double wasted) {
    return BitsPerKeyForWastedReads(Format::kRibbon, wasted, keys.data(), nullptr, 5);
  };
  // Half the memory of the built-in filter's 10 bits.
  EXPECT_NEAR(filter::MemoryBits(Format::kRibbon, ribbon(0.0483)), 5.21, 0.01);
  for (const double wasted : {0.0, -1.0, 1e-12, std::nan("")}) {
    EXPECT_TRUE(std::isnan(ribbon(wasted))) << wasted;
  }
}

// As level_sizing.h says.
TEST(LevelSizingTest, SevenLevelsTakeMilliseconds) {
  const Numbers keys = Keys(7, 10);
  const auto least_seconds = [](auto&& function) {  // of the processor
    std::clock_t least = 10 * CLOCKS_PER_SEC;
    for (int i = 0; i < 10; ++i) {
      const std::clock_t begin = std::clock();
      function();
      least = std::min(least, std::clock() - begin);
    }
    return static_cast<double>(least) / CLOCKS_PER_SEC;
  };
  for (const Format format : kFormats) {
    for (const double b : {2.0, 5.0, 14.5}) {
      EXPECT_LT(least_seconds([&] { Spread(format, b, keys); }), kIsSlow ? 0.04 : 0.004) << b;
    }
    EXPECT_LT(
        least_seconds([&] { BitsPerKeyForWastedReads(format, 0.05, keys.data(), nullptr, 7); }),
        kIsSlow ? 2 : 0.2);
  }
}

TEST(LevelSizingTest, BytesBecomeBits) {
  const Numbers keys = {1e6, 9e6};
  EXPECT_EQ(BitsPerKeyForLevelBytes(Format::kCompact, 12500000, keys.data(), 2), 10);
  EXPECT_EQ(BitsPerKeyForLevelBytes(Format::kCompact, UINT64_MAX, keys.data(), 2), 24);
  EXPECT_EQ(BitsPerKeyForLevelBytes(Format::kCompact, 0, keys.data(), 2), 0);
  EXPECT_TRUE(std::isnan(BitsPerKeyForLevelBytes(Format::kCompact, 1, keys.data(), 0)));
  EXPECT_TRUE(std::isnan(BitsPerKeyForLevelBytes(Format{9}, 1, keys.data(), 2)));
}

TEST(LevelSizingTest, ImpossibleRequestsAreRefusedWithASentence) {
  const double good[] = {1, 10, 100};
  const double negative[] = {1, -10, 100};
  const double not_a_number[] = {1, std::nan(""), 100};
  const double infinite[] = {1, HUGE_VAL, 100};
  const double none[] = {0, 0, 0};
  const struct {
    Format format;
    double bits_per_key;
    const double *keys, *runs;
    int num_levels;
    const char* sentence;
  } kRequests[] = {
      {Format{9}, 10, good, nullptr, 3, "format is 9; allowed: 0 (classic)"},
      {Format::kCompact, -1, good, nullptr, 3,
       "bits per key is -1; allowed by level in compact filters: 0 to 24"},
      {Format::kCompact, 24.5, good, nullptr, 3, "bits per key is 24.5; allowed"},
      {Format::kBlocked, std::nan(""), good, nullptr, 3, "bits per key is nan; allowed"},
      {Format::kCompact, 10, good, nullptr, 0, "number of levels is 0; allowed: 1 to 64"},
      {Format::kCompact, 10, good, nullptr, 65, "number of levels is 65; allowed"},
      {Format::kCompact, 10, negative, nullptr, 3,
       "number of keys of level 1 is -10; allowed: 0, or 1e-30 to 1e+30"},
      {Format::kCompact, 10, not_a_number, nullptr, 3, "number of keys of level 1 is nan"},
      {Format::kCompact, 10, infinite, nullptr, 3, "number of keys of level 1 is inf"},
      {Format::kCompact, 10, none, nullptr, 3, "no level has keys"},
      {Format::kCompact, 10, good, none, 3,
       "number of runs of level 0 is 0; allowed: 1e-06 to 1e+06"},
      {Format::kCompact, 10, good, negative, 3, "number of runs of level 1 is -10"},
      {Format::kCompact, 10, good, infinite, 3, "number of runs of level 1 is inf"},
  };
  for (const auto& request : kRequests) {
    SCOPED_TRACE(request.sentence);
    double bits[kMaxLevels + 1];
    std::fill(std::begin(bits), std::end(bits), 77);
    EXPECT_FALSE(SpreadBitsByLevel(request.format, request.bits_per_key, request.keys, request.runs,
                                   request.num_levels, bits));
    EXPECT_EQ(std::count(std::begin(bits), std::end(bits), 77), kMaxLevels + 1);
    const std::string sentence = ValidateLevels(request.format, request.bits_per_key, request.keys,
                                                request.runs, request.num_levels);
    EXPECT_EQ(sentence.substr(0, std::string(request.sentence).size()), request.sentence);
  }
  EXPECT_EQ(ValidateLevels(Format::kCompact, 0, good, nullptr, 3), "");
  EXPECT_EQ(ValidateLevels(Format::kCompact, 24, good, good, 3), "");

  double keys[kMaxLevels];
  for (const double ratio : {0.9, 2e6, std::nan("")}) EXPECT_FALSE(KeysOfLevels(3, ratio, keys));
  for (const int num_levels : {0, -1, 65}) EXPECT_FALSE(KeysOfLevels(num_levels, 10, keys));
  EXPECT_TRUE(std::isnan(Wasted(Format::kCompact, {10, 2.9})));
  EXPECT_TRUE(std::isnan(Wasted(Format::kCompact, {10, 24.1})));
  EXPECT_TRUE(std::isnan(Wasted(Format::kCompact, {10, std::nan("")})));
  EXPECT_TRUE(std::isnan(Wasted(Format::kCompact, {10, 10}, {1, 0})));
  EXPECT_TRUE(std::isnan(Wasted(Format{9}, {10, 10})));
  EXPECT_TRUE(std::isnan(Average({0, 0}, {10, 10})));
  EXPECT_TRUE(std::isnan(Average({1, 1}, {10, -1})));
  EXPECT_TRUE(std::isnan(BitsPerKeyForWastedReads(Format{9}, 0.1, good, nullptr, 3)));
  EXPECT_TRUE(std::isnan(BitsPerKeyForWastedReads(Format::kCompact, 0.1, negative, nullptr, 3)));
}

TEST(LevelSizingTest, AllFullLevelsCanBeSpread) {
  for (const int num_levels : {1, 6, 31, 32, kMaxLevels}) {
    for (const double ratio : {1.0, 10.0, kMaxLevelSizeRatio}) {
      const Numbers keys = Keys(num_levels, ratio);
      EXPECT_EQ(ValidateLevels(Format::kRibbon, 10, keys.data(), nullptr, num_levels), "");
      const Numbers bits = Spread(Format::kRibbon, 10, keys);
      EXPECT_NEAR(bits.back(), 10, 1) << num_levels << " " << ratio;
      EXPECT_TRUE(std::is_sorted(bits.rbegin(), bits.rend())) << num_levels << " " << ratio;
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::level_sizing_test
