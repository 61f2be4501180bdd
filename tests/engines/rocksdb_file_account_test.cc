// The account of files without a database: what it counts, and the tree that it describes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline::tests::rocksdb_file_account_test {
namespace {

using engine::FileAccount;
using engine::FileCreation;
using engine::FileSums;
using engine::FilterSize;
using engine::InputFile;
using engine::kUnknownLevel;
using engine::LevelOptions;
using engine::ListedFile;
using engine::OutputFile;
using filter::NewFilter;
using filter::TreeFill;

const std::string kDatabase = "db";
const std::string kFamily = "default";
constexpr double kMean = 10;

class RocksDBFileAccountTest : public testing::Test {
 protected:
  RocksDBFileAccountTest() { Begin(); }

  bool Begin(bool lists_again = true) {
    const auto list = [&](LevelOptions* options) {
      *options = options_;
      return listed_;
    };
    return account_.BeginDatabase(kDatabase, list, lists_again);
  }
  static FileCreation OfJob(int job, const std::string& family = kFamily) {
    FileCreation creation;
    creation.database = kDatabase;
    creation.family = family;
    creation.job = job;
    return creation;
  }
  static FileCreation OfFlush(const std::string& family = kFamily) {
    FileCreation creation = OfJob(77, family);
    creation.is_flush = true;
    return creation;
  }
  // A file of n keys in n filter bytes and 10 * n bytes, at a level.
  void Create(uint64_t number, uint64_t n, int level, int job = -1,
              const std::string& family = kFamily) {
    FileCreation creation = OfJob(job, family);
    creation.level = level;
    account_.Create(creation, number, {n, n}, 10 * n);
  }
  void Flush(uint64_t number, uint64_t n) { account_.Create(OfFlush(), number, {n, n}, 10 * n); }
  // Files at the first level, and at others.
  void Compact(int job, int from, int to, const std::vector<uint64_t>& at_base,
               const std::vector<uint64_t>& below = {}) {
    std::vector<InputFile> inputs;
    for (const uint64_t number : at_base) inputs.push_back({number, true, {}, 0});
    for (const uint64_t number : below) inputs.push_back({number, false, {}, 0});
    account_.BeginCompaction(kDatabase, kFamily, job, from, to, inputs);
  }
  void End(int job, const std::vector<OutputFile>& outputs, bool succeeded = true) {
    account_.EndCompaction(kDatabase, kFamily, job, succeeded, outputs);
  }
  void Expect(uint64_t bytes, uint64_t live_keys) {
    EXPECT_EQ(account_.sums().bytes, bytes);
    EXPECT_EQ(account_.sums().live_keys(), live_keys);
  }

  struct Tree : TreeFill {
    bool is_known = false;
    NewFilter file;

    std::vector<double> keys() const {
      std::vector<double> keys;
      for (const filter::LevelFill& level : levels) keys.push_back(level.keys);
      return keys;
    }
    // Bits per key.
    std::vector<double> bits() const {
      std::vector<double> bits;
      for (const filter::LevelFill& level : levels) {
        bits.push_back(level.keys == 0 ? 0 : level.memory_bits / level.keys);
      }
      return bits;
    }
  };
  Tree Describe(const FileCreation& creation, int level, bool fills_bottom = true) {
    Tree tree;
    tree.is_known = account_.Describe(creation, level, kMean, fills_bottom, &tree, &tree.file);
    return tree;
  }
  // As a file sees it that belongs to no job that is known.
  Tree Describe() { return Describe(OfJob(-1), 0); }

  using Levels = std::vector<double>;

  FileAccount account_;
  std::vector<ListedFile> listed_;
  LevelOptions options_;
};

TEST_F(RocksDBFileAccountTest, InputsOfARunningCompactionAreLeftOut) {
  Create(1, 10, 1);
  Create(2, 20, 1);
  Create(3, 30, 1);
  Compact(7, 1, 2, {1, 2});
  Expect(30, 60);
  Create(4, 25, 2, 7);
  Expect(55, 60);
  End(7, {{4, 2}});
  Expect(55, 55);
  account_.Remove(kDatabase, 1);
  account_.Remove(kDatabase, 4);
  Expect(30, 30);
}

TEST_F(RocksDBFileAccountTest, AFailedCompactionLeavesItsInputs) {
  Create(1, 10, 1);
  Compact(7, 1, 2, {1});
  Create(2, 9, 2, 7);
  End(7, {{2, 2}}, false);
  account_.Remove(kDatabase, 2);
  Expect(10, 10);
  EXPECT_EQ(account_.sums().pending_keys, 0u);
  EXPECT_EQ(Describe().keys(), (Levels{0, 10, 0}));
}

// RocksDB may report the next compaction of a file before the end of a failed one.
TEST_F(RocksDBFileAccountTest, TheEndOfOneCompactionReleasesNoInputOfAnother) {
  Create(1, 10, 1);
  Compact(7, 1, 2, {1});
  Compact(8, 1, 2, {1});
  End(7, {}, false);
  Expect(0, 10);
  End(8, {});
  Expect(0, 0);
}

TEST_F(RocksDBFileAccountTest, JobsCountAsDone) {
  Create(1, 10000, 1);
  Create(2, 40000, 2);
  Create(3, 100000, 3);
  Flush(4, 1000);
  Compact(7, 1, 2, {1}, {2});
  // Until the job has chosen, its outputs have the bits of its inputs.
  EXPECT_EQ(Describe().keys(), (Levels{1000, 0, 50000, 100000}));
  EXPECT_EQ(Describe().bits(), (Levels{8, 0, 8, 8}));
  EXPECT_EQ(Describe().replaced_bits, 0);
  account_.SetBits(OfJob(7), 6);
  EXPECT_EQ(Describe().bits(), (Levels{8, 0, 6, 8}));
  EXPECT_EQ(Describe().replaced_bits, 50000 * (8 - 6)) << "if the inputs stay";
  EXPECT_EQ(Describe(OfJob(7), 2).replaced_bits, 0);
  account_.SetBits(OfJob(7), 9);
  EXPECT_EQ(Describe().replaced_bits, 0);
  account_.SetBits(OfJob(7), 6);
  Create(5, 20000, 2, 7);
  EXPECT_EQ(Describe().keys(), (Levels{1000, 0, 50000, 100000}));
  EXPECT_EQ(Describe().bits(), (Levels{8, 0, (20000.0 * 8 + 30000 * 6) / 50000, 8}));
  EXPECT_EQ(Describe().replaced_bits, 30000 * (8 - 6));
  // Of its own rest, a job has to decide.
  const Tree own = Describe(OfJob(7), 2);
  EXPECT_EQ(own.keys(), (Levels{1000, 0, 50000, 100000}));
  EXPECT_EQ(own.levels[2].memory_bits, 20000 * 8);
  EXPECT_EQ(own.file.keys, 30000);
  EXPECT_EQ(own.file.level, 2);
  EXPECT_FALSE(own.file.is_flush);
  Create(6, 29990, 2, 7);
  EXPECT_EQ(Describe(OfJob(7), 2).file.keys, 500) << "a further file has some keys";
  End(7, {{5, 2}, {6, 2}});
  EXPECT_EQ(Describe().keys(), (Levels{1000, 0, 49990, 100000}));
}

TEST_F(RocksDBFileAccountTest, FilesOfLevel0AreListed) {
  Flush(1, 100);
  Flush(2, 200);
  Create(3, 1000, 1);
  EXPECT_EQ(Describe().top_keys, (Levels{100, 200}));
  // A flush has about as many keys as the last ones, and is the last of level 0.
  Tree tree = Describe(OfFlush(), 0);
  EXPECT_EQ(tree.top_keys, (Levels{100, 200, 200}));
  EXPECT_EQ(tree.levels[0].keys, 500);
  EXPECT_EQ(tree.levels[0].memory_bits, 300 * 8);
  EXPECT_EQ(tree.file.keys, 200);
  EXPECT_TRUE(tree.file.is_flush);
  Flush(4, 3);
  EXPECT_EQ(Describe(OfFlush(), 0).file.keys, 100) << "a program may ask for a small flush";
  // Compactions within level 0.
  Compact(7, 0, 0, {1, 2});
  EXPECT_EQ(Describe().top_keys, (Levels{3, 300}));
  EXPECT_EQ(Describe(OfJob(7), 0).top_keys, (Levels{3, 300}));
  Compact(8, 0, 0, {4});
  EXPECT_EQ(Describe(OfJob(7), 0).top_keys, (Levels{3, 300})) << "its own is the last";
  Create(5, 290, 0, 7);
  End(7, {{5, 0}});
  End(8, {}, false);
  EXPECT_EQ(Describe().top_keys, (Levels{3, 290}));
}

// With allow_trivial_move, universal compaction leaves inputs in place that were at the output
// level.
TEST_F(RocksDBFileAccountTest, AMoveChangesNothing) {
  Flush(1, 100);
  Create(2, 200, 1);
  Create(3, 300, 2);
  const Levels bits = Describe().bits();
  Compact(7, 1, 2, {2}, {3});
  EXPECT_EQ(Describe().keys(), (Levels{100, 0, 500}));
  EXPECT_EQ(Describe().bits()[2], bits[2]);
  End(7, {{2, 2}});
  EXPECT_EQ(Describe().keys(), (Levels{100, 0, 500}));
  Expect(600, 600);
  EXPECT_EQ(account_.num_kept(), 5u) << "three files of a family of a database";
}

TEST_F(RocksDBFileAccountTest, ALateEndOfAMoveChangesNoLevel) {
  Create(1, 100, 1);
  Compact(7, 1, 2, {1});
  // RocksDB has moved it, but says so later.
  Compact(8, 2, 3, {1});
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 100}));
  End(8, {{1, 3}});
  End(7, {{1, 2}});
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 100}));
}

// Compactions of several tiers write to two levels. The context of the builder has only one.
TEST_F(RocksDBFileAccountTest, TheEndOfACompactionSaysTheLevels) {
  Create(1, 100, 0);
  Compact(7, 0, 6, {1});
  Create(2, 40, 6, 7);
  Create(3, 60, kUnknownLevel, 7);
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 0, 0, 0, 100}));
  End(7, {{2, 5}, {3, 6}});
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 0, 0, 40, 60}));
}

TEST_F(RocksDBFileAccountTest, FlushesAreMergedOrMoved) {
  EXPECT_FALSE(account_.MergesFlushes(OfFlush()));
  Flush(1, 100);
  Flush(2, 100);
  Flush(3, 100);
  EXPECT_FALSE(account_.MergesFlushes(OfFlush()));
  Compact(7, 0, 1, {1});
  EXPECT_FALSE(account_.MergesFlushes(OfFlush()));
  Create(4, 100, 1, 7);
  End(7, {{4, 1}});
  EXPECT_TRUE(account_.MergesFlushes(OfFlush()));
  Compact(8, 1, 2, {4});
  End(8, {{4, 2}});
  EXPECT_TRUE(account_.MergesFlushes(OfFlush())) << "level 0 had no part in it";
  Compact(9, 0, 1, {2});
  End(9, {}, false);
  EXPECT_TRUE(account_.MergesFlushes(OfFlush())) << "it failed";
  Compact(9, 0, 1, {2});
  End(9, {{2, 1}});
  EXPECT_FALSE(account_.MergesFlushes(OfFlush()));
  EXPECT_FALSE(account_.MergesFlushes(OfFlush("other")));
}

class RocksDBListedFilesTest : public RocksDBFileAccountTest {
 protected:
  RocksDBListedFilesTest() { account_.EndDatabase(kDatabase); }
};

TEST_F(RocksDBListedFilesTest, CountWithThePromisedMemory) {
  listed_ = {{1, kFamily, 1, 5000, 500}, {2, kFamily, 2, 5000, 500}};
  EXPECT_TRUE(Begin());
  EXPECT_FALSE(Begin());
  Expect(0, 1000);
  EXPECT_EQ(Describe().keys(), (Levels{0, 500, 500}));
  EXPECT_EQ(Describe().bits(), (Levels{0, kMean, kMean}));
  EXPECT_EQ(account_.Assumed(kDatabase), (FileAccount::FileNumbers{1, 2}));
  account_.Read(kDatabase, 1, {1500, 500});
  account_.Read(kDatabase, 1, {11, 11});  // it is known
  account_.Read(kDatabase, 2, {0, 400});
  EXPECT_EQ(account_.Assumed(kDatabase), FileAccount::FileNumbers());
  EXPECT_EQ(account_.sums().unfiltered_keys, 400u);
  Expect(1500, 900);
  EXPECT_EQ(Describe().keys(), (Levels{0, 500, 0})) << "the mean is over files with filters";
  EXPECT_EQ(Describe().bits(), (Levels{0, 24, 0}));
  // It may get a filter now.
  Compact(7, 1, 2, {1}, {2});
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 900}));
  EXPECT_EQ(account_.sums().unfiltered_keys, 400u);
  account_.EndDatabase(kDatabase);
  Expect(0, 0);
  EXPECT_EQ(account_.num_kept(), 0u);
}

// RocksDB lists no keys until it has read the properties of a file.
TEST_F(RocksDBListedFilesTest, KeysAreGuessedFromTheSize) {
  listed_ = {{1, kFamily, 0, 3000, 0}, {2, kFamily, 1, 20000, 0}, {3, "other", 1, 9000, 3000}};
  Begin();
  // The family knows nothing, but another one does.
  EXPECT_EQ(Describe().keys(), (Levels{1000, 20000 / 3.0}));
  EXPECT_EQ(Describe().bits(), (Levels{kMean, kMean}));
  EXPECT_EQ(Describe().top_keys, Levels{1000});
  Expect(0, 3000 + 23000 / 3);
  account_.Remove(kDatabase, 3);
  EXPECT_EQ(Describe().keys(), (Levels{30, 200})) << "nothing is known";
  account_.Read(kDatabase, 2, {2000, 2000});
  EXPECT_EQ(Describe().keys(), (Levels{300, 2000}));
  EXPECT_EQ(Describe().bits(), (Levels{kMean, 8}));
  // A compaction counts what it has of a file, and knows no better bits than the promised ones.
  Compact(7, 0, 1, {1});
  EXPECT_EQ(Describe().keys(), (Levels{0, 2300}));
  EXPECT_EQ(Describe().levels[1].memory_bits, 2000 * 8 + 300 * kMean);
  End(7, {});
  Expect(2000, 2000);
}

TEST_F(RocksDBListedFilesTest, TheFirstFlushHasTheKeysOfTheLeastFile) {
  listed_ = {{1, kFamily, 1, 5000, 500}};
  Begin();
  EXPECT_FALSE(Describe(OfFlush(), 0).is_known) << "no flush is known";
  listed_ = {{2, kFamily, 0, 900, 90}, {3, kFamily, 0, 800, 80}, {4, kFamily, 0, 900, 90}};
  account_.ListAgain(kDatabase);
  EXPECT_TRUE(Begin());
  const Tree tree = Describe(OfFlush(), 0);
  EXPECT_TRUE(tree.is_known);
  EXPECT_EQ(tree.top_keys, (Levels{90, 80, 90, 80}));
}

// Between Create and the list, a file may have been written, and a file may be deleted before its
// event.
TEST_F(RocksDBListedFilesTest, WhatIsKnownStays) {
  Begin();
  Create(1, 100, 2);
  listed_ = {{1, kFamily, 3, 5000, 500}};
  account_.ListAgain(kDatabase);
  EXPECT_FALSE(Begin(false));
  EXPECT_TRUE(Begin());
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 100})) << "only the level is taken";
  Expect(100, 100);
}

// Imported families, CompactFiles before the first event: RocksDB says nothing of the files until
// they are compacted.
TEST_F(RocksDBListedFilesTest, UnknownInputsAreFoundInACompaction) {
  listed_ = {{4, kFamily, 2, 5000, 100}};
  Begin();
  account_.BeginCompaction(kDatabase, kFamily, 7, 1, 2,
                           {{1, true, FilterSize{300, 200}, 2000},
                            {2, false, FilterSize{100, 200}, 2000},
                            {3, true, {}, 0},
                            {4, true, FilterSize{200, 400}, 2000}});
  EXPECT_EQ(account_.Assumed(kDatabase), FileAccount::FileNumbers{3});
  End(7, {}, false);
  Expect(600, 800);
  EXPECT_EQ(Describe().levels[1].keys, 600) << "2 has no level";
  listed_ = {{1, kFamily, 1, 2000, 200}, {2, kFamily, 2, 2000, 200}, {4, kFamily, 2, 5000, 400}};
  EXPECT_TRUE(Begin()) << "what was unknown makes it list again";
  EXPECT_EQ(Describe().keys(), (Levels{0, 200, 600}));
}

TEST_F(RocksDBListedFilesTest, IngestedFilesAreListedOnce) {
  Begin();
  for (uint64_t number = 1; number < 4; ++number) {
    EXPECT_FALSE(Begin(false));
    account_.Find(kDatabase, kFamily, number, {100, 100}, 1000);
  }
  account_.Find(kDatabase, kFamily, 3, {5, 5}, 50);
  Expect(300, 300);
  EXPECT_EQ(Describe().keys(), Levels{0}) << "levels are unknown";
  listed_ = {{1, kFamily, 1, 1000, 100}, {2, kFamily, 2, 1000, 100}, {3, kFamily, 2, 1000, 100}};
  EXPECT_TRUE(Begin());
  EXPECT_FALSE(Begin());
  EXPECT_EQ(Describe().keys(), (Levels{0, 100, 200}));
  // The list may come before the event.
  listed_ = {{4, kFamily, 3, 1000, 100}};
  account_.ListAgain(kDatabase);
  Begin();
  account_.Find(kDatabase, kFamily, 4, {300, 100}, 1000);
  EXPECT_EQ(Describe().bits(), (Levels{0, 8, 8, 24}));
}

// CompactRange with change_level, and PromoteL0, tell no listener.
TEST_F(RocksDBListedFilesTest, WrongLevelsMakeItListAgain) {
  Begin();
  Create(1, 100, 3);
  Create(2, 200, 3);
  Compact(7, 5, 6, {1});
  End(7, {}, false);
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 200, 0, 100}));
  listed_ = {{1, kFamily, 5, 1000, 100}, {2, kFamily, 5, 2000, 200}};
  EXPECT_TRUE(Begin());
  EXPECT_EQ(Describe().keys(), (Levels{0, 0, 0, 0, 0, 300}));
  EXPECT_FALSE(Begin());
  Compact(8, 5, 6, {1}, {2});
  End(8, {}, false);
  EXPECT_FALSE(Begin()) << "inputs are at levels from 5 to 6";
  Compact(9, 3, 4, {}, {2});
  End(9, {}, false);
  EXPECT_TRUE(Begin()) << "no input is at a level below the output";
  Compact(9, 5, 6, {}, {2});
  End(9, {}, false);
  EXPECT_FALSE(Begin());
  Create(3, 300, 2);
  Compact(9, 5, 6, {}, {3});
  End(9, {}, false);
  EXPECT_TRUE(Begin()) << "no input is at a level above the first";
  Create(4, 400, kUnknownLevel);
  EXPECT_TRUE(Begin());
  // An output that is not known was written elsewhere, or copied.
  Compact(10, 5, 6, {1});
  End(10, {{8, 6}});
  EXPECT_TRUE(Begin());
}

TEST_F(RocksDBListedFilesTest, TheLastLevelMayHaveNoFilters) {
  listed_ = {{1, kFamily, 1, 5000, 500}, {2, kFamily, 2, 50000, 5000}};
  Begin();
  EXPECT_EQ(Describe(OfJob(-1), 1, false).keys(), (Levels{0, 500, 0}));
  EXPECT_EQ(Describe(OfJob(-1), 1, false).levels[2].memory_bits, 0);
  Compact(7, 1, 2, {1}, {2});
  EXPECT_EQ(Describe(OfJob(-1), 1, false).keys(), (Levels{0, 0, 0}));
  End(7, {}, false);
  options_.skips_last_level = true;
  account_.ListAgain(kDatabase);
  Begin();
  EXPECT_EQ(Describe().keys(), (Levels{0, 500, 0})) << "optimize_filters_for_hits";
  TreeFill tree;
  NewFilter file;
  ASSERT_TRUE(account_.Describe(OfJob(-1), 0, 0, true, &tree, &file));
  EXPECT_EQ(tree.levels[2].keys, 5000) << "range filters have them";
  options_.skips_last_level = false;
  account_.ListAgain(kDatabase);
  Begin();
  account_.Read(kDatabase, 2, {0, 5000});
  EXPECT_EQ(Describe(OfJob(-1), 1, false).keys(), (Levels{0, 500, 0})) << "they have none";
  // With files in level 0 alone, none is at the bottom.
  account_.EndDatabase(kDatabase);
  listed_ = {{1, kFamily, 0, 5000, 500}};
  Begin();
  EXPECT_EQ(Describe(OfJob(-1), 0, false).keys(), Levels{500});
}

// A dropped family keeps its files while somebody has its handle; another one may have its name.
TEST_F(RocksDBFileAccountTest, FilesOfADroppedFamilyAreNotThoseOfItsName) {
  account_.BeginFamily(kDatabase, "new", 1);
  Create(1, 5000, 6, -1, "new");
  account_.BeginFamily(kDatabase, "new", 1);
  account_.BeginFamily(kDatabase, "new", 1);
  EXPECT_EQ(Describe(OfJob(-1, "new"), 6).keys(), (Levels{0, 0, 0, 0, 0, 0, 5000}));
  account_.BeginFamily(kDatabase, "new", 2);
  EXPECT_EQ(Describe(OfJob(-1, "new"), 0).keys(), Levels{0});
  Create(2, 700, 0, -1, "new");
  EXPECT_EQ(Describe(OfJob(-1, "new"), 0).keys(), Levels{700});
  Expect(700, 700);
  account_.Remove(kDatabase, 1);
  Expect(700, 700);
}

TEST_F(RocksDBFileAccountTest, AFileOfAnotherFamilyIsNoInput) {
  Create(1, 5000, 1, -1, "another");
  Create(2, 700, 1);
  Compact(5, 1, 2, {1, 2});
  EXPECT_EQ(account_.sums().live_keys(), 5700u);
  End(5, {});
  EXPECT_EQ(account_.sums().live_keys(), 5000u);
}

TEST_F(RocksDBListedFilesTest, LevelsHaveTargets) {
  const auto targets = [&] {
    Levels targets;
    for (const filter::LevelFill& level : Describe().levels) targets.push_back(level.target_keys);
    return targets;
  };
  options_.targets.is_dynamic = false;
  options_.targets.ratio = 5;
  options_.base_bytes = 20000;  // of 2000 keys
  Begin();
  for (int level = 1; level < 4; ++level) Create(static_cast<uint64_t>(level), 1000, level);
  EXPECT_EQ(targets(), (Levels{HUGE_VAL, 2000, 10000, HUGE_VAL}));
  Flush(4, 3000);
  EXPECT_EQ(targets(), (Levels{HUGE_VAL, 3000, 10000, HUGE_VAL})) << "of a flush at least";
}

// RocksDB numbers flushes and compactions together, but several flushes may have one number.
TEST_F(RocksDBFileAccountTest, AFlushBelongsToNoJob) {
  Create(1, 1000, 1);
  Flush(2, 100);
  Compact(77, 1, 2, {1});
  account_.SetBits(OfFlush(), 3);
  const Tree tree = Describe(OfFlush(), 0);
  EXPECT_EQ(tree.keys(), (Levels{200, 0, 1000}));
  EXPECT_EQ(tree.bits()[2], 8);
  Flush(3, 100);
  EXPECT_EQ(Describe().keys(), (Levels{200, 0, 1000}));
}

TEST_F(RocksDBFileAccountTest, WhatIsUnknownIsNotDescribed) {
  EXPECT_FALSE(Describe().is_known) << "no file";
  Create(1, 100, 1);
  EXPECT_TRUE(Describe().is_known);
  EXPECT_FALSE(Describe(OfJob(7), kUnknownLevel).is_known);
  EXPECT_FALSE(Describe(OfJob(7, "other"), 1).is_known);
  FileCreation other = OfJob(7);
  other.database = "other";
  EXPECT_FALSE(Describe(other, 1).is_known);
  EXPECT_FALSE(Describe({}, 1).is_known);
  account_.SetBits(other, 5);
  account_.SetBits(OfJob(7), 5);
  EXPECT_FALSE(account_.MergesFlushes(other));
  // CompactFiles: a job that no event begins.
  EXPECT_EQ(Describe(OfJob(7), 3).file.keys, 0);
  EXPECT_EQ(Describe(OfJob(7), 3).keys(), (Levels{0, 100, 0, 0}));
  // Calls for a database that was not begun.
  account_.Create(other, 5, {1, 1}, 10);
  account_.Find("other", kFamily, 5, {1, 1}, 10);
  account_.BeginCompaction("other", kFamily, 7, 0, 1, {{1, true, {}, 0}});
  account_.EndCompaction("other", kFamily, 7, true, {});
  account_.Remove("other", 1);
  account_.ListAgain("other");
  account_.EndDatabase("other");
  Expect(100, 100);
}

TEST_F(RocksDBFileAccountTest, FamiliesAreCountedApart) {
  Create(1, 100, 1);
  Create(2, 200, 1, -1, "other");
  EXPECT_EQ(Describe().keys(), (Levels{0, 100}));
  EXPECT_EQ(Describe(OfJob(-1, "other"), 0).keys(), (Levels{0, 200}));
  Compact(7, 1, 2, {1});
  EXPECT_EQ(Describe(OfJob(-1, "other"), 0).keys(), (Levels{0, 200}));
  Expect(200, 300);
}

TEST_F(RocksDBFileAccountTest, NothingIsKeptOfWhatIsGone) {
  const size_t kept = account_.num_kept();
  for (int i = 0; i < 1000; ++i) {
    const std::string family = "family" + std::to_string(i);
    Create(1, 100, 1, -1, family);
    Create(2, 100, 1, -1, family);
    account_.BeginCompaction(kDatabase, family, i, 1, 2, {{1, true, {}, 0}, {2, true, {}, 0}});
    Create(3, 100, 2, i, family);
    EXPECT_EQ(account_.num_kept(), kept + 5);
    account_.EndCompaction(kDatabase, family, i, i % 2 == 0, {{3, 2}});
    for (uint64_t number = 1; number < 4; ++number) account_.Remove(kDatabase, number);
    EXPECT_EQ(account_.num_kept(), kept);
  }
  Create(1, 100, 1);
  Compact(7, 1, 2, {1});
  End(7, {});  // it dropped all keys
  EXPECT_EQ(account_.num_kept(), kept);
  Expect(0, 0);
}

TEST_F(RocksDBFileAccountTest, FilesHaveTheGrowthSinceTheyWereWritten) {
  const auto growth = [&] {
    return static_cast<double>(account_.sums().dated_shares) / FileSums::kAllKeys;
  };
  Create(1, 900, 1);
  EXPECT_NEAR(growth(), 1, 1e-6);
  Create(2, 90, 1);
  const double early = 1 + 90.0 / 900;  // the shares of the keys then
  EXPECT_NEAR(growth(), early, 1e-6);
  Create(3, 10, 1);
  EXPECT_NEAR(growth(), early + 10.0 / 990, 1e-6);
  // What is being compacted has none.
  Compact(7, 1, 2, {1});
  EXPECT_NEAR(growth(), 0.1 + 10.0 / 990, 1e-6);
  EXPECT_EQ(account_.sums().dated_keys, 100u);
  End(7, {}, false);
  EXPECT_NEAR(growth(), early + 10.0 / 990, 1e-6);
  for (uint64_t number = 1; number < 4; ++number) account_.Remove(kDatabase, number);
  EXPECT_EQ(account_.sums().dated_keys, 0u);
  EXPECT_EQ(account_.sums().dated_shares, 0u);
}

TEST_F(RocksDBListedFilesTest, TenThousandFilesAreDescribedAtOnce) {
  constexpr uint64_t kFiles = 10000;
  for (uint64_t i = 0; i < kFiles; ++i) {
    listed_.push_back({i + 1, kFamily, 1 + static_cast<int>(i % 6), 1000, 100});
  }
  using Clock = std::chrono::steady_clock;
  const auto micros = [](Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  const auto start = Clock::now();
  Begin();
  const auto listed = Clock::now();
  constexpr int kTimes = 1000;
  for (int i = 0; i < kTimes; ++i) ASSERT_TRUE(Describe(OfJob(-1), 1).is_known);
  const double describe_us = micros(Clock::now() - listed) / kTimes;
  std::printf("%d files: %.0f us to add, %.2f us to describe\n", static_cast<int>(kFiles),
              micros(listed - start), describe_us);
  EXPECT_LT(describe_us, 1000) << "files are not visited";
}

// A thread's objects may write files while it ends, after those of the account are gone.
TEST(RocksDBFileCreationTest, AThreadThatEndsMayWriteAFile) {
  static bool has_account = true;
  struct WritesAtTheEnd {
    ~WritesAtTheEnd() { has_account = engine::TakeFileCreation(0).account.lock() != nullptr; }
    bool is_used = false;
  };
  const auto account = std::make_shared<FileAccount>();
  std::thread([&account] {
    thread_local WritesAtTheEnd writer;
    writer.is_used = true;
    engine::FileCreation creation;
    creation.account = account;
    engine::BeginFileCreation(creation);
  }).join();
  EXPECT_FALSE(has_account);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_file_account_test
