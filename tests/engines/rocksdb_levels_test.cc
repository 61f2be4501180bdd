// Filters by level in RocksDB databases whose files are made, merged and moved by RocksDB itself.
//
// BLOOMLINE_TEST_KEYS in the environment: the keys of each database. With it, the tests print what
// the filters of each level cost and save (docs/rocksdb.md):
//
//   BLOOMLINE_TEST_KEYS=1000000 build/dev/tests/rocksdb_levels_test --gtest_filter=*Uniform*
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/container/trailer.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

RocksDBFilterOptions CompactByLevel() {
  RocksDBFilterOptions options;
  options.format = Format::kCompact;
  options.auto_bits_by_level = true;
  return options;
}

const char* const wanted_keys = std::getenv("BLOOMLINE_TEST_KEYS");
const uint64_t kKeys = wanted_keys == nullptr ? 90000 : std::strtoull(wanted_keys, nullptr, 10);

std::string Ascending(uint64_t i) {
  const std::string digits = std::to_string(i);
  return std::string(10 - digits.size(), '0') + digits;
}

constexpr int kAllLevels = -1;

// What the files of one level have in all.
struct LevelFilters {
  int files = 0;
  double keys = 0;
  double bits = 0;
  double bits_per_key() const { return bits / keys; }
};

class Database : public AccountedDatabase {
 public:
  explicit Database(const std::string& path, const RocksDBFilterOptions& filter = CompactByLevel())
      : AccountedDatabase(path, nullptr, filter) {
    options().write_buffer_size = 128 << 10;
    options().target_file_size_base = 64 << 10;
    options().max_bytes_for_level_base = 256 << 10;
    options().statistics = rocksdb::CreateDBStatistics();
  }

  // kAllLevels has the sum.
  std::map<int, LevelFilters> filters() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db()->GetLiveFilesMetaData(&files);
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db()->GetPropertiesOfAllTables(&tables).ok());
    EXPECT_EQ(files.size(), tables.size());
    std::map<int, LevelFilters> filters;
    for (const auto& [name, properties] : tables) {
      for (const auto& file : files) {
        if (name.rfind(file.name) == std::string::npos) continue;
        for (const int level : {file.level, kAllLevels}) {
          filters[level].files += 1;
          filters[level].keys += static_cast<double>(properties->num_entries);
          filters[level].bits += 8 * static_cast<double>(properties->filter_size);
        }
      }
    }
    return filters;
  }

  // Prints what the filters cost, and save in lookups of missing keys, if that is wanted.
  void Print(const char* what, std::string (*missing)(uint64_t i)) {
    if (wanted_keys == nullptr) return;
    constexpr uint64_t kLookups = 500000;
    std::string value;
    EXPECT_TRUE(options().statistics->Reset().ok());
    for (uint64_t i = 0; i < kLookups; ++i) {
      EXPECT_TRUE(db()->Get({}, missing(i), &value).IsNotFound());
    }
    const uint64_t positives =
        options().statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    std::printf("%s: %.3f %% wasted reads\n", what,
                100.0 * static_cast<double>(positives) / kLookups);
    for (const auto& [level, of_level] : filters()) {
      std::printf("  level %2d %9.0f keys %6.2f bits per key\n", level, of_level.keys,
                  of_level.bits_per_key());
    }
  }
};

// Both are within the range of the keys.
std::string MissingScattered(uint64_t i) { return Key(kKeys + 1000000 + i); }
std::string MissingAscending(uint64_t i) { return Ascending(i % kKeys) + "+"; }

class LevelStyleTest : public testing::TestWithParam<bool> {
#ifdef __SANITIZE_ADDRESS__
  void SetUp() override {
    GTEST_SKIP() << "most of its time is RocksDB's, which is not instrumented";
  }
#endif
};
INSTANTIATE_TEST_SUITE_P(, LevelStyleTest, testing::Bool(), [](const auto& dynamic) {
  return dynamic.param ? "DynamicLevels" : "StaticLevels";
});

TEST_P(LevelStyleTest, MergedLevelsTakeAboutTheMemoryOfUniformBits) {
  TempDir dir;
  Database database(dir.Path("db"));
  database.options().level_compaction_dynamic_level_bytes = GetParam();
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, kKeys);
  if (HasFatalFailure()) return;
  database.Print("by level", MissingScattered);
  if (wanted_keys != nullptr) {
    RocksDBFilterOptions uniform;
    uniform.format = Format::kCompact;
    Database compared(dir.Path("uniform"), uniform);
    compared.options().level_compaction_dynamic_level_bytes = GetParam();
    ASSERT_TRUE(compared.Open().ok());
    compared.Fill(0, kKeys);
    compared.Print("uniform", MissingScattered);
  }
  std::map<int, LevelFilters> filters = database.filters();
  uint64_t num_keys = kKeys;
  // On a busy machine, compactions sometimes leave the bottom alone.
  for (int tries = 0; filters.size() < 3 && tries < 4; ++tries, num_keys += 2000) {
    database.Fill(num_keys, 2000);
    filters = database.filters();
  }
  const double all = filters.at(kAllLevels).bits_per_key();
  EXPECT_GE(filters.size(), 3u) << "too few levels for the test";
  EXPECT_GT(all, 9.4);
  // Static levels: while the deepest has few files, most keys are one level above it, and have 13.5
  // bits as soon as data lies below them.
  EXPECT_LT(all, GetParam() ? 11.5 : 13.8);
  const double bottom = filters.rbegin()->second.bits_per_key();
  const double top = std::next(filters.begin())->second.bits_per_key();
  EXPECT_GT(top, bottom + 2);
  database.ExpectNoKeyLost(num_keys);
  database.Close();
  ASSERT_TRUE(database.Open().ok());
  database.ExpectNoKeyLost(num_keys);
  // The whole database is the bottom then.
  database.Compact();
  // 9.55, and a trailer for each of the small files.
  EXPECT_NEAR(database.filters().at(kAllLevels).bits_per_key(), 9.7, 0.2);
  database.ExpectNoKeyLost(num_keys);
}

// RocksDB moves files of ascending keys from level to level as they are.
TEST_P(LevelStyleTest, MovedFilesTakeTheMemoryOfUniformBits) {
  TempDir dir;
  Database database(dir.Path("db"));
  database.options().level_compaction_dynamic_level_bytes = GetParam();
  ASSERT_TRUE(database.Open().ok());
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(database.db()->Put({}, Ascending(i), "a value of some length").ok());
  }
  database.Flush();
  database.Wait();
  const std::map<int, LevelFilters> filters = database.filters();
  database.Print("ascending keys, by level", MissingAscending);
  EXPECT_GE(filters.size(), 3u) << "nothing was moved";
  EXPECT_NEAR(filters.at(kAllLevels).bits_per_key(), 10.1, 0.15);
  std::string value;
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(database.db()->Get({}, Ascending(i), &value).ok()) << "lost key " << i;
  }
}

class OtherStyleTest : public testing::TestWithParam<rocksdb::CompactionStyle> {};
INSTANTIATE_TEST_SUITE_P(UniversalAndFifo, OtherStyleTest,
                         testing::Values(rocksdb::kCompactionStyleUniversal,
                                         rocksdb::kCompactionStyleFIFO));

TEST_P(OtherStyleTest, AllFilesHaveUniformBits) {
  TempDir dir;
  Database database(dir.Path("db"));
  database.options().level_compaction_dynamic_level_bytes = false;
  database.options().compaction_style = GetParam();
  database.options().max_open_files = -1;
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, kKeys / 2);
  if (HasFatalFailure()) return;
  database.Print("without levels", MissingScattered);
  for (const auto& [level, filters] : database.filters()) {
    // Flushes and compactions take turns as the scheduler likes, so a level may have a few small
    // files, whose filters are rounded up to whole blocks.
    const double rounding = 512.0 * filters.files / filters.keys;
    EXPECT_GT(filters.bits_per_key(), 9.8) << "level " << level;
    EXPECT_LT(filters.bits_per_key(), 10.3 + rounding) << "level " << level;
    if (level == kAllLevels) {
      EXPECT_LT(rounding, 1);  // else this could not fail
    }
  }
  database.ExpectNoKeyLost(kKeys / 2);
}

filter::Layout LayoutOf(const rocksdb::FilterPolicy& policy,
                        rocksdb::TableFileCreationReason reason) {
  const rocksdb::BlockBasedTableOptions table_options;
  rocksdb::FilterBuildingContext context(table_options);
  context.level_at_creation = 0;
  context.num_levels = 7;
  context.reason = reason;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy.GetBuilderWithContext(context));
  for (int i = 0; i < 1000; ++i) builder->AddKey(std::to_string(i));
  std::unique_ptr<const char[]> buffer;
  const rocksdb::Slice filter = builder->Finish(&buffer);
  return filter::DecodeTrailer({filter.data(), filter.size()}).layout;
}

TEST(RocksDBLevelsTest, FlushesAndRecoveryHaveTheirOwnFormat) {
  using rocksdb::TableFileCreationReason;
  RocksDBFilterOptions options = CompactByLevel();
  options.flush_format = Format::kBlocked;
  const std::shared_ptr<const rocksdb::FilterPolicy> policy = NewRocksDBFilterPolicy(options);
  EXPECT_EQ(LayoutOf(*policy, TableFileCreationReason::kFlush), filter::Layout::kBlocked);
  EXPECT_EQ(LayoutOf(*policy, TableFileCreationReason::kRecovery), filter::Layout::kBlocked);
  EXPECT_EQ(LayoutOf(*policy, TableFileCreationReason::kCompaction), filter::Layout::kCompact);
  EXPECT_EQ(LayoutOf(*policy, TableFileCreationReason::kMisc), filter::Layout::kCompact);
}

TEST(RocksDBLevelsTest, RefusesOptionsThatDoNotFitTogether) {
  const struct {
    void (*change)(RocksDBFilterOptions* options);
    const char* reason;
  } kCases[] = {
      {[](auto* o) {
         o->bits_by_level = {10, 25};
       },
       "has 25 for level 1; allowed: 3 to 24"},
      {[](auto* o) {
         o->bits_by_level = {10, -1};
       },
       "bits_by_level has -1 for level 1"},
      {[](auto* o) { o->bits_by_level = {std::nan("")}; }, "bits_by_level has nan for level 0"},
      {[](auto* o) { o->bits_by_level.assign(65, 10); }, "65 numbers; allowed: at most 64"},
      {[](auto* o) {
         o->bits_by_level = {10};
         o->auto_bits_by_level = true;
       },
       "allowed: one of the two"},
      {[](auto* o) {
         o->format = Format::kBlocked;
         o->flush_format = Format::kCompact;
         o->bits_by_level = {30, 10};
       },
       "has 30 for level 0; allowed: 3 to 24 in format compact"},
      {[](auto* o) {
         o->format = Format::kBlocked;
         o->flush_format = Format::kCompact;
         o->bits_per_key = 30;
       },
       "with flush_format, bits_per_key is 30; allowed: 3 to 24"},
      {[](auto* o) { o->flush_format = Format::kClassic; }, "format is classic"},
      {[](auto* o) { o->num_levels = 1; }, "num_levels is 1; allowed: 2 to 64"},
      {[](auto* o) { o->num_levels = 65; }, "num_levels is 65; allowed: 2 to 64"},
      {[](auto* o) { o->num_levels = -1; }, "num_levels is -1"},
      {[](auto* o) { o->level_size_ratio = 0.5; }, "level_size_ratio is 0.5; allowed: 1 to 1000"},
      {[](auto* o) { o->level_size_ratio = std::nan(""); }, "level_size_ratio is nan"},
      {[](auto* o) { o->bits_per_key = 25; }, "bits_per_key is 25; allowed: 3 to 24"},
  };
  for (const auto& c : kCases) {
    RocksDBFilterOptions options;
    options.format = Format::kCompact;
    EXPECT_EQ(options.Validate(), "");
    c.change(&options);
    std::string error;
    EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr) << c.reason;
    EXPECT_EQ(error, options.Validate());
    EXPECT_NE(error.find(c.reason), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace bloomline::tests
