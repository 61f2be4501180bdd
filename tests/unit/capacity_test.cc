// The inverses of the rates: bits, blocks, bytes and keys from a rate, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/format/leveldb_codes.h"
#include "src/filter/format/trailer.h"

namespace bloomline {
namespace {

constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kCompact};

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
  constexpr uint64_t kKeys = 10000000;
  for (const Format format : kFormats) {
    // 10 million keys of a 32-bit hash: 0.23 % of the missing keys share the hash of a stored one.
    const double collisions = format == Format::kClassic ? kKeys / std::pow(2, 32) : 0;
    const double expected = FalsePositiveRate(format, 10) + collisions;
    EXPECT_NEAR(FalsePositiveRateWithKeys(format, 10, kKeys, kKeys) / expected, 1, 3e-3)
        << FormatName(format);
  }
}

TEST(CapacityTest, OverfillingRaisesTheRateToAlmostOne) {
  for (const Format format : kFormats) {
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
    EXPECT_TRUE(std::isnan(IdealBitsPerKey(rate))) << rate;
    EXPECT_TRUE(std::isnan(InformationLimitBitsPerKey(rate))) << rate;
    for (const Format format : kFormats) {
      const std::string error = ValidateFalsePositiveRate(format, rate);
      EXPECT_NE(error.find("false-positive rate is "), std::string::npos) << error;
      EXPECT_NE(error.find("allowed: more than 0 and less than 1"), std::string::npos) << error;
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
    EXPECT_EQ(ValidateFalsePositiveRate(Format{3}, rate),
              "format is 3; allowed: 0 (classic), 1 (blocked), 2 (compact)");
    EXPECT_TRUE(std::isnan(BitsPerKeyForFalsePositiveRate(Format{3}, rate)));
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

TEST(CapacityTest, OtherStructuresEndAtTheLargestNumber) {
  EXPECT_EQ(HashTableBytes(1, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(HashTableBytes(UINT64_MAX, 8), UINT64_MAX);
  EXPECT_EQ(UnorderedSetBytes(2, UINT64_MAX - 8), UINT64_MAX);
  EXPECT_EQ(SortedArrayBytes(2, UINT64_MAX), UINT64_MAX);
}

TEST(CapacityTest, OtherStructuresTakeWhatTheirDefinitionsSay) {
  EXPECT_EQ(HashTableBytes(0, 8), 0u);
  EXPECT_EQ(HashTableBytes(7, 8), 8u * 9);
  EXPECT_EQ(HashTableBytes(8, 8), 16u * 9);
  EXPECT_EQ(HashTableBytes(14, 8), 16u * 9);
  EXPECT_EQ(HashTableBytes(15, 8), 32u * 9);
  EXPECT_EQ(HashTableBytes(5000000000, 8), (uint64_t{1} << 33) * 9);
  EXPECT_EQ(SortedArrayBytes(5000000000, 16), 80000000000u);
  // Within 2 % of what libstdc++ asks its allocator for, in malloc's chunks.
  EXPECT_EQ(UnorderedSetBytes(20000, 8), 1440000u);
  EXPECT_EQ(UnorderedSetBytes(20000, 100), 3680000u);
  for (const uint64_t n : {uint64_t{1} << 62, UINT64_MAX}) {
    EXPECT_EQ(HashTableBytes(n, 100), UINT64_MAX);
    EXPECT_EQ(UnorderedSetBytes(n, UINT64_MAX), UINT64_MAX);
    EXPECT_EQ(SortedArrayBytes(n, 100), UINT64_MAX);
  }
}

}  // namespace
}  // namespace bloomline
