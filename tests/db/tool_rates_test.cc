// The rates of `bloomline db` against RocksDB's tickers, and the promises of its advice against
// those of the same database after it has been compacted with what was advised.
#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <ostream>
#include <string>

#include "bloomline/filter_account.h"
#include "db_bench_ext/databases/five_levels.h"
#include "tests/cli/tool_run.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::tool_rates_test {
namespace {

using bench::FiveLevels;

constexpr uint64_t kKeys = 100000;
constexpr uint64_t kLookups = 300000;

// The filters that are written.
struct Case {
  const char* name;
  const char* policy;
  const char* layout;  // of levels with a thousand keys or more
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

const Case kBloom = {"Bloom", "bloomfilter:10", "RocksDB Bloom"};
const Case kRibbon = {"Ribbon", "ribbonfilter:10", "RocksDB Ribbon"};
const Case kBloomByLevel = {"BloomByLevel",
                            "{id=bloomline;format=bloom;bits_by_level=auto;stock_id=true}",
                            "RocksDB Bloom"};
const Case kBlocked = {"Blocked", "bloomline:7", "bloomline blocked"};

class ToolRatesTest : public testing::TestWithParam<Case> {
 protected:
  nlohmann::json Levels(const std::string& command) {
    const ToolRun run = RunTool("db " + command + " --json", folder_);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    return run.json["databases"][0]["column_families"][0];
  }

  // Reads per Get of a missing key.
  static double Number(const nlohmann::json& figure) {
    return figure.is_number() ? figure.get<double>() : -1;
  }
  static double Elsewhere(const nlohmann::json& levels) {
    double reads = 0;
    for (const nlohmann::json& level : levels["levels"]) {
      reads += Number(level["runs"]) * Number(level["elsewhere"]["false_positive_rate"]);
    }
    return reads;
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("db");
};

TEST_P(ToolRatesTest, AreThoseOfTheTickers) {
  const Case& c = GetParam();
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  FiveLevels database(folder_, PolicyOf(c.policy), kKeys, table);
  const nlohmann::json inspected = Levels("inspect");
  ASSERT_EQ(inspected["levels"].size(), size_t{FiveLevels::kNumLevels});
  for (const nlohmann::json& level : inspected["levels"]) {
    EXPECT_EQ(level["layouts"].size(), 1u) << level;
    if (level["num_keys"] >= 1000) {
      EXPECT_EQ(level["layouts"][0]["layout"], c.layout) << level;
    }
  }
  const nlohmann::json measured = Levels("measure");
  const double seen = database.ReadMissing(kLookups).positives;
  EXPECT_NEAR(Number(inspected["all"]["expected_wasted_reads"]), seen, 0.05 * seen);
  EXPECT_NEAR(Number(measured["all"]["wasted_reads"]), seen, 0.05 * seen);
  EXPECT_NEAR(Elsewhere(measured), seen, 0.05 * seen);
}

INSTANTIATE_TEST_SUITE_P(Formats, ToolRatesTest,
                         testing::Values(kBloom, kRibbon, kBloomByLevel, kBlocked), NameOf);

class AdviceTest : public ToolRatesTest {};

// The first two choices by level are set, and the database compacted. (In levels this small, Ribbon
// filters with the same bits everywhere waste less than is promised.)
TEST_P(AdviceTest, IsKept) {
  FiveLevels database(folder_, PolicyOf(GetParam().policy), kKeys);
  const nlohmann::json advice = Levels("advise");
  const double now = database.ReadMissing(kLookups).positives;
  EXPECT_NEAR(Number(advice["wasted_reads_now"]), now, 0.05 * now);
  ASSERT_GE(advice["choices"].size(), 2u) << advice;
  // First of all, RocksDB's own filters stay. With levels this small, whose filters have more bits
  // than they should, they waste 0.4 times as many reads; else a third (advice_test).
  const nlohmann::json& first = advice["choices"][0];
  EXPECT_TRUE(first["rocksdb_alone"].get<bool>());
  EXPECT_LT(Number(first["wasted_reads"]), 0.42 * now);
  int num_tried = 0;
  for (const nlohmann::json& choice : advice["choices"]) {
    if (!choice["by_level"].get<bool>() || ++num_tried > 2) continue;
    const std::string option_string = choice["option_string"];
    SCOPED_TRACE(option_string);
    EXPECT_EQ(choice["database_option"], "listeners=bloomline.account");
    database.Rewrite(PolicyOf(option_string), NewFilterAccount());
    const double promised = Number(choice["wasted_reads"]);
    const double promised_bytes = Number(choice["filter_bytes"]);
    EXPECT_NEAR(database.ReadMissing(kLookups).positives, promised, 0.1 * promised);
    EXPECT_NEAR(static_cast<double>(database.filters().bytes), promised_bytes,
                0.02 * promised_bytes);
    EXPECT_EQ(database.CountLostKeys(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, AdviceTest, testing::Values(kBloom, kRibbon), NameOf);

}  // namespace
}  // namespace bloomline::tests::tool_rates_test
