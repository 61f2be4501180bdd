// Filters are damaged so that some of their keys are lost, in every layout and in both engines.
// `bloomline db verify` must name exactly the keys that the engine no longer finds.
//
// BLOOMLINE_TEST_SEEDS=N damages each database N times, not twice, and prints what was lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/db_tool/kinds.h"
#include "tests/db_tool/table_bytes.h"
#include "tests/db_tool/verify_output.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kSeeds = 1;  // the command takes ten times as long to start
#else
constexpr int kSeeds = 2;
#endif

int NumSeeds() {
  const char* seeds = std::getenv("BLOOMLINE_TEST_SEEDS");
  return seeds == nullptr ? kSeeds : std::max(1, std::atoi(seeds));
}

// 20 keys with each prefix.
Keys MakeKeys(int num_keys) {
  Keys keys;
  char key[32];
  for (int i = 0; i < num_keys; ++i) {
    std::snprintf(key, sizeof(key), "%08d/%09d", i / 20 * 3, 2 * i);
    keys.emplace_back(key);
  }
  return keys;
}

Keys Sorted(const std::vector<LostKey>& lost, std::string LostKey::*what) {
  std::set<std::string> names;
  for (const LostKey& key : lost) names.insert(key.*what);
  return Keys(names.begin(), names.end());
}

// From a single bit to a tenth of all.
void Damage(TableBytes* table, std::mt19937_64* random) {
  for (const Extent& filter : table->filters()) {
    const uint64_t most[] = {0, 1, 3, 1 + filter.bytes / 100, 1 + filter.bytes * 8 / 10};
    const uint64_t bits = most[(*random)() % std::size(most)];
    for (uint64_t i = 0; i < bits; ++i) {
      table->FlipBit(filter.offset + (*random)() % filter.bytes, static_cast<int>((*random)() % 8));
    }
  }
  table->UpdateChecksums();
}

class PlantedLossesTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    folder_ = dir_.Path("db");
    keys_ = MakeKeys(GetParam().num_keys);
    GetParam().write(folder_, keys_);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string extension = entry.path().extension();
      if (extension == ".sst" || extension == ".ldb") {
        tables_.emplace(entry.path().string(), TableBytes(ReadFile(entry.path())));
      }
    }
    ASSERT_GE(tables_.size(), size_t{kTables});
  }

  const TempDir dir_;
  std::string folder_;
  Keys keys_;
  std::map<std::string, TableBytes> tables_;
};

TEST_P(PlantedLossesTest, AreFoundAndNothingElse) {
  const Kind& kind = GetParam();
  {
    SCOPED_TRACE("undamaged");
    const VerifyOutput output = Verify(folder_);
    EXPECT_EQ(output.exit_code, 0) << output.text;
    EXPECT_EQ(output.num_lost, 0u) << output.text;
    EXPECT_EQ(output.num_unchecked, 0u) << output.text;
    EXPECT_GE(output.num_entries, keys_.size()) << output.text;
    if (kind.lost) {
      EXPECT_EQ(output.num_keys_checked, keys_.size()) << output.text;
      EXPECT_TRUE(kind.lost(folder_, keys_).empty());
    }
    EXPECT_EQ(output.num_prefixes_checked > 0, kind.lost_prefixes != nullptr) << output.text;
    if (kind.lost_prefixes) {
      EXPECT_EQ(kind.lost_prefixes(folder_, keys_), Keys());
    }
  }
  size_t planted = 0;
  size_t planted_prefixes = 0;
  // More often where nothing was lost yet: the damage is of a kind that matters.
  constexpr int kMostSeeds = 50;
  const auto is_planted = [&] {
    return (planted > 0 || !kind.lost) && (planted_prefixes > 0 || !kind.lost_prefixes);
  };
  for (int seed = 1; seed <= NumSeeds() || (seed <= kMostSeeds && !is_planted()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    for (const auto& [path, table] : tables_) {
      TableBytes damaged = table;
      Damage(&damaged, &random);
      WriteFile(path, damaged.bytes());
    }
    const VerifyOutput output = Verify(folder_);
    const Keys lost = kind.lost ? kind.lost(folder_, keys_) : Keys();
    const Keys prefixes = kind.lost_prefixes ? kind.lost_prefixes(folder_, keys_) : Keys();
    EXPECT_EQ(Sorted(output.keys, &LostKey::key), lost);
    EXPECT_EQ(Sorted(output.prefixes, &LostKey::prefix), prefixes);
    EXPECT_EQ(output.num_lost, output.keys.size() + output.prefixes.size());
    EXPECT_EQ(output.exit_code, lost.empty() && prefixes.empty() ? 0 : 1) << output.text;
    planted += lost.size();
    planted_prefixes += prefixes.size();
    if (kind.is_compressed) continue;
    for (const auto* found : {&output.keys, &output.prefixes}) {
      for (const LostKey& key : *found) {
        const auto table = tables_.find(key.file);
        ASSERT_NE(table, tables_.end()) << key.file;
        EXPECT_TRUE(table->second.BlockHasKey(key.block_offset, key.key))
            << key.key << " at " << key.block_offset << " in " << key.file;
      }
    }
  }
  if (std::getenv("BLOOMLINE_TEST_SEEDS") != nullptr) {
    std::printf("%s: %zu keys and %zu prefixes lost\n", kind.name.c_str(), planted,
                planted_prefixes);
  }
  EXPECT_TRUE(is_planted());
}

std::string NameOf(const testing::TestParamInfo<Kind>& info) { return info.param.name; }

#ifdef BLOOMLINE_TEST_ROCKSDB
INSTANTIATE_TEST_SUITE_P(RocksDB, PlantedLossesTest, testing::ValuesIn(RocksDBKinds()), NameOf);
#endif
#ifdef BLOOMLINE_TEST_LEVELDB
INSTANTIATE_TEST_SUITE_P(LevelDB, PlantedLossesTest, testing::ValuesIn(LevelDBKinds()), NameOf);
#endif

}  // namespace
}  // namespace bloomline::tests
