// The rule of bits by level: that the memory holds in every tree and in every step of a tree's
// life, that the bits are the best ones, and that they are found soon.
//
// BLOOMLINE_TEST_LIVES in the environment: the lives of trees. The tests print what they gain.
#include "src/filter/sizing/left_over.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "bloomline/level_sizing.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"
#include "tests/filter/simulated_tree.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::left_over_test {
namespace {

using filter::LeftOverBits;
using filter::LeftOverBitsOfAll;
using filter::LevelFill;
using filter::LevelKeys;
using filter::LevelTargets;
using filter::PromisedMemory;
using filter::SetTargets;
using filter::TreeFill;

constexpr double kMean = 9.84;
constexpr PromisedMemory kPromise = {Format::kRibbon, kMean, 0};
constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kRibbon};

// Levels with these keys, from level 0, whose files are alike, and filters of the mean bits.
TreeFill Tree(const std::vector<double>& keys, size_t num_files = 4, double mean = kMean) {
  TreeFill tree;
  for (const double of_level : keys) tree.levels.push_back({of_level, of_level * mean, HUGE_VAL});
  if (keys[0] > 0) tree.top_keys.assign(num_files, keys[0] / static_cast<double>(num_files));
  SetTargets({}, &tree);
  return tree;
}

TreeFill FullTree(size_t num_levels) {
  std::vector<double> keys = {1000};
  while (keys.size() < num_levels) keys.push_back(keys.back() * 10);
  return Tree(keys, 1);
}

double MeanOf(const TreeFill& tree, const std::vector<double>& bits) {
  double keys = 0, memory = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    keys += tree.levels[i].keys;
    memory += tree.levels[i].keys * bits[i];
  }
  return memory / keys;
}

// A file of a compaction to the level. The job writes the whole level.
double BitsIn(TreeFill tree, size_t level) {
  const double keys = tree.levels[level].keys;
  tree.levels[level].memory_bits = 0;
  return LeftOverBits(kPromise, tree, {static_cast<int>(level), false, keys});
}

double BestOfLast(double memory, const std::vector<LevelKeys>& levels) {
  return filter::MemoryBitsOfLast(kPromise.format, memory, levels);
}

// The last file of level 0.
double BitsOfFlush(TreeFill tree, const PromisedMemory& promise = kPromise) {
  const double keys = tree.top_keys.back();
  tree.levels[0].memory_bits *= 1 - keys / tree.levels[0].keys;
  return LeftOverBits(promise, tree, {0, true, keys});
}

TEST(LeftOverTest, AFullTreeHasTheBestBitsWithinTheMean) {
  for (const Format format : kFormats) {
    for (size_t num_levels = 2; num_levels <= 7; ++num_levels) {
      for (const double mean : {5.0, kMean, 12.0}) {
        const TreeFill tree = FullTree(num_levels);
        std::vector<double> bits = LeftOverBitsOfAll({format, mean, 0}, tree);
        EXPECT_LE(MeanOf(tree, bits), mean * 1.0151) << num_levels;
        EXPECT_GE(MeanOf(tree, bits), mean * 0.999) << num_levels;
        std::vector<double> keys, best(num_levels);
        for (const LevelFill& level : tree.levels) keys.push_back(level.keys);
        const int count = static_cast<int>(num_levels);
        ASSERT_TRUE(SpreadBitsByLevel(format, filter::BitsOfMemory(format, mean), keys.data(),
                                      nullptr, count, best.data()));
        for (double& of_level : bits) of_level = filter::BitsOfMemory(format, of_level);
        EXPECT_LT(WastedReads(format, bits.data(), nullptr, count),
                  WastedReads(format, best.data(), nullptr, count) * 1.05)
            << FormatName(format) << " " << mean << " " << num_levels;
      }
    }
  }
}

TEST(LeftOverTest, ALevelHasTheSameBitsWhateverTheSizesOfItsFiles) {
  TreeFill tree = Tree({400000, 0, 1000000});
  const std::vector<double> bits = LeftOverBitsOfAll(kPromise, tree);
  tree.top_keys = {200000, 199000, 990, 10};
  EXPECT_EQ(LeftOverBitsOfAll(kPromise, tree), bits);
}

TEST(LeftOverTest, WhatIsAloneHasTheMean) {
  EXPECT_NEAR(BitsIn(Tree({0, 0, 1000}), 2), kMean, 0.01);
  EXPECT_NEAR(BitsIn(Tree({4000}), 0), kMean, 0.01);
  EXPECT_EQ(LeftOverBits(kPromise, Tree({0, 0, 1000}), {1, false, 0}), kMean);
  EXPECT_EQ(LeftOverBits(kPromise, Tree({0, 0, 1000}), {0, true, 100}), kMean);
  for (const int level : {-1, 3, 100}) {
    EXPECT_EQ(LeftOverBits(kPromise, Tree({0, 0, 1000}), {level, false, 0}), kMean) << level;
  }
  EXPECT_EQ(LeftOverBits(kPromise, {}, {0, true, 100}), kMean);
  EXPECT_EQ(LeftOverBitsOfAll(kPromise, {}), std::vector<double>());
  EXPECT_EQ(LeftOverBitsOfAll(kPromise, Tree({0, 0, 1000, 0}))[3], kMean);
}

// A level that has just begun below a full one has few keys, but it is no small level: what it has
// not is still in the level above. Bits for a small level stay when it has grown.
TEST(LeftOverTest, ALevelThatHasJustBegunHasTheBitsOfALargeOne) {
  TreeFill tree = Tree({0, 20000, 200000, 4000});
  SetTargets({true, false, 20000, 10, 4000}, &tree);
  EXPECT_LT(BitsIn(tree, 3), kMean + 0.5);
  EXPECT_LT(BitsIn(tree, 2), kMean + 0.5);
  EXPECT_GT(BitsIn(tree, 1), kMean + 1);
}

TEST(LeftOverTest, FilesAboveGetWhatDeeperOnesLeave) {
  TreeFill tree = Tree({0, 10000, 100000, 1000000});
  tree.levels[3].memory_bits *= 0.99;
  const double bits = BitsIn(tree, 2);
  tree.levels[3].memory_bits *= 0.98;
  EXPECT_GT(BitsIn(tree, 2), bits + 0.5);
  tree.levels[3].memory_bits *= 2;
  EXPECT_EQ(BitsIn(tree, 1), kMean - 3);
  EXPECT_EQ(BitsIn(tree, 2), kMean - 3);
  tree.levels[3].memory_bits = 0;
  // Much more than at rest would last for long.
  const double at_rest = BestOfLast(kMean * 1110000, {{10000, 1}, {1000000, 1}, {100000, 1}});
  EXPECT_DOUBLE_EQ(BitsIn(tree, 2), at_rest + 1);
}

TEST(LeftOverTest, TheDeepestLevelTakesOnlyWhatIsFree) {
  TreeFill tree = Tree({0, 100000, 1000000});
  EXPECT_LT(BitsIn(tree, 2), kMean);
  tree.levels[1].memory_bits *= 2;
  EXPECT_NEAR(BitsIn(tree, 2), (1.015 * 11 - 2) / 10 * kMean, 0.01);
  tree.levels[1].memory_bits *= 10;
  EXPECT_EQ(BitsIn(tree, 2), kMean - 3);
  // The number of keys may be unknown.
  EXPECT_NEAR(LeftOverBits(kPromise, tree, {2, false, 0}), 9.4, 0.2);
}

TEST(LeftOverTest, OthersMayUseALittleMore) {
  TreeFill tree = Tree({0, 10000, 100000, 1000000});
  tree.levels[1].memory_bits *= 5;
  EXPECT_NEAR(BitsIn(tree, 2), (1.04 * 111 - 5 - 100) / 10 * kMean, 0.01);
  // So that a flushed file has the mean where others have a little more.
  TreeFill only_flushed = Tree({4000});
  only_flushed.levels[0].memory_bits *= 1.1;
  EXPECT_NEAR(BitsOfFlush(only_flushed), kMean, 0.01);
}

// The deepest level, which is rewritten least often, leaves the bits that the others need at rest.
TEST(LeftOverTest, TargetsCount) {
  TreeFill tree = Tree({0, 800000, 900000, 1000000});
  const double bits = BitsIn(tree, 3);
  for (LevelFill& level : tree.levels) level.target_keys = HUGE_VAL;
  EXPECT_GT(BitsIn(tree, 3), bits + 0.1);
  // The number of its keys may be unknown.
  SetTargets({}, &tree);
  EXPECT_DOUBLE_EQ(LeftOverBits(kPromise, tree, {3, false, 0}),
                   BestOfLast(kMean * 1110000, {{10000, 1}, {100000, 1}, {1000000, 1}}));
}

TEST(LeftOverTest, FilesOfUnknownKeysAreLeftOut) {
  TreeFill tree = Tree({8000, 30000, 300000}, 2);
  const double bits = BitsIn(tree, 1);
  tree.top_keys = {4000, 0, 4000, 0};
  EXPECT_EQ(BitsIn(tree, 1), bits);
  EXPECT_EQ(LeftOverBits(kPromise, tree, {0, true, 0}), kMean);
}

TEST(LeftOverTest, TargetsFollowTheOptions) {
  TreeFill tree = Tree({100, 100, 100, 7000, 0});
  const auto targets = [&tree](const LevelTargets& options) {
    SetTargets(options, &tree);
    std::vector<double> keys;
    for (const LevelFill& level : tree.levels) keys.push_back(level.target_keys);
    return keys;
  };
  const double none = HUGE_VAL;
  EXPECT_EQ(targets({true, true, 0, 10, 80}), (std::vector<double>{none, 80, 700, none, none}));
  EXPECT_EQ(targets({true, false, 50, 4, 0}), (std::vector<double>{none, 50, 200, none, none}));
  EXPECT_EQ(targets({false, true, 50, 4, 80}), std::vector<double>(5, none));
  // A ratio that is not allowed counts as RocksDB's default.
  EXPECT_EQ(targets({true, true, 0, 0, 80}), (std::vector<double>{none, 80, 700, none, none}));
}

TEST(LeftOverTest, FlushedFilesShareWhatIsLeft) {
  const TreeFill small = Tree({16000, 30000, 300000});
  const double bits = BitsOfFlush(small);
  EXPECT_GT(bits, kMean + 2);
  EXPECT_LT(bits, BitsOfFlush(Tree({4000, 0, 1000000}, 1)));
  // What filters leave is not known if they are not.
  TreeFill assumed = small;
  assumed.levels[2].assumed_keys = 300000;
  EXPECT_LT(BitsOfFlush(assumed), kMean + 1);
  // What running jobs may keep is not left.
  TreeFill running = small;
  running.replaced_bits = 0.02 * kMean * 300000;
  EXPECT_LT(BitsOfFlush(running), bits - 0.1);
  // If nothing is left, there is still the mean that the file brings along.
  TreeFill full = small;
  full.levels[2].memory_bits *= 1.05;
  EXPECT_NEAR(BitsOfFlush(full), kMean, 0.2);
  full.levels[2].memory_bits *= 1.1;
  EXPECT_EQ(BitsOfFlush(full), kMean - 3);
}

TEST(LeftOverTest, LittleMemoryIsNeverNone) {
  for (const double mean : {0.5, 1.0, 2.0, 3.0}) {
    for (const Format format : kFormats) {
      const TreeFill tree = FullTree(6);
      const PromisedMemory promise = {format, mean, 0};
      const std::vector<double> bits = LeftOverBitsOfAll(promise, tree);
      EXPECT_NEAR(*std::min_element(bits.begin(), bits.end()), mean, 0.01);
      EXPECT_LT(MeanOf(tree, bits), mean * 1.05);
    }
  }
  EXPECT_EQ(LeftOverBits({Format::kRibbon, 0, 0}, FullTree(3), {2, false, 0}), 0);
}

TEST(LeftOverTest, TheFloorHoldsWhenTheMemoryIsSpent) {
  TreeFill tree = Tree({16000, 30000, 300000});
  for (LevelFill& level : tree.levels) level.memory_bits *= 2;
  EXPECT_EQ(BitsIn(tree, 1), kMean - 3);
  for (const double floor : {0.85, 1.0}) {
    const PromisedMemory promise = {Format::kRibbon, kMean, floor};
    // The best bits of the tree, were they floor * kMean.
    const auto best = LeftOverBitsOfAll({Format::kRibbon, kMean * floor, 0}, tree);
    EXPECT_NEAR(LeftOverBits(promise, tree, {2, false, 300000}), best[2], 0.2);
    EXPECT_GT(LeftOverBits(promise, tree, {1, false, 30000}), kMean);
    EXPECT_GT(BitsOfFlush(tree, promise), kMean);
  }
}

TEST(LeftOverTest, TheLargestFiltersHaveNoNextStep) {
  for (const Format format : kFormats) {
    const double most = filter::MemoryBits(format, AllowedBitsPerKey(format).max);
    EXPECT_DOUBLE_EQ(filter::MemoryBitsOfLast(format, 10 * most, {{10, 1}}), most);
    EXPECT_DOUBLE_EQ(filter::MemoryBitsOfLast(format, 30 * most, {{10, 1}, {20, 1}}), most);
    TreeFill tree;
    tree.levels.resize(7);
    tree.levels[6].keys = 1000;
    EXPECT_DOUBLE_EQ(LeftOverBits({format, most}, tree, {6, false, 1000}), most);
  }
}

TEST(LeftOverTest, BitsAreWithinBoundsInEveryTree) {
  std::mt19937 random(7);
  const auto uniform = [&random] { return std::uniform_real_distribution<double>()(random); };
  // 0, or any order of magnitude.
  const auto number = [&](double exponent) {
    return uniform() < 0.2 ? 0 : std::pow(10, exponent * uniform() - 2);
  };
  for (int i = 0; i < Repetitions(100000, 50); ++i) {
    TreeFill tree;
    tree.levels.resize(static_cast<size_t>(64 * std::pow(uniform(), 4)) + 1);
    for (LevelFill& level : tree.levels) level = {number(12), number(14), HUGE_VAL};
    tree.top_keys.resize(static_cast<size_t>(20 * std::pow(uniform(), 2)));
    for (double& keys : tree.top_keys) keys = number(8);
    tree.replaced_bits = number(12);
    SetTargets({uniform() < 0.8, uniform() < 0.5, number(8), 12 * uniform(), number(6)}, &tree);
    const double mean = uniform() < 0.05 ? 0 : 30 * uniform();
    const PromisedMemory promise = {kFormats[random() % 3], mean, uniform() < 0.5 ? 0 : uniform()};
    const int level = static_cast<int>(random() % tree.levels.size());
    const double bits = LeftOverBits(promise, tree, {level, uniform() < 0.5, number(10)});
    ASSERT_GE(bits, std::max(mean - 3, 0.0)) << i;
    ASSERT_LE(bits, std::max(mean, 24.0)) << i;
    if (i % 50 > 0) continue;
    for (const double of_level : LeftOverBitsOfAll(promise, tree)) {
      ASSERT_GE(of_level, std::max(mean - 3, 0.0)) << i;
      ASSERT_LE(of_level, std::max(mean, 24.0)) << i;
    }
  }
}

TEST(MemoryBitsOfLastTest, TheMemoryIsUsedUpAndBitsRiseWithIt) {
  for (const Format format : kFormats) {
    const std::vector<LevelKeys> levels = {{100, 4}, {1000, 1}, {30000, 0.3}, {1e6, 1}};
    std::vector<double> before(levels.size());
    for (double mean = 0.25; mean < 30; mean += 0.25) {
      double memory = 0;
      for (size_t i = 0; i < levels.size(); ++i) {
        std::vector<LevelKeys> turned = levels;
        std::swap(turned[i], turned.back());
        const double bits = filter::MemoryBitsOfLast(format, mean * 1031100, turned);
        EXPECT_GT(bits, before[i] - 1e-9) << mean;
        before[i] = bits;
        memory += bits * levels[i].keys;
      }
      EXPECT_NEAR(memory / 1031100, mean, 1e-6) << FormatName(format);
    }
  }
  EXPECT_EQ(filter::MemoryBitsOfLast(Format::kBlocked, -1, {{10, 1}}), 0);
  EXPECT_EQ(filter::MemoryBitsOfLast(Format::kBlocked, 1e6, {{10, 1}}), 100);
}

// The promise, for the builder that calls this for each file.
TEST(LeftOverTest, ItTakesLessThanTwoMilliseconds) {
  for (const size_t num_files : {0, 8, 40, 10000}) {
    std::vector<double> keys(7, 0);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = std::pow(10, i + 3);
    keys[0] = 1000 * static_cast<double>(num_files);
    TreeFill tree = Tree(keys, num_files);
    for (size_t i = 0; i < num_files; ++i) tree.top_keys[i] = std::pow(10, 1 + i % 7);
    EXPECT_GT(LeftOverBits(kPromise, tree, {2, false, 1e5}), 0);  // makes the table of the format
    const int level = num_files == 0 ? 1 : 0;
    double least = 1;
    for (int i = 0; i < 20; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_GT(LeftOverBits(kPromise, tree, {level, true, 1000}), 0);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      least = std::min(least, time.count());
    }
    std::printf("%zu files in level 0: %.0f us\n", num_files, 1e6 * least);
    EXPECT_LT(least, kIsSlow ? 0.02 : 0.002) << num_files;
  }
}

using Style = SimulatedTree::Compaction;
using Formats = std::pair<Format, Format>;  // of all files, but of flushed ones
class LivesTest : public testing::TestWithParam<std::tuple<Style, Formats>> {
 protected:
  SimulatedTree::Options OptionsOf(unsigned seed) const {
    SimulatedTree::Options options;
    options.compaction = std::get<0>(GetParam());
    std::tie(options.format, options.flush_format) = std::get<1>(GetParam());
    options.seed = seed;
    return options;
  }
  static int Lives() {
    const char* const wanted = std::getenv("BLOOMLINE_TEST_LIVES");
    return wanted == nullptr ? Repetitions(40) : std::atoi(wanted) / 9;
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, LivesTest,
    testing::Combine(testing::Values(Style::kDynamic, Style::kStatic, Style::kUniversal),
                     testing::Values(Formats{Format::kBlocked, Format::kBlocked},
                                     Formats{Format::kRibbon, Format::kRibbon},
                                     Formats{Format::kRibbon, Format::kBloom})));

// The geometric mean of the gains of trees that are large enough for several levels.
class Gains {
 public:
  void Add(const SimulatedTree& tree) {
    if (tree.keys() < 500000) return;
    sum_ += std::log(tree.Gain());
    ++count_;
  }
  double Mean() const { return std::exp(sum_ / count_); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

// 10 to 600 flushes, in random or ascending order, of one size or of many; merges that drop up to
// half of the keys; compactions that lag, catch up or fail; restarts.
TEST_P(LivesTest, TheMeanHoldsInEachStep) {
  std::mt19937 random(11);
  const auto uniform = [&random] { return std::uniform_real_distribution<double>()(random); };
  double most = -1;
  Gains at_rest, lagging;
  for (int life = 0; life < Lives(); ++life) {
    SimulatedTree::Options options = OptionsOf(static_cast<unsigned>(life));
    options.reads_old_files = life % 2 == 0;
    SimulatedTree tree(options);
    double over = -1;
    const auto compact = [&] {
      const bool has_worked = tree.Compact();
      over = std::max(over, tree.over());
      return has_worked;
    };
    const bool varies = uniform() < 0.5;
    bool ascends = false;
    double low = 0;
    int num_lagging = 0;
    tree.SetFailing(uniform() < 0.3 ? 0.2 : 0);
    for (double left = 10 * std::pow(60, uniform()); left > 0; --left) {
      const double chance = uniform();
      if (chance < 0.01) tree.Restart();
      if (chance > 0.99) tree.SetDropped(uniform() < 0.5 ? 0 : uniform() / 2);
      if (chance > 0.5 && chance < 0.505) ascends = !ascends;
      const double keys = SimulatedTree::kFlushKeys * (varies ? 0.2 + 1.6 * uniform() : 1);
      if (ascends) {
        low = std::fmod(low + 1e-4, 0.99);
        tree.Flush(keys, low, low + 1e-4);
      } else {
        tree.Flush(keys);
      }
      over = std::max(over, tree.over());
      if (num_lagging == 0 && uniform() < 0.05) num_lagging = static_cast<int>(60 * uniform());
      if (num_lagging > 0) {
        for (int i = 0; i < 2; ++i) compact();
        while (tree.files_at_top() > 20 && compact()) {
        }
        if (--num_lagging == 0 && !ascends) lagging.Add(tree);
        continue;
      }
      const int most_steps = uniform() < 0.3 ? 100000 : static_cast<int>(20 * uniform());
      int steps = 0;
      while (steps < most_steps && compact()) ++steps;
      if (steps < most_steps && !ascends) at_rest.Add(tree);
    }
    ASSERT_LE(over, 0.05) << "life " << life;
    most = std::max(most, over);
  }
  std::printf(
      "%d lives: at most %.1f %% over the mean; uniform filters of the same memory waste "
      "%.2f times as many reads at rest, %.2f times while compactions lag\n",
      Lives(), 100 * most, at_rest.Mean(), lagging.Mean());
  if (Lives() < 40) return;  // few lives, as with sanitizers, have few large trees
  const bool is_universal = std::get<0>(GetParam()) == Style::kUniversal;
  EXPECT_GT(at_rest.Mean(), is_universal ? 1.1 : 1.4);
  EXPECT_GT(lagging.Mean(), is_universal ? 1.3 : 1.8);
}

// Nothing tells the filters above that the memory of those below is gone. Merges write them anew.
TEST_P(LivesTest, ADroppedBottomHealsWithTheNextKeys) {
  double most = 0, most_written = 0;
  for (int life = 0; life < Repetitions(10); ++life) {
    SimulatedTree tree(OptionsOf(static_cast<unsigned>(life)));
    while (tree.keys() < 1e6) {
      tree.Flush(SimulatedTree::kFlushKeys);
      for (int i = 0; i < 10; ++i) tree.Compact();
    }
    tree.DropBottom();
    most = std::max(most, tree.over());
    const double keys = tree.keys();
    double written = 0;
    for (; tree.over() > 0.05; written += SimulatedTree::kFlushKeys) {
      ASSERT_LT(written, keys);
      tree.Flush(SimulatedTree::kFlushKeys);
      while (tree.Compact()) {
      }
    }
    most_written = std::max(most_written, written / keys);
  }
  std::printf(
      "at most %.0f %% over the mean; held again once %.1f times the keys that were left "
      "have been written\n",
      100 * most, most_written);
  EXPECT_LT(most_written, 0.5);
}

// A key is written once and never merged, so that flushed files move down as they are.
TEST_P(LivesTest, AscendingKeysWithRestarts) {
  for (const auto& [flushes, reads_old_files] :
       {std::pair(1, true), {3, true}, {10, true}, {1, false}, {3, false}, {10, false}}) {
    SimulatedTree::Options options = OptionsOf(1);
    options.reads_old_files = reads_old_files;
    SimulatedTree tree(options);
    double low = 0;
    for (int restarts = 0; restarts < 100; ++restarts) {
      for (int i = 0; i < flushes; ++i, low += 1e-4) {
        tree.Flush(SimulatedTree::kFlushKeys, low, low + 1e-4);
        ASSERT_LE(tree.over(), 0.05) << flushes << " " << restarts;
        while (restarts % 2 == 1 && tree.Compact()) ASSERT_LE(tree.over(), 0.05);
      }
      tree.Restart();
    }
  }
}

// memory= for a tree that grows twenty-fold. With universal compaction, one run has nearly all
// keys. It keeps the filters of a smaller tree until the tree has nearly doubled.
TEST_P(LivesTest, TheLimitHoldsWhileATreeGrows) {
  SimulatedTree::Options options = OptionsOf(1);
  options.mean_bits = 20;
  options.limit_bits = 7e6;
  options.floor = 1;
  SimulatedTree tree(options);
  double most = 0, least = 2;
  while (tree.keys() < 1e6) {
    tree.Flush(SimulatedTree::kFlushKeys);
    for (int i = 0; i < 60 && tree.Compact(); ++i) {
    }
    most = std::max(most, tree.memory_bits() / options.limit_bits);
    if (tree.keys() > 4.5e5) least = std::min(least, tree.memory_bits() / options.limit_bits);
  }
  std::printf("%.0f to %.0f %% of the limit\n", 100 * least, 100 * most);
  EXPECT_LT(most, std::get<0>(GetParam()) == Style::kUniversal ? 1.6 : 1.1);
  EXPECT_GT(least, 0.9);
}

}  // namespace
}  // namespace bloomline::tests::left_over_test
