// Which filter a file of a RocksDB database gets, over all that RocksDB may say of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::tests::rocksdb_level_choice_test {
namespace {

using engine::BitsWithoutAccount;
using engine::ChooseFilter;
using engine::FileAccount;
using engine::FileCreation;
using engine::FilterChoice;
using engine::LevelRules;
using engine::MakeSettings;
using engine::MergeHistory;
using engine::NewFile;
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
      EXPECT_EQ(settings->ChooseFor(Bottommost(level), {}, true).bits_per_key, 0);
      EXPECT_NE(settings->ChooseFor(Compacted(level), {}, true).bits_per_key, 0);
    }
    EXPECT_NE(settings->ChooseFor(Flushed(), {}, true).bits_per_key, 0);
  }
}

TEST(RocksDBLevelChoiceTest, WithoutLevelOptionsAllFilesAreAlike) {
  RocksDBFilterOptions options;
  for (const auto& [given, bits] : {std::pair(7.5, 7.5), {0.75, 1.0}, {0.25, 0.0}}) {
    options.bits_per_key = given;
    for (const NewFile& file : {Compacted(3), Bottommost(6), Flushed(), Compacted(-1)}) {
      const FilterChoice choice = SettingsFor(options)->ChooseFor(file, {}, true);
      EXPECT_EQ(choice.bits_per_key, bits);
      EXPECT_EQ(choice.format, Format::kBlocked);
      EXPECT_EQ(choice.missing, FilterChoice::Missing::kNothing);
    }
  }
  options.auto_bits_by_level = true;
  EXPECT_EQ(SettingsFor(options)->ChooseFor(Flushed(), {}, true).bits_per_key, 0)
      << "below half a bit";
}

// ---- Without an account.

TEST(RocksDBMergeHistoryTest, AMergeVouchesFor32Flushes) {
  MergeHistory merges;
  EXPECT_FALSE(merges.Add("", nullptr, Flushed()));
  for (const NewFile& flushed : {Flushed(), Recovered()}) {
    EXPECT_TRUE(merges.Add("", nullptr, Compacted(1)));
    int trusted = 0;
    while (merges.Add("", nullptr, flushed)) ++trusted;
    EXPECT_EQ(trusted, 32);
    EXPECT_FALSE(merges.Add("", nullptr, Compacted(0)));
  }
  EXPECT_TRUE(merges.Add("", nullptr, Bottommost(6)));
}

TEST(RocksDBMergeHistoryTest, FamiliesAndDatabasesAreToldApart) {
  MergeHistory merges;
  const int logs[2] = {};
  merges.Add("default", &logs[0], Compacted(1));
  EXPECT_FALSE(merges.Add("another", &logs[0], Flushed()));
  EXPECT_FALSE(merges.Add("default", &logs[1], Flushed()));
  EXPECT_TRUE(merges.Add("default", &logs[0], Flushed()));
}

TEST(RocksDBMergeHistoryTest, FilesWithoutLevelsSayNothing) {
  MergeHistory merges;
  for (const NewFile& file : {Universal(Compacted(5)), Fifo(Compacted(5)), WithoutDatabase()}) {
    merges.Add("", nullptr, file);
  }
  EXPECT_FALSE(merges.Add("", nullptr, Flushed()));
}

// The bound of rocksdb.h: 8 bits more in flushed files, while they are merged, and nowhere else.
TEST(RocksDBLevelChoiceTest, WithoutAnAccountOnlyLevel0HasMore) {
  for (const bool merges_flushes : {false, true}) {
    for (int level = 1; level < 7; ++level) {
      EXPECT_LT(BitsWithoutAccount(10, Compacted(level), merges_flushes), 10);
      EXPECT_LT(BitsWithoutAccount(10, Bottommost(level), merges_flushes), 10);
    }
    EXPECT_LT(BitsWithoutAccount(10, Bottommost(0), merges_flushes), 10) << "all keys may be in it";
  }
  EXPECT_LT(BitsWithoutAccount(10, Flushed(), false), 10);
  EXPECT_LT(BitsWithoutAccount(10, Compacted(0), false), 10);
  EXPECT_NEAR(BitsWithoutAccount(10, Flushed(), true), 18, 0.2);
  EXPECT_NEAR(BitsWithoutAccount(10, Recovered(), true), 18, 0.2);
  EXPECT_NEAR(BitsWithoutAccount(10, Compacted(0), true), 15, 0.2);
  EXPECT_LE(BitsWithoutAccount(10, Flushed(), true), 18);
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
  for (const bool merges_flushes : {false, true}) {
    for (const NewFile& file : {Flushed(), Compacted(0), Compacted(3), Bottommost(6)}) {
      const FilterChoice choice = settings->ChooseFor(file, {}, merges_flushes);
      EXPECT_EQ(choice.format, file.is_flush ? Format::kBloom : Format::kRibbon);
      EXPECT_NEAR(Memory(choice), BitsWithoutAccount(mean, file, merges_flushes), 0.05);
      EXPECT_EQ(choice.missing, FilterChoice::Missing::kAccount);
    }
  }
}

TEST(RocksDBLevelChoiceTest, FilesWithoutLevelsHaveTheBitsOfTheOptions) {
  for (const uint64_t limit : {0, 1000}) {
    RocksDBFilterOptions options = Auto(Format::kRibbon, 14.5);
    options.memory_bytes = limit;
    const SettingsPtr settings = SettingsFor(options);
    for (const NewFile& file : {Universal(Flushed()), Universal(Compacted(3)), Fifo(Flushed()),
                                Compacted(-1), WithoutDatabase()}) {
      const FilterChoice choice = settings->ChooseFor(file, {}, true);
      EXPECT_EQ(choice.bits_per_key, 14.5);
      EXPECT_FALSE(choice.is_limited);
      using Missing = FilterChoice::Missing;
      const Missing of_writer = limit == 0 ? Missing::kNothing : Missing::kDatabase;
      EXPECT_EQ(choice.missing, file.is_of_database ? Missing::kAccount : of_writer);
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_level_choice_test
