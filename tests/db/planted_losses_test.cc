// Filters are damaged so that some of their keys are lost, in every layout and in both engines.
// `bloomline db verify` must name exactly the keys that the engine no longer finds.
#include "tests/db/planted_losses.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/tool_run.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSeeds = 1;  // the command takes ten times as long to start
#else
constexpr uint64_t kSeeds = 2;
#endif

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

class PlantedLossesTest : public testing::TestWithParam<Kind> {
 protected:
  // Writes the database anew, and compares what verify says with what the engine finds.
  void Check(uint64_t seed) {
    const Kind& kind = GetParam();
    std::filesystem::remove_all(folder_);
    kind.write(folder_, keys_, seed);
    const ToolRun run = RunTool("db verify --threads 1 --max-errors 1000000 --json", folder_);
    ASSERT_FALSE(run.json.empty()) << run.text;
    const Keys lost = kind.lost ? kind.lost(folder_, keys_) : Keys();
    const Keys lost_prefixes = kind.lost_prefixes ? kind.lost_prefixes(folder_, keys_) : Keys();
    const Keys lost_to_ranges = kind.lost_to_ranges ? kind.lost_to_ranges(folder_, keys_) : Keys();
    std::set<std::string> said, said_prefixes, said_to_ranges;
    size_t num_said = 0;
    for (const auto& file : run.json["files"]) {
      std::ifstream stream(file["path"].get<std::string>(), std::ios::binary);
      const std::string table(std::istreambuf_iterator<char>(stream), {});
      for (const auto& key : file["lost_keys"]) {
        ++num_said;
        const std::string bytes = FromHex(key["key_hex"]);
        if (key.contains("prefix_hex")) {
          said_prefixes.insert(FromHex(key["prefix_hex"]));
        } else if (key["by_range"]) {
          said_to_ranges.insert(bytes);
        } else {
          said.insert(bytes);
        }
        // No key shares bytes with the one before it, so it is in the file as it is.
        const size_t offset = key["block_offset"];
        if (!kind.is_compressed) {
          EXPECT_LT(table.find(bytes, offset), offset + 2 * kind.block_bytes) << bytes;
        }
      }
    }
    EXPECT_EQ(Keys(said.begin(), said.end()), lost);
    EXPECT_EQ(Keys(said_prefixes.begin(), said_prefixes.end()), lost_prefixes);
    // Where a filter has lost the key, verify does not ask for its ranges.
    for (const std::string& key : lost_to_ranges) {
      EXPECT_TRUE(said_to_ranges.erase(key) == 1 || said.count(key) == 1) << key;
    }
    EXPECT_EQ(Keys(said_to_ranges.begin(), said_to_ranges.end()), Keys());
    EXPECT_EQ(run.json["lost"], num_said);
    const bool is_any_lost = !lost.empty() || !lost_prefixes.empty() || !lost_to_ranges.empty();
    EXPECT_EQ(run.exit_code, is_any_lost ? 1 : 0) << run.text;
    EXPECT_GE(run.json["files_checked"], kTables) << run.text;
    EXPECT_TRUE(run.json["not_checked"].empty()) << run.text;
    if (kind.lost) {
      EXPECT_EQ(run.json["keys_checked"], keys_.size());
    }
    EXPECT_EQ(run.json["prefixes_checked"] > 0, kind.lost_prefixes != nullptr) << run.text;
    EXPECT_EQ(run.json["ranges_checked"], kind.lost_to_ranges ? keys_.size() : 0) << run.text;
    planted_ += lost.size();
    planted_ranges_ += lost_to_ranges.size();
    planted_prefixes_ += lost_prefixes.size();
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("db");
  const Keys keys_ = MakeKeys(GetParam().num_keys);
  size_t planted_ = 0;
  size_t planted_prefixes_ = 0;
  size_t planted_ranges_ = 0;
};

TEST_P(PlantedLossesTest, AreFoundAndNothingElse) {
  Check(0);
  EXPECT_EQ(planted_ + planted_prefixes_ + planted_ranges_, 0u) << "not damaged";
  // More often where nothing was lost yet: the damage is of a kind that matters.
  constexpr uint64_t kMostSeeds = 50;
  const auto is_planted = [&] {
    return (planted_ > 0 || !GetParam().lost) &&
           (planted_prefixes_ > 0 || !GetParam().lost_prefixes) &&
           (planted_ranges_ > 0 || !GetParam().lost_to_ranges);
  };
  for (uint64_t seed = 1; seed <= kSeeds || (seed <= kMostSeeds && !is_planted()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Check(seed);
    if (HasFatalFailure()) return;
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
