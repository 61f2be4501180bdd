#include "src/filter/ranges/level_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace bloomline::tests::level_memory_test {
namespace {

using filter::LevelMemory;
using filter::TreeFill;

// The keys of levels 1 and below, each at its target.
TreeFill Tree(const std::vector<double>& keys) {
  TreeFill tree;
  tree.levels.resize(keys.size() + 1);
  for (size_t i = 0; i < keys.size(); ++i) tree.levels[i + 1] = {keys[i], 0, keys[i]};
  return tree;
}

TreeFill WithTop(TreeFill tree, size_t num_files, double keys) {
  tree.top_keys.assign(num_files, keys);
  tree.levels[0].keys = double(num_files) * keys;
  return tree;
}

// The mean of all keys if all files were written now.
double Mean(const TreeFill& tree) {
  double memory = 0;
  double keys = 0;
  for (size_t level = 0; level < tree.levels.size(); ++level) {
    const double of_level = tree.levels[level].keys;
    memory += of_level * LevelMemory(tree, int(level), true);
    keys += of_level;
  }
  return memory / keys;
}

TEST(LevelMemoryTest, LevelsTogetherHaveTheMean) {
  for (const auto& keys : std::vector<std::vector<double>>{{1000},
                                                           {1e3, 1e4},
                                                           {1e3, 1e4, 1e5, 1e6},
                                                           {4e3, 16e3, 64e3},
                                                           {0, 0, 3e3, 0, 2e5},
                                                           {9e3, 85e3, 6e3}}) {
    EXPECT_NEAR(Mean(Tree(keys)), 1, 1e-9);
  }
}

TEST(LevelMemoryTest, UpperLevelsGetMore) {
  const TreeFill tree = Tree({1e3, 1e4, 1e5});
  EXPECT_LT(LevelMemory(tree, 3, true), 1);
  EXPECT_GT(LevelMemory(tree, 3, true), 0.7);
  EXPECT_NEAR(LevelMemory(tree, 2, true) / LevelMemory(tree, 3, true), std::sqrt(10), 1e-9);
  EXPECT_NEAR(LevelMemory(tree, 1, true) / LevelMemory(tree, 3, true), 10, 1e-9);
  // There is a limit.
  const TreeFill wide = Tree({1, 1e6});
  EXPECT_EQ(LevelMemory(wide, 1, true) / LevelMemory(wide, 2, true), 16);
}

TEST(LevelMemoryTest, ALevelThatHasJustBegunBelowAFullOneContinuesIt) {
  const TreeFill tree = Tree({1e3, 1e5, 1e3});
  EXPECT_EQ(LevelMemory(tree, 2, true), LevelMemory(tree, 3, true));
  EXPECT_GT(LevelMemory(tree, 1, true), LevelMemory(tree, 2, true));
}

TEST(LevelMemoryTest, WhatIsAboveATargetSoonIsInTheNextLevel) {
  TreeFill tree = Tree({1e4, 1e5});
  tree.levels[1].keys = 5e4;
  const TreeFill at_rest = Tree({5e4, 1e5});
  EXPECT_GT(LevelMemory(tree, 2, true), LevelMemory(at_rest, 2, true));
}

TEST(LevelMemoryTest, Level0HasATwentyFifthBesides) {
  const TreeFill tree = Tree({1e4, 1e5, 1e6});
  for (const size_t num_files : {1, 8, 40}) {
    const TreeFill with_top = WithTop(tree, num_files, 1e4);
    const double memory = LevelMemory(with_top, 0, true);
    EXPECT_GT(memory, 1) << num_files;
    EXPECT_LE(Mean(with_top), 1.04 + 1e-9) << num_files;
    EXPECT_EQ(LevelMemory(with_top, 0, false), 1) << "flushed files are moved down";
  }
  // The first of eight files leaves their memory to the others.
  EXPECT_NEAR(LevelMemory(WithTop(tree, 1, 1e4), 0, true), 1 + 0.04 * 1.12e6 / 8e4, 1e-9);
  EXPECT_EQ(LevelMemory(WithTop(tree, 1, 10), 0, true), 16);
}

TEST(LevelMemoryTest, TheMeanWhereNothingElseIsKnown) {
  EXPECT_EQ(LevelMemory(TreeFill(), 0, true), 1);
  EXPECT_EQ(LevelMemory(TreeFill(), 3, true), 1);
  EXPECT_EQ(LevelMemory(Tree({1e3, 0, 1e5}), 2, true), 1) << "a level without keys";
  EXPECT_EQ(LevelMemory(WithTop(Tree({}), 3, 1e4), 0, true), 1) << "level 0 alone";
  TreeFill universal = Tree({1e3, 1e4});
  universal.levels[1].target_keys = universal.levels[2].target_keys = HUGE_VAL;
  EXPECT_EQ(LevelMemory(universal, 1, true), 1);
  EXPECT_EQ(LevelMemory(universal, 2, true), 1);
}

TEST(LevelMemoryTest, TheLastLevelIsTheLastOneWithKeys) {
  const TreeFill tree = Tree({1e3, 0, 1e5, 0});
  EXPECT_FALSE(filter::IsLastLevel(tree, 0));
  EXPECT_FALSE(filter::IsLastLevel(tree, 2));
  EXPECT_TRUE(filter::IsLastLevel(tree, 3));
  EXPECT_TRUE(filter::IsLastLevel(tree, 4));
  EXPECT_TRUE(filter::IsLastLevel(TreeFill(), 0));
}

}  // namespace
}  // namespace bloomline::tests::level_memory_test
