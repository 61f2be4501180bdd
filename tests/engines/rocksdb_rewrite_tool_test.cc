// The program bloomline-rewrite.
#include <gtest/gtest.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/key_canonicalizer.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rewrite_database.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_rewrite_tool_test {
namespace {

constexpr uint64_t kKeys = 3000;

struct ToolRun {
  int exit_code = -1;
  std::string text;  // stdout and stderr
};

class RewriteToolTest : public testing::Test {
 protected:
  std::string path() const { return dir_.Path("db"); }

  // Writes the keys and closes the database.
  void Write(RewriteDatabase* db) {
    db->OpenWithStockFilters();
    model_ = db->Write(kKeys);
    db->FlushAndWait();
    db->Close();
  }

  static ToolRun Tool(const std::string& arguments) {
    ToolRun run;
    FILE* const pipe = popen(("'" BLOOMLINE_REWRITE_PATH "' " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return run;
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
      run.text.append(buffer, n);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
    return run;
  }

  void ExpectRefused(const std::string& arguments, const std::string& why) {
    const ToolRun run = Tool(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.text;
    EXPECT_NE(run.text.find(why), std::string::npos) << run.text;
  }

  // With their sizes and times.
  static auto FilesOf(const std::string& folder) {
    std::map<std::string, std::pair<uint64_t, std::filesystem::file_time_type>> files;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      files[file.path()] = {file.file_size(), file.last_write_time()};
    }
    return files;
  }

  static std::string NewestOptionsFile(const std::string& folder) {
    std::string newest;
    for (const auto& [path, state] : FilesOf(folder)) {
      if (path.find("OPTIONS-") != path.npos) newest = path;
    }
    return newest;
  }

  TempDir dir_;
  RewriteDatabase::Model model_;
};

constexpr char kCompact[] = "--policy '{id=bloomline;format=compact}' ";
constexpr char kAll[] = " include_level0=true";

TEST_F(RewriteToolTest, GivesAllFilesNewFilters) {
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  Write(&db);
  const ToolRun planned = Tool(kCompact + path() + kAll + " dry_run=true");
  EXPECT_EQ(planned.exit_code, 0) << planned.text;
  EXPECT_NE(planned.text.find("Dry run"), std::string::npos) << planned.text;
  const ToolRun run = Tool(kCompact + path() + kAll + " bytes_per_second=1T");
  EXPECT_EQ(run.exit_code, 0) << run.text;
  EXPECT_EQ(run.text.find("Rewritten: 0 files"), std::string::npos) << run.text;
  // The OPTIONS file now names the policy, and nothing is left.
  for (const char* policy : {"", kCompact}) {
    const ToolRun again = Tool(policy + path() + kAll);
    EXPECT_EQ(again.exit_code, 0) << again.text;
    EXPECT_NE(again.text.find("Rewritten: 0 files"), std::string::npos) << again.text;
    const std::regex unchanged(R"((\d+) files; 0 to rewrite \(0 B\), \1 with the wanted filter\n)");
    EXPECT_TRUE(std::regex_search(again.text, unchanged)) << again.text;
    EXPECT_NE(again.text.find("bloomline compact: "), std::string::npos) << again.text;
  }
  db.Open(CompactPolicy());
  db.ExpectKeys(model_);
}

// That is no failure, but the report says so.
TEST_F(RewriteToolTest, LeavesLevel0Out) {
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  db.OpenWithStockFilters();
  db.Write(1);
  db.FlushAndWait();
  db.Close();
  const ToolRun run = Tool(kCompact + path());
  EXPECT_EQ(run.exit_code, 0) << run.text;
  EXPECT_NE(run.text.find("'default': 1 file; 0 to rewrite (0 B), 1 left out\n"), std::string::npos)
      << run.text;
  EXPECT_NE(run.text.find("Left out: 1 file of level 0; include_level0=true takes these\n"),
            std::string::npos)
      << run.text;
}

TEST_F(RewriteToolTest, RefusesWrongRequests) {
  EXPECT_EQ(Tool("--help").exit_code, 0);
  ExpectRefused("", "DIR is missing");
  ExpectRefused("--polcy x " + path(),
                "option is '--polcy'; allowed: --policy POLICY, --version, --help");
  ExpectRefused(path() + " speed=1", "option is 'speed'; allowed: bytes_per_second, ");
  ExpectRefused(path() + " bytes_per_second=1.5G",
                "bytes_per_second is '1.5G'; allowed: 0 for no limit, or bytes up to 2^60");
  ExpectRefused(path() + " bytes_per_second=-1", "bytes_per_second is '-1'; allowed: 0 for no ");
  ExpectRefused(path(), path() + " has no OPTIONS file that can be read: ");
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  Write(&db);
  ExpectRefused("--policy cuckoo:8 " + path(), "--policy is 'cuckoo:8': ");
  ExpectRefused("--policy cuckoo:8 " + path(),
                "; allowed: an option string, such as bloomfilter:10");
  ExpectRefused("--policy '{id=bloomline;format=cuckoo}' " + path(), "format is 'cuckoo'");
  db.OpenWithStockFilters();  // in use
  ExpectRefused(kCompact + path(), path() + " cannot be opened: IO error: ");
}

// RocksDB takes bits below 0.5 for 0, and would remove all filters.
TEST_F(RewriteToolTest, RefusesBitsThatRemoveFilters) {
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  Write(&db);
  const auto before = FilesOf(path());
  for (const std::string policy :
       {"bloomfilter:-5", "ribbonfilter:-3:0", "{id=bloomfilter:-5:false;}", "bloomline:-5",
        "{id=bloomline;bits_per_key=-5}", "rocksdb.BuiltinBloomFilter", "bloomfilter:0.3",
        "ribbonfilter:.4:2", "{ id = bloomfilter:0.3 }", "id=bloomfilter:0.3;", "bloomline:0.3",
        "{id=bloomline;bits_per_key=0.3}"}) {
    ExpectRefused("--policy '" + policy + "' " + path() + kAll, "--policy is '" + policy + "': ");
  }
  EXPECT_TRUE(FilesOf(path()) == before);
  for (const char* policy : {"ribbonfilter:10:-1", "bloomfilter:0", "bloomfilter:1:false"}) {
    const ToolRun run = Tool(std::string("--policy ") + policy + " " + path() + kAll);
    EXPECT_EQ(run.exit_code, 0) << run.text;
  }
}

// Without --policy, it would write files by the defaults, or without filters.
TEST_F(RewriteToolTest, ReadsAllOfTheOptionsFileFirst) {
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  Write(&db);
  const std::string newest = NewestOptionsFile(path());
  const std::string text = ReadFile(newest);
  const auto replace = [&](const std::string& name, const std::string& value) {
    std::ofstream(newest) << std::regex_replace(text, std::regex("\n *" + name + "=[^\n]*"),
                                                "\n " + name + " = " + value + " # changed");
  };
  struct {
    std::string policy;
    std::string id;
    std::string why;
  } const policies[] = {
      {"{id=bloomline;format=compact;seed=123456;num_levels=7;}", "bloomline", "'num_levels'"},
      {"{id=bloomline;format=later;}", "bloomline", "format is 'later'"},
      {"id=bloomline;seed=123456;format=later", "bloomline", "format is 'later'"},
      {"{sid=123456;id=bloomline}", "bloomline", "'sid'"},
      {"{bits_per_key=10;seed=123456;idd=7;}", "{...}", "may be secret"},
      {"{id=bloomline;seed=123456x;}", "bloomline", "may be secret"},
      {"bloomline:10;seed=123456", "{...}", "may be secret"},
      {"bloomfilter:-5", "bloomfilter:-5", "'-5'"},
      {"bloomfilter\\:0.3\\:false", "bloomfilter:0.3:false", "'0.3'"},
      {"test.OfApplication", "test.OfApplication", "Could not load"},
      // In files of RocksDB 6.
      {"rocksdb.BuiltinBloomFilter", "rocksdb.BuiltinBloomFilter", "no bits per key"},
  };
  for (const auto& [policy, id, why] : policies) {
    replace("filter_policy", policy);
    const auto before = FilesOf(path());
    for (const char* dry_run : {" dry_run=true", ""}) {
      const ToolRun run = Tool(path() + kAll + dry_run);
      EXPECT_EQ(run.exit_code, 2) << run.text;
      const std::string begin =
          "bloomline-rewrite: column family 'default' has the filter_policy '" + id +
          "', which this program cannot read: ";
      EXPECT_EQ(run.text.substr(0, begin.size()), begin);
      EXPECT_NE(run.text.find(why, begin.size()), std::string::npos) << run.text;
      EXPECT_EQ(run.text.find("123456"), std::string::npos) << run.text;  // it is secret
      EXPECT_EQ(std::count(run.text.begin(), run.text.end(), '\n'), 1) << run.text;
    }
    EXPECT_TRUE(FilesOf(path()) == before) << policy;
    const ToolRun run = Tool(kCompact + path() + " dry_run=true");  // it is replaced
    EXPECT_EQ(run.exit_code, 0) << run.text;
    EXPECT_EQ(run.text.find("bloomline: "), std::string::npos) << run.text;
  }
  replace("flush_block_policy_factory", "test.OfApplication");
  ExpectRefused(kCompact + path() + kAll,
                "column family 'default' has the flush_block_policy_factory 'test.OfApplication'");
  replace("filter_policy", "bloomfilter\\:10\\:false");
  const ToolRun run = Tool(path() + kAll);
  EXPECT_EQ(run.exit_code, 0) << run.text;
  db.OpenWithStockFilters();
  db.ExpectKeys(model_);
}

// Otherwise, the log would become a table without a filter.
TEST_F(RewriteToolTest, RefusesToWorkWithoutAnyPolicy) {
  RewriteDatabase db(RewriteDatabase::SmallFiles(), path());
  Write(&db);
  const std::string newest = NewestOptionsFile(path());
  const std::string text = ReadFile(newest);
  for (const std::regex& line : {std::regex("\n *filter_policy=[^\n]*"),
                                 std::regex("\n\\[TableOptions/BlockBasedTable[^[]*")}) {
    for (const char* by : {"\n  filter_policy=nullptr", "\n  filter_policy=", ""}) {
      std::ofstream(newest) << std::regex_replace(text, line, by);
      const auto before = FilesOf(path());
      ExpectRefused(path() + kAll, "no column family of the OPTIONS file has a filter_policy");
      EXPECT_TRUE(FilesOf(path()) == before) << by;
    }
  }
  const ToolRun run = Tool(kCompact + path() + kAll);
  EXPECT_EQ(run.exit_code, 0) << run.text;
}

class AsItIs final : public KeyCanonicalizer {
 public:
  const char* Name() const noexcept override { return "as-it-is"; }
  std::string_view Canonicalize(std::string_view key, std::string*) const noexcept override {
    return key;
  }
};

TEST_F(RewriteToolTest, RefusesPoliciesOfTheApplicationBeforeItOpens) {
  const Policy policy =
      NewCanonicalRocksDBFilterPolicy(CompactPolicy(), std::make_shared<AsItIs>());
  {
    const auto db = MustOpenRocksDB(RewriteDatabase::SmallFiles(), path());
    rocksdb::ColumnFamilyHandle* family = nullptr;
    // The OPTIONS file has an escaped name.
    ExpectOk(db->CreateColumnFamily(WithPolicy(policy), "a:b", &family));
    ExpectOk(db->Put({}, family, "key", "value"));
    ExpectOk(db->DestroyColumnFamilyHandle(family));
  }
  const auto before = FilesOf(path());
  ExpectRefused(path() + kAll, "column family 'a:b' has the filter_policy '" +
                                   std::string(policy->Name()) + "', which this program cannot");
  EXPECT_TRUE(FilesOf(path()) == before);
}

template <typename Base>
class OfApplication : public Base {
 public:
  const char* Name() const override { return "test.OfApplication"; }
};

class Reverse : public OfApplication<rocksdb::Comparator> {
 public:
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class MakesNone : public OfApplication<rocksdb::CompactionFilterFactory> {
 public:
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    return nullptr;
  }
};

TEST_F(RewriteToolTest, RefusesDatabasesThatNeedTheirApplication) {
  const Reverse reverse;
  const OfApplication<rocksdb::CompactionFilter> keeps_all;
  std::map<std::string, rocksdb::Options> databases;
  const auto options_of = [&](const char* name) -> rocksdb::Options& {
    return databases.emplace(name, RewriteDatabase::SmallFiles()).first->second;
  };
  options_of("merge operator").merge_operator =
      std::make_shared<OfApplication<rocksdb::MergeOperator>>();
  options_of("comparator").comparator = &reverse;
  options_of("compaction filter").compaction_filter = &keeps_all;
  options_of("factory").compaction_filter_factory = std::make_shared<MakesNone>();
  // RocksDB does not record the folders.
  options_of("db_paths").db_paths = {{dir_.Path("other"), 1 << 30}};
  options_of("cf_paths").cf_paths = {{dir_.Path("another"), 1 << 30}};
  for (const auto& [name, options] : databases) {
    const std::string path = dir_.Path(name);
    RewriteDatabase db(options, path);
    db.OpenWithStockFilters();
    db.Write(1);
    db.FlushAndWait();
    db.Close();
    ExpectRefused(kCompact + ("'" + path + "'") + kAll,
                  name.find("_paths") == name.npos ? "test.OfApplication" : " cannot be opened: ");
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_rewrite_tool_test
