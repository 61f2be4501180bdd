// Bits by level, as the RocksDB policy, `bloomline db advise` and `bloomline db rewrite` use them.
#include "src/filter/sizing/level_rule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bloomline::tests::level_rule_test {
namespace {

using filter::LevelBits;
using filter::SpreadByDistance;
using filter::UsedLevels;

TEST(LevelBitsTest, AFileHasTheBitsOfItsDistanceFromTheBottom) {
  for (const Format format : {Format::kBlocked, Format::kCompact, Format::kRibbon}) {
    for (const int num_levels : {0, 2, 5}) {
      const LevelBits bits = SpreadByDistance(format, 10, {num_levels, 10});
      ASSERT_EQ(bits.num_bits, num_levels == 0 ? 7 : num_levels);
      for (int deepest = 1; deepest < 9; ++deepest) {
        for (int top = 0; top < 9; ++top) {
          const UsedLevels used{top, deepest};
          // From the bottom up: the levels below 0, then level 0 above the top one.
          int distance = 0;
          for (int level = deepest; level > 0; --level, ++distance) {
            EXPECT_EQ(bits.At(level, false, used),
                      bits.bits[std::min(distance, bits.num_bits - 1)]);
            EXPECT_EQ(bits.At(level, true, used), bits.bits[0]);
            if (level == std::min(std::max(top, 1), deepest)) {
              EXPECT_EQ(bits.At(0, false, used),
                        bits.bits[std::min(distance + 1, bits.num_bits - 1)]);
            }
          }
          EXPECT_EQ(bits.At(0, true, used), bits.bits[0]);
        }
      }
    }
  }
}

TEST(LevelBitsTest, SmallerLevelsHaveMoreBitsAndTheMeanHolds) {
  for (const double ratio : {2.0, 10.0, 1000.0}) {
    const LevelBits bits = SpreadByDistance(Format::kBlocked, 12, {4, ratio});
    for (int i = 1; i < bits.num_bits; ++i) EXPECT_GT(bits[i], bits[i - 1]);
    EXPECT_NEAR(filter::MeanMemory(Format::kBlocked, {4, ratio}, bits), 12, 1e-3);
  }
}

}  // namespace
}  // namespace bloomline::tests::level_rule_test
