// Which filter a file of a RocksDB database gets, over all that RocksDB may say of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bloomline/sizing.h"
#include "src/engines/rocksdb/builder/table_plan.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::tests::rocksdb_level_choice_test {
namespace {

using engine::ChooseFilter;
using engine::kMinBits;
using engine::LevelHistory;
using engine::LevelRules;
using engine::LoweredTo;
using engine::MakeSettings;
using engine::NewFile;
using engine::SeenLevels;
using engine::SettingsPtr;

constexpr double kUniformBits = 10;
// Bits per key of the bottom, of the level above it, and so on.
constexpr double kByDistance[] = {9.5, 13, 17, 20, 23};

LevelRules ByDistance() {
  LevelRules rules;
  rules.bits_per_key = kUniformBits;
  rules.rule = LevelRules::Rule::kByDistance;
  rules.level_bits.num_bits = std::size(kByDistance);
  std::copy(std::begin(kByDistance), std::end(kByDistance), rules.level_bits.bits);
  return rules;
}

NewFile Compacted(int level, int num_levels = 7) {
  NewFile file;
  file.level = level;
  file.num_levels = num_levels;
  return file;
}

NewFile Bottommost(int level, int num_levels = 7) {
  NewFile file = Compacted(level, num_levels);
  file.is_bottommost = true;
  return file;
}

NewFile Flushed(int num_levels = 7) {
  NewFile file = Compacted(0, num_levels);
  file.is_flush = true;
  return file;
}

LevelRules RulesFor(const RocksDBFilterOptions& options) {
  std::string error;
  const SettingsPtr settings = MakeSettings(options, &error);
  EXPECT_NE(settings, nullptr) << error;
  return settings == nullptr ? LevelRules() : settings->levels;
}

double Bits(const LevelRules& rules, const NewFile& file, const SeenLevels& seen = {}) {
  return ChooseFilter(rules, file, seen).bits_per_key;
}

TEST(RocksDBLevelChoiceTest, ABottommostFileHasTheBitsOfTheBottomOnEveryLevel) {
  for (int level = 0; level < 7; ++level) {
    for (const SeenLevels& seen : {SeenLevels(), SeenLevels{1, 2, 5, true}, {1, 6, 3, true}}) {
      EXPECT_EQ(Bits(ByDistance(), Bottommost(level), seen), kByDistance[0]);
    }
  }
}

// The levels on which files were seen give the distance of a file from the bottom.
TEST(RocksDBLevelChoiceTest, SeenLevelsGiveTheDistanceFromTheBottom) {
  const struct {
    const char* why;
    NewFile file;
    SeenLevels seen;
    int distance;
    int deepest = 0;  // what the options say
  } kCases[] = {
      {"without any seen file, the last level is the bottom", Compacted(5), {}, 1},
      {"the same", Compacted(4), {}, 2},
      {"the same", Compacted(2), {}, 4},
      {"the same with five levels", Compacted(3, 5), {}, 1},
      {"no number for so far away", Compacted(1), {}, 4},
      {"a seen bottom replaces the last level", Compacted(2), {1, 3, 2, true}, 1},
      {"the same", Compacted(1), {1, 3, 2, true}, 2},
      {"the same", Flushed(), {1, 3, 2, true}, 3},
      // The first files of a new bottom are moved there, not made.
      {"data below the seen bottom is one level more", Compacted(3), {1, 3, 3, true}, 1},
      {"the same", Compacted(2), {1, 3, 3, true}, 2},
      {"the same", Compacted(1), {1, 3, 3, true}, 3},
      {"the same", Compacted(3), {1, 2, 4, true}, 2},
      {"after a restart, a level in the middle is seen first", Compacted(4), {4, 0, 4, true}, 2},
      {"the same", Compacted(4), {4, 0, 5, true}, 2},
      // level_compaction_dynamic_level_bytes: levels 4 to 6 in use.
      {"a flush is one level above the first", Flushed(), {4, 6, 5, true}, 3},
      {"the same", Flushed(), {6, 6, 0, true}, 1},
      {"so is what a compaction writes to level 0", Compacted(0), {4, 6, 5, true}, 3},
      // Threads that report their first files at once may leave such a history.
      {"a top below the deepest level counts as the deepest", Flushed(), {4, 3, 0, true}, 1},
      {"the same", Flushed(), {63, 3, 0, true}, 1},
      {"the same", Flushed(2), {6, 0, 0, true}, 1},
      // Whatever the settings say.
      {"there is a level below a file that is not bottommost", Compacted(3, -1), {}, 1},
      {"the same", Compacted(3, 0), {1, 3, 3, true}, 1},
      {"the same", Compacted(3, 4), {}, 1},
      {"the same", Compacted(5), {}, 1, 1},
      {"the same", Compacted(5), {}, 1, 4},
      {"levels that are given are not learned", Compacted(3), {2, 6, 5, true}, 1, 4},
      {"the same", Compacted(0), {2, 6, 5, true}, 4, 4},
      {"the same", Compacted(1), {}, 3, 4},
      {"the same", Flushed(), {}, 4, 4},
  };
  LevelRules rules = ByDistance();
  for (const auto& c : kCases) {
    rules.deepest = c.deepest;
    EXPECT_EQ(Bits(rules, c.file, c.seen), kByDistance[c.distance])
        << c.why << ": level " << c.file.level;
  }
}

// Flushes that may be moved down, unknown levels, and compaction styles without levels.
TEST(RocksDBLevelChoiceTest, FilesWithoutAKnownDistanceHaveUniformBits) {
  const SeenLevels five = {1, 6, 5, true};
  EXPECT_EQ(Bits(ByDistance(), Flushed()), kUniformBits);
  EXPECT_EQ(Bits(ByDistance(), Flushed(), {1, 4, 3, false}), kUniformBits);
  EXPECT_EQ(Bits(ByDistance(), Compacted(0), {1, 4, 3, false}), kUniformBits);
  EXPECT_EQ(Bits(ByDistance(), Compacted(-1)), kUniformBits);
  EXPECT_EQ(Bits(ByDistance(), Compacted(-1, -1), five), kUniformBits);
  RocksDBFilterOptions list;
  list.bits_by_level = {20, 0, 12};
  EXPECT_EQ(Bits(RulesFor(list), Compacted(-1)), kUniformBits);
  for (NewFile file : {Compacted(0), Compacted(3), Bottommost(6), Flushed()}) {
    file.has_levels = false;
    EXPECT_EQ(Bits(ByDistance(), file, five), kUniformBits);
  }
}

TEST(RocksDBLevelChoiceTest, AListIsByLevelAndItsLastNumberForAllBelow) {
  RocksDBFilterOptions options;
  options.bits_by_level = {24, 20, 0, 9};
  const LevelRules rules = RulesFor(options);
  const double expected[] = {24, 20, 0, 9, 9, 9, 9};
  for (int level = 0; level < 7; ++level) {
    EXPECT_EQ(Bits(rules, Compacted(level)), expected[level]);
    EXPECT_EQ(Bits(rules, Bottommost(level)), expected[level]);
    NewFile universal = Compacted(level);
    universal.has_levels = false;
    EXPECT_EQ(Bits(rules, universal), expected[level]);
  }
  EXPECT_EQ(Bits(rules, Flushed()), 24);
}

TEST(RocksDBLevelChoiceTest, BitsStayInTheRangeOfTheFormat) {
  LevelRules rules = ByDistance();
  rules.deepest = 1;
  rules.level_bits.bits[0] = 0.5;
  rules.level_bits.bits[1] = 160;
  EXPECT_EQ(Bits(rules, Bottommost(1)), kMinBitsPerKey);
  EXPECT_EQ(Bits(rules, Compacted(0)), kMaxBitsPerKey);
  rules.level_bits.bits[0] = 0;
  EXPECT_EQ(Bits(rules, Bottommost(1)), 0) << "no filter is not the smallest filter";
}

TEST(RocksDBLevelChoiceTest, NoFilterAtTheBottomIsForBottommostFilesAlone) {
  RocksDBFilterOptions options;
  options.filters_at_bottom = false;
  for (const bool by_level : {false, true}) {
    options.auto_bits_by_level = by_level;
    const LevelRules rules = RulesFor(options);
    for (int level = 0; level < 7; ++level) {
      EXPECT_EQ(Bits(rules, Bottommost(level)), 0);
      EXPECT_NE(Bits(rules, Compacted(level)), 0);
    }
    EXPECT_NE(Bits(rules, Flushed()), 0);
  }
}

TEST(RocksDBLevelChoiceTest, WithoutLevelOptionsAllFilesAreAlike) {
  RocksDBFilterOptions options;
  for (const auto& [given, bits] : {std::pair(7.5, 7.5), {0.75, 1.0}, {0.25, 0.0}}) {
    options.bits_per_key = given;
    const LevelRules rules = RulesFor(options);
    for (const NewFile& file : {Compacted(3), Bottommost(6), Flushed(), Compacted(-1)}) {
      EXPECT_EQ(Bits(rules, file, {1, 4, 3, true}), bits);
      EXPECT_EQ(ChooseFilter(rules, file, {}).format, Format::kBlocked);
    }
  }
  options.auto_bits_by_level = true;
  EXPECT_EQ(Bits(RulesFor(options), Bottommost(6), {1, 4, 3, true}), 0) << "below half a bit";
}

// The promise of auto_bits_by_level.
TEST(RocksDBLevelChoiceTest, LevelsThatAreOnlyAssumedLeaveNoBottomWithoutFilters) {
  RocksDBFilterOptions options;
  options.auto_bits_by_level = true;
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    options.format = format;
    for (options.bits_per_key = AllowedBitsPerKey(format).min; options.bits_per_key < 8;
         options.bits_per_key += 0.25) {
      EXPECT_GT(Bits(RulesFor(options), Bottommost(6)), 0) << options.bits_per_key;
    }
  }
}

TEST(RocksDBLevelHistoryTest, KnowsTheLevelsOfEachColumnFamily) {
  LevelHistory history;
  SeenLevels seen = history.Add("default", Flushed());
  EXPECT_EQ(seen.top, 0);
  EXPECT_FALSE(seen.flushes_are_merged);
  history.Add("default", Bottommost(6));
  history.Add("default", Compacted(5));
  seen = history.Add("default", Compacted(4));
  EXPECT_EQ(seen.top, 4);
  EXPECT_EQ(seen.deepest_bottom, 6);
  EXPECT_EQ(seen.deepest_inner, 5);
  EXPECT_TRUE(seen.flushes_are_merged);
  seen = history.Add("another", Flushed());
  EXPECT_EQ(seen.top, 0);
  EXPECT_EQ(seen.deepest_bottom, 0);
}

TEST(RocksDBLevelHistoryTest, FlushesWithoutMergesSoonCountAsMoved) {
  LevelHistory history;
  history.Add("", Compacted(1));
  int trusted = 0;
  while (history.Add("", Flushed()).flushes_are_merged) ++trusted;
  EXPECT_EQ(trusted, 32);
  EXPECT_FALSE(history.Add("", Compacted(0)).flushes_are_merged);
  EXPECT_TRUE(history.Add("", Bottommost(6)).flushes_are_merged);
}

TEST(RocksDBLevelHistoryTest, IgnoresFilesWithoutLevels) {
  LevelHistory history;
  NewFile universal = Compacted(5);
  universal.has_levels = false;
  history.Add("", universal);
  history.Add("", Compacted(-1));
  const SeenLevels seen = history.Add("", Flushed());
  EXPECT_EQ(seen.top, 0);
  EXPECT_EQ(seen.deepest_inner, 0);
  EXPECT_FALSE(seen.flushes_are_merged);
}

// The memory per key of full levels, of which the last `deepest` have no filters.
double Memory(const LevelRules& rules, int deepest) {
  double keys = 0, memory = 0;
  for (int i = deepest; i < rules.level_bits.num_bits; ++i) {
    keys += std::pow(10, -i);
    memory += std::pow(10, -i) * filter::MemoryBits(rules.format, rules.level_bits.bits[i]);
  }
  return memory / keys;
}

LevelRules WithinMemory(Format format, double bits_per_key, int num_levels,
                        bool filters_at_bottom = true) {
  RocksDBFilterOptions options(FilterOptions{format, bits_per_key});
  options.levels_in_use = num_levels;
  options.filters_at_bottom = filters_at_bottom;
  options.memory_bytes = 1000;
  return RulesFor(options);
}

// Without filters at the bottom, the mean that an account allows is over the other levels' keys.
TEST(RocksDBLevelChoiceTest, LowerBitsAreDividedByLevelFromTheDeepestOn) {
  for (const Format format : {Format::kBlocked, Format::kBloom, Format::kRibbon}) {
    for (const int num_levels : {0, 2, 5}) {
      for (const bool filters_at_bottom : {false, true}) {
        const LevelRules all = WithinMemory(format, 16, num_levels, filters_at_bottom);
        const int deepest = filters_at_bottom ? 0 : 1;
        for (double bits = 15.9; bits > 0; bits -= 0.3) {
          const LevelRules rules = LoweredTo(bits, all);
          const std::string what = std::string(FormatName(format)) + " " + std::to_string(bits) +
                                   ", levels " + std::to_string(num_levels) + ", bottom " +
                                   std::to_string(filters_at_bottom);
          EXPECT_NEAR(rules.bits_per_key, std::max(bits, kMinBits), 1.0 / 32) << what;
          double fall_below = 0;
          for (int i = deepest; i < rules.level_bits.num_bits; ++i) {
            ASSERT_GE(rules.level_bits.bits[i], kMinBits) << what;
            // The deepest level has the fewest bits, and gives up most of its own.
            const double fall = 1 - rules.level_bits.bits[i] / all.level_bits.bits[i];
            if (i > deepest) {
              ASSERT_GE(rules.level_bits.bits[i], rules.level_bits.bits[i - 1]) << what;
              // Near 3, all levels fall to it.
              ASSERT_LE(fall, fall_below + 0.1) << what << ", level " << i;
            }
            fall_below = fall;
          }
          const double wanted = filter::MemoryBits(format, std::max(bits, kMinBits));
          EXPECT_LE(Memory(rules, deepest), 1.03 * wanted) << what;
          EXPECT_GE(Memory(rules, deepest), 0.93 * wanted) << what;
        }
        const LevelRules last = LoweredTo(0.1, all);
        for (int i = deepest; i < last.level_bits.num_bits; ++i)
          EXPECT_LT(last.level_bits.bits[i], 3.2);
      }
    }
  }
}

TEST(RocksDBLevelChoiceTest, BitsAreNeverRaised) {
  const LevelRules all = WithinMemory(Format::kBlocked, 8, 5);
  for (const double bits : {8.0, 9.0, 1e300}) {
    const LevelRules rules = LoweredTo(bits, all);
    EXPECT_EQ(rules.bits_per_key, 8);
    EXPECT_EQ(rules.level_bits.bits[0], all.level_bits.bits[0]);
  }
  const LevelRules few = WithinMemory(Format::kBlocked, 2, 5);  // less than kMinBits
  EXPECT_EQ(LoweredTo(0.1, few).bits_per_key, 2);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_level_choice_test
