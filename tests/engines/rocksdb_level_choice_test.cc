// Which filter a file of a RocksDB database gets, over all that RocksDB may say of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/filter/sizing/left_over.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::tests::rocksdb_level_choice_test {
namespace {

using engine::BitsWithoutAccount;
using engine::ChooseFilter;
using engine::FileAccount;
using engine::FileCreation;
using engine::FilterChoice;
using engine::LevelHistory;
using engine::LevelRules;
using engine::MakeSettings;

using engine::NewFile;
using engine::SeenLevels;
using engine::SettingsPtr;

NewFile Compacted(int level) {
  NewFile file;
  file.level = level;
  return file;
}

NewFile Bottommost(int level) {
  NewFile file = Compacted(level);
  file.is_bottommost = true;
  return file;
}

NewFile Flushed() {
  NewFile file = Compacted(0);
  file.is_flush = true;
  return file;
}

NewFile Recovered() {
  NewFile file = Compacted(0);
  file.is_recovered = true;
  return file;
}

NewFile Universal(NewFile file) {
  file.has_levels = false;
  return file;
}

NewFile Fifo(NewFile file) {
  file.has_levels = file.is_compacted_later = false;
  return file;
}

NewFile WithoutDatabase() {
  NewFile file;
  file.is_of_database = false;
  return file;
}

SettingsPtr SettingsFor(const RocksDBFilterOptions& options) {
  std::string error;
  SettingsPtr settings = MakeSettings(options, &error);
  EXPECT_NE(settings, nullptr) << error;
  return settings;
}

double Bits(const LevelRules& rules, const NewFile& file) {
  return ChooseFilter(rules, file).bits_per_key;
}

RocksDBFilterOptions Auto(Format format, double bits_per_key) {
  RocksDBFilterOptions options(FilterOptions{format, bits_per_key});
  options.auto_bits_by_level = true;
  return options;
}

// ---- Without other files.

TEST(RocksDBLevelChoiceTest, AListIsByLevelAndItsLastNumberForAllBelow) {
  RocksDBFilterOptions options;
  options.bits_by_level = {24, 20, 0, 9};
  const LevelRules rules = SettingsFor(options)->levels;
  const double expected[] = {24, 20, 0, 9, 9, 9, 9};
  for (int level = 0; level < 7; ++level) {
    for (const NewFile& file : {Compacted(level), Bottommost(level), Universal(Compacted(level))}) {
      EXPECT_EQ(Bits(rules, file), expected[level]);
    }
  }
  EXPECT_EQ(Bits(rules, Flushed()), 24);
  EXPECT_EQ(Bits(rules, Compacted(-1)), 10) << "the level is unknown";
}

TEST(RocksDBLevelChoiceTest, BitsStayInTheRangeOfTheFormat) {
  LevelRules rules;
  rules.rule = LevelRules::Rule::kByLevel;
  rules.level_bits = {0.5, 160, 0};
  EXPECT_EQ(Bits(rules, Flushed()), kMinBitsPerKey);
  EXPECT_EQ(Bits(rules, Compacted(1)), kMaxBitsPerKey);
  EXPECT_EQ(Bits(rules, Compacted(2)), 0) << "no filter is not the smallest filter";
}

TEST(RocksDBLevelChoiceTest, NoFilterAtTheBottomIsForBottommostFilesAlone) {
  RocksDBFilterOptions options;
  options.filters_at_bottom = false;
  for (const bool by_level : {false, true}) {
    options.auto_bits_by_level = by_level;
    const SettingsPtr settings = SettingsFor(options);
    for (int level = 0; level < 7; ++level) {
      EXPECT_EQ(settings->ChooseFor(Bottommost(level), {}, {}).bits_per_key, 0);
      EXPECT_NE(settings->ChooseFor(Compacted(level), {}, {}).bits_per_key, 0);
    }
    EXPECT_NE(settings->ChooseFor(Flushed(), {}, {}).bits_per_key, 0);
  }
}

TEST(RocksDBLevelChoiceTest, WithoutLevelOptionsAllFilesAreAlike) {
  RocksDBFilterOptions options;
  for (const auto& [given, bits] : {std::pair(7.5, 7.5), {0.75, 1.0}, {0.25, 0.0}}) {
    options.bits_per_key = given;
    for (const NewFile& file : {Compacted(3), Bottommost(6), Flushed(), Compacted(-1)}) {
      const FilterChoice choice = SettingsFor(options)->ChooseFor(file, {}, {});
      EXPECT_EQ(choice.bits_per_key, bits);
      EXPECT_EQ(choice.format, Format::kBlocked);
      EXPECT_EQ(choice.missing, FilterChoice::Missing::kNothing);
    }
  }
  options.auto_bits_by_level = true;
  EXPECT_EQ(SettingsFor(options)->ChooseFor(Flushed(), {}, {}).bits_per_key, 0)
      << "below half a bit";
}

// ---- Without an account.

TEST(RocksDBLevelHistoryTest, AMergeVouchesFor32Flushes) {
  LevelHistory history;
  const auto is_trusted = [&](const NewFile& file) {
    return history.Add("", nullptr, file).merges_flushes;
  };
  EXPECT_FALSE(is_trusted(Flushed()));
  for (const NewFile& flushed : {Flushed(), Recovered()}) {
    EXPECT_TRUE(is_trusted(Compacted(1)));
    int trusted = 0;
    while (trusted < 100 && is_trusted(flushed)) ++trusted;
    EXPECT_EQ(trusted, 32);
    EXPECT_FALSE(is_trusted(Compacted(0)));
  }
  EXPECT_TRUE(is_trusted(Bottommost(6)));
}

TEST(RocksDBLevelHistoryTest, KnowsTheFirstLevelAndTheDeepest) {
  LevelHistory history;
  const auto expect = [&](const NewFile& file, int top, int deepest) {
    const SeenLevels seen = history.Add("", nullptr, file);
    EXPECT_EQ(seen.top, top);
    EXPECT_EQ(seen.deepest, deepest);
  };
  expect(Bottommost(2), 2, 2);
  expect(Compacted(2), 2, 3);
  expect(Bottommost(2), 2, 3);
  expect(Bottommost(6), 2, 6);
  expect(Compacted(1), 1, 6);
  expect(Flushed(), 1, 6);
  expect(Universal(Bottommost(9)), 1, 6);
}

TEST(RocksDBLevelHistoryTest, FamiliesAndDatabasesAreToldApart) {
  LevelHistory history;
  const int logs[2] = {};
  history.Add("default", &logs[0], Compacted(1));
  EXPECT_FALSE(history.Add("another", &logs[0], Flushed()).merges_flushes);
  EXPECT_FALSE(history.Add("default", &logs[1], Flushed()).merges_flushes);
  EXPECT_TRUE(history.Add("default", &logs[0], Flushed()).merges_flushes);
}

TEST(RocksDBLevelHistoryTest, FilesWithoutLevelsSayNothing) {
  LevelHistory history;
  for (const NewFile& file : {Universal(Compacted(5)), Fifo(Compacted(5)), WithoutDatabase()}) {
    history.Add("", nullptr, file);
  }
  EXPECT_FALSE(history.Add("", nullptr, Flushed()).merges_flushes);
}

constexpr SeenLevels kNothingSeen = {};
// Levels 3 to 6 have files.
constexpr SeenLevels kFourLevels = {true, 3, 6};

TEST(RocksDBLevelChoiceTest, WithoutAnAccountBottommostFilesLeaveWhatOthersTake) {
  for (const SeenLevels& seen : {kNothingSeen, kFourLevels}) {
    for (int level = 0; level < 7; ++level) {
      EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, Bottommost(level), seen), 9.4);
    }
  }
}

TEST(RocksDBLevelChoiceTest, WithoutAnAccountLevelsAboveHaveMore) {
  const auto bits = [](int level) { return BitsWithoutAccount(10, Compacted(level), kFourLevels); };
  EXPECT_DOUBLE_EQ(bits(7), 10.1) << "no deeper level was seen";
  EXPECT_DOUBLE_EQ(bits(6), 10.1);
  EXPECT_DOUBLE_EQ(bits(5), 10.1);
  EXPECT_DOUBLE_EQ(bits(4), 10.9);
  EXPECT_DOUBLE_EQ(bits(3), 12.4);
  EXPECT_DOUBLE_EQ(bits(1), 12.4);
}

TEST(RocksDBLevelChoiceTest, WithoutAnAccountLevel0HasMoreWhileItIsMerged) {
  for (const NewFile& file : {Flushed(), Recovered(), Compacted(0)}) {
    EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, file, kNothingSeen), 9.4);
  }
  EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, Compacted(0), kFourLevels), 13.4);
  for (const NewFile& file : {Flushed(), Recovered()}) {
    EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, file, kFourLevels), 14.4);
    EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, file, {true, 4, 6}), 14.4);
    EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, file, {true, 5, 6}), 13.4);
    EXPECT_DOUBLE_EQ(BitsWithoutAccount(10, file, {true, 6, 6}), 12.4);
  }
}

// The memory per key of the file's filter.
double Memory(const FilterChoice& choice) {
  return filter::MemoryBits(choice.format, choice.bits_per_key);
}

TEST(RocksDBLevelChoiceTest, WithoutAnAccountBitsAreOfMemory) {
  RocksDBFilterOptions options = Auto(Format::kRibbon, 14.5);
  options.flush_format = Format::kBloom;
  const SettingsPtr settings = SettingsFor(options);
  const double mean = filter::MemoryBits(Format::kRibbon, 14.5);
  for (const SeenLevels& seen : {kNothingSeen, kFourLevels}) {
    for (const NewFile& file : {Flushed(), Compacted(0), Compacted(3), Bottommost(6)}) {
      const FilterChoice choice = settings->ChooseFor(file, {}, seen);
      EXPECT_EQ(choice.format, file.is_flush ? Format::kBloom : Format::kRibbon);
      EXPECT_NEAR(Memory(choice), BitsWithoutAccount(mean, file, seen), 0.05);
      EXPECT_EQ(choice.missing, FilterChoice::Missing::kAccount);
    }
  }
}

// Bloom filters of 14.5 bits would take half as much again.
TEST(RocksDBLevelChoiceTest, WithoutAnAccountUniversalFilesHaveTheSameMemory) {
  RocksDBFilterOptions options = Auto(Format::kRibbon, 14.5);
  options.flush_format = Format::kBloom;
  const SettingsPtr settings = SettingsFor(options);
  for (const NewFile& file : {Universal(Flushed()), Universal(Compacted(3))}) {
    const FilterChoice choice = settings->ChooseFor(file, {}, kFourLevels);
    EXPECT_NEAR(Memory(choice), filter::MemoryBits(Format::kRibbon, 14.5), 0.05);
  }
}

TEST(RocksDBLevelChoiceTest, FilesWithoutLevelsHaveTheBitsOfTheOptions) {
  for (const uint64_t limit : {0, 1000}) {
    RocksDBFilterOptions options = Auto(Format::kRibbon, 14.5);
    options.memory_bytes = limit;
    const SettingsPtr settings = SettingsFor(options);
    for (const NewFile& file : {Universal(Flushed()), Universal(Compacted(3)), Fifo(Flushed()),
                                Compacted(-1), WithoutDatabase()}) {
      const FilterChoice choice = settings->ChooseFor(file, {}, kFourLevels);
      EXPECT_EQ(choice.bits_per_key, 14.5);
      EXPECT_FALSE(choice.is_limited);
      using Missing = FilterChoice::Missing;
      const Missing of_writer = limit == 0 ? Missing::kNothing : Missing::kDatabase;
      EXPECT_EQ(choice.missing, file.is_of_database ? Missing::kAccount : of_writer);
    }
  }
}

// ---- With an account.

// A database of a million keys in the last level, 100,000 above it, and files of 10,000 keys in
// level 0.
class RocksDBAccountedChoiceTest : public testing::Test {
 protected:
  RocksDBAccountedChoiceTest() {
    account_->BeginDatabase("db", [](engine::LevelOptions*) -> std::vector<engine::ListedFile> {
      return {{1, "default", 6, 50000000, 1000000},
              {2, "default", 5, 5000000, 100000},
              {3, "default", 0, 500000, 10000}};
    });
  }

  FileCreation Creation(bool is_flush, const std::string& database = "db") const {
    FileCreation creation;
    creation.account = account_;
    creation.database = database;
    creation.family = "default";
    creation.job = 7;
    creation.is_flush = is_flush;
    return creation;
  }
  FilterChoice ChooseFlushed(const RocksDBFilterOptions& options) const {
    return SettingsFor(options)->ChooseFor(Flushed(), Creation(true), {});
  }
  // What the account and the rule say of a file.
  double BitsByRule(const filter::PromisedMemory& promise, const NewFile& file) const {
    filter::TreeFill tree;
    filter::NewFilter filter;
    EXPECT_TRUE(account_->Describe(Creation(file.is_flush), file.level, promise.mean_bits, true,
                                   &tree, &filter));
    return filter::LeftOverBits(promise, tree, filter);
  }

  const std::shared_ptr<FileAccount> account_ = std::make_shared<FileAccount>();
};

TEST_F(RocksDBAccountedChoiceTest, BitsOfMemoryAreThoseOfTheRule) {
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    RocksDBFilterOptions options = Auto(format, 14.5);
    options.flush_format = Format::kBloom;
    const SettingsPtr settings = SettingsFor(options);
    const double mean = filter::MemoryBits(format, 14.5);
    for (NewFile file : {Flushed(), Compacted(5), Bottommost(6)}) {
      for (const bool has_levels : {true, false}) {
        file.has_levels = has_levels;
        const FilterChoice choice = settings->ChooseFor(file, Creation(file.is_flush), {});
        EXPECT_EQ(choice.format, file.is_flush ? Format::kBloom : format);
        EXPECT_NEAR(Memory(choice), BitsByRule({format, mean}, file), 0.04) << file.level;
        EXPECT_EQ(choice.missing, FilterChoice::Missing::kNothing);
        EXPECT_FALSE(choice.is_limited);
      }
    }
    // StockPolicies keeps one policy for each number.
    const double bits = settings->ChooseFor(Compacted(5), Creation(false), {}).bits_per_key;
    EXPECT_EQ(bits * 32, std::floor(bits * 32));
  }
}

// Of filters that were not read, nobody knows whether they leave memory.
TEST_F(RocksDBAccountedChoiceTest, FlushedFilesGetWhatKnownFiltersLeave) {
  const RocksDBFilterOptions options = Auto(Format::kBlocked, 10);
  EXPECT_LT(ChooseFlushed(options).bits_per_key, 11);
  account_->Read("db", 1, {1200000, 1000000});
  EXPECT_GT(ChooseFlushed(options).bits_per_key, 13);
}

// An account that is behind, and files of which it knows no level.
TEST_F(RocksDBAccountedChoiceTest, WhatTheAccountDoesNotKnowHasThePromisedMean) {
  RocksDBFilterOptions options = Auto(Format::kRibbon, 14.5);
  options.flush_format = Format::kBloom;
  const SettingsPtr settings = SettingsFor(options);
  const double mean = filter::MemoryBits(Format::kRibbon, 14.5);
  for (const NewFile& file :
       {Flushed(), Recovered(), Compacted(5), Compacted(-1), Fifo(Compacted(0))}) {
    const bool is_unknown = file.level >= 0 && file.is_compacted_later;
    const FilterChoice choice =
        settings->ChooseFor(file, Creation(file.is_flush, is_unknown ? "another" : "db"), {});
    EXPECT_NEAR(Memory(choice), mean, 0.03) << file.level;
    if (choice.format == Format::kRibbon) {
      EXPECT_EQ(choice.bits_per_key, 14.5);
    }
  }
}

TEST_F(RocksDBAccountedChoiceTest, TheAccountLearnsTheBitsOfTheJob) {
  const auto memory_bits = [&] {
    filter::TreeFill tree;
    filter::NewFilter unused;
    EXPECT_TRUE(account_->Describe(Creation(true), 0, 10, true, &tree, &unused));
    return tree.levels[6].memory_bits;
  };
  account_->BeginCompaction("db", "default", 7, 5, 6, {{1, false, {}, 0}, {2, true, {}, 0}});
  EXPECT_NEAR(memory_bits(), 1100000 * 10, 1);
  const FilterChoice choice =
      SettingsFor(Auto(Format::kBlocked, 8))->ChooseFor(Bottommost(6), Creation(false), {});
  EXPECT_LT(choice.bits_per_key, 8.5);
  EXPECT_NEAR(memory_bits(), 1100000 * choice.bits_per_key, 1);
}

TEST_F(RocksDBAccountedChoiceTest, ALimitLowersTheMean) {
  RocksDBFilterOptions options(FilterOptions{Format::kBlocked, 16});
  options.memory_bytes = 1110000;  // 8 bits for each key
  const FilterChoice limited = ChooseFlushed(options);
  EXPECT_TRUE(limited.is_limited);
  EXPECT_NEAR(limited.bits_per_key,
              BitsByRule({Format::kBlocked, 8, engine::kLeastPart}, Flushed()), 0.04);
  EXPECT_TRUE(account_->wants_sizes());
  options.memory_bytes = 3 * 1110000;
  const FilterChoice free = ChooseFlushed(options);
  EXPECT_FALSE(free.is_limited);
  EXPECT_EQ(free.bits_per_key, ChooseFlushed(Auto(Format::kBlocked, 16)).bits_per_key);
  // All files alike.
  options.memory_bytes = 1110000;
  const FilterChoice fifo = SettingsFor(options)->ChooseFor(Fifo(Flushed()), Creation(true), {});
  EXPECT_EQ(fifo.bits_per_key, 8);
  EXPECT_TRUE(fifo.is_limited);
}

// The last level gets its part of the forecast, also if old filters take more than the limit.
TEST_F(RocksDBAccountedChoiceTest, ALimitIsNoCapAtTheBottom) {
  account_->Read("db", 2, {400000, 100000});
  account_->BeginCompaction("db", "default", 7, 6, 6, {{1, true, {}, 0}});
  RocksDBFilterOptions options(FilterOptions{Format::kBlocked, 16});
  options.memory_bytes = 1110000;
  const FilterChoice choice = SettingsFor(options)->ChooseFor(Bottommost(6), Creation(false), {});
  const double capped = BitsByRule({Format::kBlocked, 8, engine::kLeastPart}, Bottommost(6));
  EXPECT_GT(choice.bits_per_key, capped + 0.5);
}

// Filters that were written before the database grew take all of the limit. New files still get
// kLeastPart of what is best with all of it.
TEST_F(RocksDBAccountedChoiceTest, OldFiltersDoNotStarveNewFiles) {
  account_->Read("db", 1, {4000000, 1000000});
  RocksDBFilterOptions options(FilterOptions{Format::kBlocked, 16});
  options.memory_bytes = 1110000;
  const double bits = ChooseFlushed(options).bits_per_key;
  EXPECT_GT(bits, 10);
  EXPECT_LT(BitsByRule({Format::kBlocked, 8}, Flushed()), 6);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_level_choice_test
