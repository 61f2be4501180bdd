// Filters are damaged so that some of their keys are lost, in every layout and in both engines.
// `bloomline db verify` must name exactly the keys that the engine no longer finds.
#include "tests/db/planted_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/cli/tool_run.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::planted_losses_test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSeeds = 1;  // the command takes ten times as long to start
#else
constexpr uint64_t kSeeds = 2;
#endif

// 20 keys with each prefix. A query of one key looks up only some of so many parts.
Keys MakeKeys(int num_keys) {
  Keys keys;
  char key[32];
  for (int i = 0; i < num_keys; ++i) {
    std::snprintf(key, sizeof(key), "%08d/0/0/0/0/%09d", i / 20 * 3, 2 * i);
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
    std::map<Loss, Keys> lost;
    for (const auto& [loss, find] : kind.lost) {
      lost[loss] = find(folder_, keys_);
      planted_[loss] += lost[loss].size();
    }
    std::map<Loss, std::set<std::string>> said;
    size_t num_said = 0;
    for (const auto& file : run.json["files"]) {
      const std::string table = ReadFile(file["path"]);
      for (const auto& key : file["lost_keys"]) {
        ++num_said;
        const bool is_prefix = key["by"] == "prefix";
        const Loss loss = is_prefix              ? Loss::kPrefix
                          : key["by"] == "range" ? Loss::kRange
                                                 : Loss::kKey;
        const std::string bytes = FromHex(key["key_hex"]);
        said[loss].insert(is_prefix ? FromHex(key["prefix_hex"]) : bytes);
        // No key shares bytes with the one before it, so it is in the file as it is.
        const size_t offset = key["block_offset"];
        EXPECT_LT(table.find(bytes, offset), offset + 2 * kind.block_bytes) << bytes;
      }
    }
    const bool is_any_lost = std::any_of(lost.begin(), lost.end(),
                                         [](const auto& keys) { return !keys.second.empty(); });
    for (const Loss loss : {Loss::kKey, Loss::kPrefix, Loss::kRange}) {
      EXPECT_EQ(Keys(said[loss].begin(), said[loss].end()), lost[loss]);
    }
    EXPECT_EQ(run.json["lost"], num_said);
    EXPECT_EQ(run.exit_code, is_any_lost ? 4 : 0) << run.text;
    EXPECT_GE(run.json["files_checked"], kTables) << run.text;
    EXPECT_TRUE(run.json["not_checked"].empty()) << run.text;
    EXPECT_EQ(run.json["keys_checked"], Has(Loss::kKey) ? keys_.size() : 0);
    EXPECT_EQ(run.json["prefixes_checked"] > 0, Has(Loss::kPrefix)) << run.text;
    EXPECT_EQ(run.json["ranges_checked"], Has(Loss::kRange) ? keys_.size() : 0) << run.text;
  }

  static bool Has(Loss loss) { return GetParam().lost.count(loss) > 0; }
  // Something was lost of each kind that can be lost.
  bool IsPlanted() {
    const auto& kinds = GetParam().lost;
    return std::all_of(kinds.begin(), kinds.end(),
                       [&](const auto& kind) { return planted_[kind.first] > 0; });
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("db");
  const Keys keys_ = MakeKeys(GetParam().num_keys);
  std::map<Loss, size_t> planted_;
};

TEST_P(PlantedLossesTest, AreFoundAndNothingElse) {
  Check(0);
  for (const auto& [loss, count] : planted_) EXPECT_EQ(count, 0u) << "not damaged";
  // More often where nothing was lost yet: the damage is of a kind that matters.
  constexpr uint64_t kMostSeeds = 50;
  for (uint64_t seed = 1; seed <= kSeeds || (seed <= kMostSeeds && !IsPlanted()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Check(seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(IsPlanted());
}

std::string NameOf(const testing::TestParamInfo<Kind>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(RocksDB, PlantedLossesTest, testing::ValuesIn(RocksDBKinds()), NameOf);
INSTANTIATE_TEST_SUITE_P(LevelDB, PlantedLossesTest, testing::ValuesIn(LevelDBKinds()), NameOf);

}  // namespace
}  // namespace bloomline::tests::planted_losses_test
