// Sizing functions against published and independently computed numbers.
#include "bloomline/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/filter_theory.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::tests::sizing_test {
namespace {

constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kRibbon};

// E[(X / num_bits)^k] of 0, 1, ... keys, X bits of which are set, without approximation.
std::vector<double> ExactRates(int num_bits, int k, int max_keys) {
  std::vector<double> chances(static_cast<size_t>(num_bits) + 1);  // of 0, 1, ... set bits
  chances[0] = 1;
  std::vector<double> matches;  // the chance that k bits are set if so many are
  for (int x = 0; x <= num_bits; ++x) matches.push_back(std::pow(double(x) / num_bits, k));
  std::vector<double> rates;
  while (true) {
    rates.push_back(std::inner_product(chances.begin(), chances.end(), matches.begin(), 0.0));
    if (rates.size() > static_cast<size_t>(max_keys)) return rates;
    for (int probe = 0; probe < k; ++probe) {
      for (size_t x = chances.size(); x-- > 0;) {
        chances[x] *= double(x) / num_bits;
        if (x > 0) chances[x] += chances[x - 1] * (num_bits + 1 - double(x)) / num_bits;
      }
    }
  }
}

// The errors that filter_theory.h promises.
TEST(SizingTest, StandardRatesAreNearlyExact) {
  for (const int num_bits : {256, 368, 1000}) {
    for (double c = 1; c <= 21; c += 1.25) {
      const int n = static_cast<int>(num_bits / c);
      const int k = OptimalStandardNumProbes(c);
      const auto found = ExactStandardFalsePositiveRate(uint64_t(n), uint64_t(num_bits), k);
      EXPECT_NEAR(found / ExactRates(num_bits, k, n).back(), 1, 5e-3) << num_bits << ' ' << c;
    }
  }
}

TEST(SizingTest, BlockedRatesAreNearlyExact) {
  for (const int block_bits : {512, 128, 64}) {
    for (double c = 1; c <= 100; c = c * 1.2 + 0.1) {
      const int k = OptimalBlockedNumProbes(c, block_bits);
      const double mean = block_bits / c;  // keys in a block
      const std::vector<double> rates =
          ExactRates(block_bits, k, static_cast<int>(mean + 12 * std::sqrt(mean) + 20));
      double exact = 0, chance = std::exp(-mean);
      for (size_t i = 0; i < rates.size(); chance *= mean / double(++i)) exact += chance * rates[i];
      EXPECT_NEAR(BlockedFalsePositiveRate(c, k, block_bits) / exact, 1, c <= 24 ? 2e-3 : 0.015)
          << block_bits << ' ' << c;
    }
  }
}

TEST(SizingTest, FewBlocksAreNearlyExact) {
  for (const auto& [n, num_blocks] : {std::pair(1000, 20), {300, 7}, {40, 1}}) {
    const std::vector<double> rates = ExactRates(512, 6, n);
    double exact = 0;
    for (int i = 0; i <= n; ++i) {  // keys in a block
      exact += rates[size_t(i)] *
               std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1)) *
               std::pow(1.0 / num_blocks, i) * std::pow(1 - 1.0 / num_blocks, n - i);
    }
    const double found = ExactBlockedFalsePositiveRate(uint64_t(n), uint64_t(num_blocks), 6);
    EXPECT_NEAR(found / exact, 1, 2e-3) << n;
  }
}

TEST(SizingTest, EveryLayoutThatIsWrittenHasARate) {
  for (const filter::LayoutRow* const row : filter::kLayouts) {
    const bool is_written = row->is_bloom() || row->solve != nullptr || row->build != nullptr;
    EXPECT_EQ(row->rate != nullptr, is_written) << row->name;
  }
}

// k is the best, or as good as its neighbour within the rounding of the table's thresholds.
template <typename Rate>
void ExpectBest(int k, Rate rate) {
  constexpr double kRounding = 1 + 1e-4;
  for (int other = kMinProbes; other <= kMaxProbes; ++other) {
    EXPECT_LE(rate(k), rate(other) * kRounding) << k << " probes against " << other;
  }
}

TEST(SizingTest, OptimalProbesBeatAllOthers) {
  for (double c = kMinBitsPerKey; c <= kMaxBitsPerKey; c += c < 20 ? 0.05 : 1.3) {
    SCOPED_TRACE(c);
    ExpectBest(OptimalNumProbes(Format::kBlocked, c),
               [&](int k) { return BlockedFalsePositiveRate(c, k); });
    ExpectBest(OptimalStandardNumProbes(c), [&](int k) { return StandardFalsePositiveRate(c, k); });
  }
}

TEST(SizingTest, ClassicProbesFollowLevelDB) {
  EXPECT_EQ(OptimalNumProbes(Format::kClassic, 1), 1);
  EXPECT_EQ(OptimalNumProbes(Format::kClassic, 10), 6);
  EXPECT_EQ(OptimalNumProbes(Format::kClassic, 16), 11);
  EXPECT_EQ(OptimalNumProbes(Format::kClassic, 100), 30);
}

TEST(SizingTest, OneProbeMoreFromTheBoundOn) {
  EXPECT_EQ(OptimalNumProbes(Format::kBlocked, 10.0574), 6);
  EXPECT_EQ(OptimalNumProbes(Format::kBlocked, 10.0575), 7);
  EXPECT_EQ(OptimalStandardNumProbes(9.3582), 6);
  EXPECT_EQ(OptimalStandardNumProbes(9.3583), 7);
}

TEST(SizingTest, SmallFiltersFollowTheOccupancyDistribution) {
  // One key, one probe, one byte: a second key hits the one set bit with probability 1/8.
  EXPECT_NEAR(ExactStandardFalsePositiveRate(1, 8, 1), 1.0 / 8, 1e-12);
  // One key, two probes: X = 1 with probability 1/8, else 2. E[(X/8)^2] = (1/8 + 4 * 7/8) / 64.
  EXPECT_NEAR(ExactStandardFalsePositiveRate(1, 8, 2), (0.125 + 3.5) / 64, 1e-12);
}

TEST(SizingTest, FewBlocksApproachThePoissonLimit) {
  EXPECT_NEAR(ExactBlockedFalsePositiveRate(5120000, 100000, 6) / BlockedFalsePositiveRate(10.0, 6),
              1, 1e-3);
  EXPECT_NEAR(
      ExactBlockedFalsePositiveRate(640000, 100000, 5, 64) / BlockedFalsePositiveRate(10.0, 5, 64),
      1, 1e-3);
  EXPECT_EQ(ExactBlockedFalsePositiveRate(0, 10, 6), 0);
  EXPECT_EQ(ExactBlockedFalsePositiveRate(10, 0, 6), 1);
  EXPECT_LT(ExactBlockedFalsePositiveRate(1, 1, 6), 1e-9);
}

TEST(SizingTest, StandardFormulas) { EXPECT_NEAR(StandardFalsePositiveRate(10, 7), 0.00819, 1e-5); }

TEST(SizingTest, RatesOfTrillionsOfKeysKeepTheirDigits) {
  const double limit = BlockedFalsePositiveRate(10.0, 6);
  for (uint64_t lines = 1000000000; lines < 1000000000000000000 / 512; lines *= 100) {
    const uint64_t n = lines / 10 * 512;
    EXPECT_NEAR(ExactBlockedFalsePositiveRate(n, lines, 6) / limit, 1, 1e-7) << n;
    EXPECT_LT(ExactBlockedFalsePositiveRate(n, lines + lines / 1000000, 6),
              ExactBlockedFalsePositiveRate(n, lines, 6));
  }
}

TEST(SizingTest, ImpossibleArgumentsOfRatesGiveNaN) {
  for (const int k : {-1, 0, 31}) {
    EXPECT_TRUE(std::isnan(ExactStandardFalsePositiveRate(10, 100, k))) << k;
    EXPECT_TRUE(std::isnan(BlockedFalsePositiveRate(10.0, k))) << k;
    EXPECT_TRUE(std::isnan(ExactBlockedFalsePositiveRate(10, 100, k))) << k;
  }
  for (const double c : {0.0, -1.0, std::nan("")}) {
    EXPECT_TRUE(std::isnan(StandardFalsePositiveRate(c, 6))) << c;
    EXPECT_TRUE(std::isnan(BlockedFalsePositiveRate(c, 6))) << c;
    EXPECT_TRUE(std::isnan(StandardFalsePositiveRate(10, c))) << c;
  }
}

TEST(SizingTest, HopelesslyFullAndInfinitelyLargeFiltersHaveTheirLimits) {
  EXPECT_EQ(BlockedFalsePositiveRate(1e-300, 6), 1);
  EXPECT_EQ(ExactBlockedFalsePositiveRate(UINT64_MAX, 1000, 6), 1);
  EXPECT_EQ(BlockedFalsePositiveRate(HUGE_VAL, 6), 0);
  EXPECT_EQ(StandardFalsePositiveRate(HUGE_VAL, 6), 0);
}

TEST(SizingTest, SmallBlocksCostAccuracy) {
  EXPECT_NEAR(BlockedBitsPerKeyForFalsePositiveRate(0.01, 128), 10.85, 0.01);
  EXPECT_NEAR(BlockedBitsPerKeyForFalsePositiveRate(0.01, 64), 12.14, 0.01);
  EXPECT_NEAR(BlockedBitsPerKeyForFalsePositiveRate(0.001, 128), 19.01, 0.03);
  EXPECT_NEAR(BlockedBitsPerKeyForFalsePositiveRate(0.001, 64), 24.00, 0.05);
  for (const double rate : {0.0, 1.0, -1.0, 1e-9, std::nan("")}) {
    EXPECT_TRUE(std::isnan(BlockedBitsPerKeyForFalsePositiveRate(rate, 64))) << rate;
  }
}

TEST(SizingTest, BitsForARateAreTheLeast) {
  for (const Format format : kFormats) {
    for (const double rate : {0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 2e-6}) {
      const double bits_per_key = BitsPerKeyForFalsePositiveRate(format, rate);
      EXPECT_LE(FalsePositiveRate(format, bits_per_key), rate);
      if (bits_per_key == AllowedBitsPerKey(format).min) continue;
      EXPECT_GT(FalsePositiveRate(format, bits_per_key - 1.01e-6), rate);
    }
  }
}

TEST(SizingTest, OutOfRangeBitsAreClampedOrRefused) {
  EXPECT_EQ(OptimalNumProbes(Format::kBlocked, std::nan("")), 1);
  EXPECT_EQ(OptimalNumProbes(Format::kBlocked, -5), 1);
  EXPECT_EQ(OptimalNumProbes(Format::kBlocked, 1e9),
            OptimalNumProbes(Format::kBlocked, kMaxBitsPerKey));
  for (const Format format : kFormats) {
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    const double highest_rate = FalsePositiveRate(format, allowed.min);
    for (const double below : {std::nan(""), -std::nan(""), -1e9, 0.0}) {
      EXPECT_EQ(FalsePositiveRate(format, below), highest_rate) << FormatName(format) << below;
    }
    for (const double above : {allowed.max + 1, 1e9, HUGE_VAL}) {
      EXPECT_EQ(FalsePositiveRate(format, above), FalsePositiveRate(format, allowed.max))
          << FormatName(format) << above;
    }
  }
  EXPECT_EQ(FilterBytes(Format::kBlocked, 1000, 1e9), 0u);
  EXPECT_EQ(FilterBytes(Format::kBlocked, 1000, std::nan("")), 0u);
}

// ---- The inverses of the rates: bits, bytes and keys from a rate, and what they refuse.

TEST(CapacityTest, OneKeyMoreTakesMoreThanTheMemory) {
  for (const Format format : kFormats) {
    for (const uint64_t bytes : {uint64_t{84}, uint64_t{85}, uint64_t{4096}, uint64_t{1} << 32}) {
      for (const double bits_per_key : {3.0, 7.05, 10.0, 24.0}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << bytes << " bytes, "
                                        << bits_per_key << " bits per key");
        const uint64_t n = Capacity(format, bytes, bits_per_key);
        ASSERT_GT(n, 0u);
        EXPECT_LE(FilterBytes(format, n, bits_per_key), bytes);
        EXPECT_GT(FilterBytes(format, n + 1, bits_per_key), bytes);
      }
    }
    // The container alone: a trailer, or eight bytes in LevelDB.
    EXPECT_EQ(Capacity(format, format == Format::kClassic ? 8 : 20, 10), 0u);
  }
}

TEST(CapacityTest, MemoryIsUsedAndNotExceeded) {
  for (const Format format : kFormats) {
    for (const uint64_t n : {uint64_t{100}, uint64_t{1000}, uint64_t{5000000000}}) {
      for (const double wanted : {3.5, 7.05, 10.0, 23.0}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << n << " keys, " << wanted);
        const auto bytes = static_cast<uint64_t>(static_cast<double>(n) * wanted / 8);
        const double bits_per_key = BitsPerKeyForFilterBytes(format, n, bytes);
        const uint64_t used = FilterBytes(format, n, bits_per_key);
        EXPECT_LE(used, bytes);
        EXPECT_GT(used + 64, bytes);
      }
    }
    const double max = AllowedBitsPerKey(format).max;
    EXPECT_EQ(BitsPerKeyForFilterBytes(format, 1000, 1 << 20), max) << "more than can be used";
    EXPECT_TRUE(std::isnan(BitsPerKeyForFilterBytes(format, 1000000, 100000))) << "too little";
    EXPECT_TRUE(std::isnan(BitsPerKeyForFilterBytes(format, 0, 100000)));
  }
}

TEST(CapacityTest, AFullFilterHasTheRateItWasSizedFor) {
  for (const Format format : kFormats) {
    // The rate of a Ribbon filter depends on the number of its keys.
    const uint64_t keys = format == Format::kRibbon ? 1000000 : 10000000;
    // 10 million keys of a 32-bit hash: 0.23 % of the missing keys share the hash of a stored one.
    const double collisions =
        format == Format::kClassic ? static_cast<double>(keys) / std::pow(2, 32) : 0;
    const double expected = FalsePositiveRate(format, 10) + collisions;
    EXPECT_NEAR(FalsePositiveRateWithKeys(format, 10, keys, keys) / expected, 1, 3e-3)
        << FormatName(format);
  }
}

TEST(CapacityTest, RibbonFiltersOfOtherSizesHaveAboutTheSameRate) {
  for (double bits_per_key = 1; bits_per_key <= 16; bits_per_key += 0.3) {
    const double rate = FalsePositiveRate(Format::kRibbon, bits_per_key);
    for (uint64_t n = 5000; n <= 50000000; n += n / 3) {
      const double ratio = FalsePositiveRateWithKeys(Format::kRibbon, bits_per_key, n, n) / rate;
      EXPECT_GT(ratio, 0.75) << n << " keys, " << bits_per_key << " bits";
      EXPECT_LT(ratio, 1.35) << n << " keys, " << bits_per_key << " bits";
    }
  }
}

TEST(CapacityTest, OverfillingRaisesTheRateToAlmostOne) {
  for (const Format format : kFormats) {
    if (format == Format::kRibbon) {  // holds no more
      EXPECT_EQ(FalsePositiveRateWithKeys(format, 10, 10000, 100000000),
                FalsePositiveRateWithKeys(format, 10, 10000, 10000));
      EXPECT_EQ(FalsePositiveRateWithKeys(format, 10, 10000, 0), 0);
      EXPECT_EQ(FalsePositiveRateWithKeys(format, 10, 0, 1), 1);
      continue;
    }
    double last = 0;
    for (uint64_t n = 1000; n <= 100000000; n *= 10) {
      const double rate = FalsePositiveRateWithKeys(format, 10, 10000, n);
      EXPECT_GE(rate, last) << FormatName(format) << ", " << n << " keys";
      EXPECT_LE(rate, 1);
      last = rate;
    }
    EXPECT_GT(last, 0.999) << FormatName(format);
    EXPECT_EQ(FalsePositiveRateWithKeys(format, 10, 10000, 0), 0);
    EXPECT_EQ(FalsePositiveRateWithKeys(format, 10, 0, 1), 1);
  }
}

TEST(CapacityTest, ImpossibleRequestsAreRefused) {
  const double nan = std::nan("");
  for (const double rate : {0.0, 1.0, -0.1, 2.0, nan}) {
    for (const Format format : kFormats) {
      const std::string error = ValidateFalsePositiveRate(format, rate);
      EXPECT_NE(error.find("false-positive rate is "), std::string::npos) << error;
      EXPECT_NE(error.find("allowed: more than 0 and less than 1"), std::string::npos) << error;
      EXPECT_TRUE(std::isnan(BitsPerKeyForFalsePositiveRate(format, rate))) << rate;
    }
  }
  for (const Format format : kFormats) {
    EXPECT_EQ(Capacity(format, 1 << 20, nan), 0u);
    EXPECT_EQ(Capacity(format, 1 << 20, 101), 0u);
    EXPECT_EQ(Capacity(format, UINT64_MAX, 10), 0u);
    EXPECT_TRUE(std::isnan(FalsePositiveRateWithKeys(format, 101, 10, 10)));
    EXPECT_TRUE(std::isnan(FalsePositiveRateWithKeys(format, nan, 10, 10)));
  }
}

TEST(CapacityTest, NoRateIsInReachOfAnUnknownFormat) {
  for (const double rate : {0.01, 1e-12, 2.0}) {
    EXPECT_EQ(ValidateFalsePositiveRate(Format{9}, rate),
              "format is 9; allowed: 0 (classic), 1 (blocked), 2 (compact), 3 (bloom), 4 (ribbon)");
    EXPECT_TRUE(std::isnan(BitsPerKeyForFalsePositiveRate(Format{9}, rate)));
  }
}

TEST(CapacityTest, ARateIsRefusedExactlyWhereNoBitsReachIt) {
  for (const Format format : kFormats) {
    const double least = FalsePositiveRate(format, AllowedBitsPerKey(format).max);
    for (const double rate : {0.5, least, least * 0.99, 1e-30}) {
      SCOPED_TRACE(testing::Message() << FormatName(format) << ", rate " << rate);
      const bool possible = !std::isnan(BitsPerKeyForFalsePositiveRate(format, rate));
      EXPECT_EQ(possible, rate >= least);
      EXPECT_EQ(ValidateFalsePositiveRate(format, rate).empty(), possible);
    }
    const std::string reason = ValidateFalsePositiveRate(format, 1e-30);
    EXPECT_NE(reason.find(FormatName(format)), std::string::npos);
    // The rate that is named is allowed, and one that is a little lower is not.
    const double named = std::stod(reason.substr(reason.find(": from ") + 7));
    EXPECT_EQ(ValidateFalsePositiveRate(format, named), "");
    EXPECT_NE(ValidateFalsePositiveRate(format, 0.89 * named), "");
  }
}

}  // namespace
}  // namespace bloomline::tests::sizing_test
