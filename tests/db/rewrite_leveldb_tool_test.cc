// `bloomline db rewrite` in LevelDB: the new tables are those that LevelDB writes itself with the
// new policy, byte for byte, and LevelDB finds all in the new folder.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "bloomline/leveldb.h"
#include "tests/cli/tool_run.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rewrite_leveldb_tool_test {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;
using Model = std::map<std::string, std::string>;

// Of "compact:10"; none of "none:0".
Policy PolicyOf(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const double bits = std::stod(text.substr(colon + 1));
  if (name == "none") return nullptr;
  if (name == "classic") return Policy(leveldb::NewBloomFilterPolicy(static_cast<int>(bits)));
  FilterOptions options;
  options.format = name == "blocked" ? Format::kBlocked : Format::kCompact;
  options.bits_per_key = bits;
  return Policy(NewLevelDBFilterPolicy(options));
}

struct Case {
  const char* name;
  const char* before;
  const char* after;
  size_t block_bytes;
  bool compacts;  // all into one level, before the last keys
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"OwnBits", "classic:10", "classic:14", 4096, false},
    {"OwnToBlocked", "classic:10", "blocked:10", 1024, true},
    {"OwnToCompact", "classic:10", "compact:10", 4096, true},
    {"NoneToOwn", "none:0", "classic:10", 65536, true},
    {"NoneToCompact", "none:0", "compact:8", 65536, false},
    {"OwnToNone", "classic:10", "none:0", 4096, false},
    {"CompactToNone", "compact:10", "none:0", 4096, true},
    {"CompactToOwn", "compact:10", "classic:12", 4096, false},
};

class RewriteLevelDBToolTest : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<leveldb::DB> Open(const std::string& folder, const std::string& policy) {
    policies_.push_back(PolicyOf(policy));
    leveldb::Options options;
    options.create_if_missing = true;
    options.paranoid_checks = true;
    options.filter_policy = policies_.back().get();
    options.block_size = GetParam().block_bytes;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::unique_ptr<leveldb::DB>(db);
  }

  // Opening writes the log of the time before to a table of level 0, so each round but the last
  // makes one table. Rounds overwrite and delete keys of those before.
  Model Write(const std::string& folder, const std::string& policy, const std::string& last = "") {
    Model model;
    for (int round = 0; round < 4; ++round) {
      const auto db = Open(folder, round == 3 && !last.empty() ? last : policy);
      if (db == nullptr) return model;
      if (GetParam().compacts && round == 3) db->CompactRange(nullptr, nullptr);
      for (int i = round * 500; i < round * 500 + 2500; ++i) {
        const std::string key = "key" + std::to_string(i * 7919 % 100003);
        if (i % 11 == round) {
          EXPECT_TRUE(db->Delete({}, key).ok());
          model.erase(key);
          continue;
        }
        model[key] = std::to_string(round) + std::string(static_cast<size_t>(i % 200), 'v');
        EXPECT_TRUE(db->Put({}, key, model[key]).ok());
      }
    }
    return model;
  }

  static void Check(leveldb::DB* db, const Model& model) {
    std::string value;
    for (const auto& [key, expected] : model) {
      const leveldb::Status status = db->Get({}, key, &value);
      ASSERT_TRUE(status.ok()) << key << ": " << status.ToString();
      ASSERT_EQ(value, expected) << key;
      ASSERT_TRUE(db->Get({}, key + "x", &value).IsNotFound());
    }
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> all(db->NewIterator(options));
    auto next = model.begin();
    for (all->SeekToFirst(); all->Valid(); all->Next(), ++next) {
      ASSERT_NE(next, model.end());
      ASSERT_EQ(all->key().ToString(), next->first);
      ASSERT_EQ(all->value().ToString(), next->second);
    }
    EXPECT_EQ(next, model.end());
    EXPECT_TRUE(all->status().ok());
  }

  static std::multiset<std::string> Tables(const std::string& folder) {
    std::multiset<std::string> tables;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ldb") tables.insert(ReadFile(entry.path()));
    }
    return tables;
  }

  const TempDir dir_;
  std::vector<Policy> policies_;
};

TEST_P(RewriteLevelDBToolTest, IsWhatLevelDBWouldHaveWritten) {
  const Case& c = GetParam();
  const std::string old = dir_.Path("old"), fresh = dir_.Path("fresh"), made = dir_.Path("new");
  const Model model = Write(old, c.before);
  Write(fresh, c.after);
  const std::multiset<std::string> before = Tables(old);
  const std::string after = c.after;
  const ToolRun run = RunTool(
      "db rewrite --policy " + (after == "none:0" ? "none" : after) + " '" + old + "'", made);
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(Tables(made) == Tables(fresh));
  EXPECT_TRUE(Tables(old) == before);
  ASSERT_GE(before.size(), c.compacts ? 1u : 3u);

  Model changed = model;
  {
    const auto db = Open(made, c.after);
    ASSERT_NE(db, nullptr);
    Check(db.get(), model);
    for (int i = 0; i < 1000; ++i) {
      const std::string key = "key" + std::to_string(i * 13);
      ASSERT_TRUE(db->Put({}, key, changed[key] = "changed").ok());
    }
    db->CompactRange(nullptr, nullptr);
    Check(db.get(), changed);
  }
  const auto again = Open(made, c.after);
  ASSERT_NE(again, nullptr);
  Check(again.get(), changed);
  const auto untouched = Open(old, c.before);
  ASSERT_NE(untouched, nullptr);
  Check(untouched.get(), model);
}

// A new table has a higher number than all old ones. LevelDB takes the highest for the newest.
TEST_P(RewriteLevelDBToolTest, NoOlderTableOfLevel0ComesBeforeANewerOne) {
  if (GetParam().compacts) return;
  const std::string old = dir_.Path("old"), fresh = dir_.Path("fresh"), made = dir_.Path("new");
  const std::string before = GetParam().before, after = GetParam().after;
  const Model model = Write(old, before, after);  // the newest table is right already
  Write(fresh, after);
  const ToolRun run = RunTool(
      "db rewrite --policy " + (after == "none:0" ? "none" : after) + " '" + old + "'", made);
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(Tables(made) == Tables(fresh));
  Check(Open(made, after).get(), model);
}

INSTANTIATE_TEST_SUITE_P(, RewriteLevelDBToolTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bloomline::tests::rewrite_leveldb_tool_test
