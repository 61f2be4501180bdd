// Advice applied: databases with RocksDB's own filters, what a Get of a missing key then wastes,
// the advice for them, and the wasted reads after each level was rewritten with the option string
// that was advised.
//
// BLOOMLINE_TEST_KEYS in the environment: the keys of the largest level. With it, the tests print
// what was promised and what was measured:
//
//   BLOOMLINE_TEST_KEYS=3000000 build/dev/tests/advice_rocksdb_test
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/inspect/advice/advice.h"
#include "tests/engines/five_levels.h"
#include "tests/engines/uneven_tree.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using advice::Choice;
using advice::Level;
using advice::Request;
using advice::Situation;
using tests::FiveLevels;
using tests::TempDir;
using tests::UnevenTree;

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

const char* const wanted_keys = std::getenv("BLOOMLINE_TEST_KEYS");

uint64_t KeysOr(uint64_t keys) {
  return wanted_keys == nullptr ? keys : std::strtoull(wanted_keys, nullptr, 10);
}

Policy ByString(const std::string& text) {
  RegisterBloomline();
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  return policy;
}

// Enough for some 1,600 false positives, whose number then varies by 2.5 %. The keys and queries
// are the same in each run, and so are the counts.
uint64_t LookupsFor(double wasted_reads) {
  if (wanted_keys != nullptr) return 1000000;
  return static_cast<uint64_t>(std::clamp(1600 / wasted_reads, 50000.0, 700000.0));
}

std::vector<Choice> ChoicesFor(const Situation& situation, const Request& request = {}) {
  advice::Advice advice;
  std::string error;
  EXPECT_TRUE(Advise(situation, request, &advice, &error)) << error;
  return advice.choices;
}

void ExpectAsPromised(const Choice& choice, double wasted_reads, uint64_t filter_bytes) {
  if (wanted_keys != nullptr) {
    std::printf(
        "%-40s %7.4f %% wasted reads promised, %7.4f %% measured; %9llu bytes promised, %9llu "
        "measured\n",
        choice.title.c_str(), 100 * choice.wasted_reads, 100 * wasted_reads,
        static_cast<unsigned long long>(choice.filter_bytes),
        static_cast<unsigned long long>(filter_bytes));
    std::fflush(stdout);
  }
  EXPECT_NEAR(wasted_reads, choice.wasted_reads, 0.1 * choice.wasted_reads) << choice.title;
  const auto bytes = static_cast<double>(choice.filter_bytes);
  EXPECT_NEAR(static_cast<double>(filter_bytes), bytes, 0.02 * bytes) << choice.title;
}

// Full levels, one file each.
TEST(AdviceRocksDBTest, FullLevelsWasteAsMuchAsPromised) {
  const uint64_t keys = KeysOr(51000);
  TempDir dir;
  FiveLevels database(dir.Path("db"), Policy(rocksdb::NewBloomFilterPolicy(10)), keys);
  if (HasFatalFailure()) return;
  const FiveLevels::Reads now = database.ReadMissing(LookupsFor(0.04));
  Situation situation;
  for (int number = FiveLevels::kTop; number <= FiveLevels::kBottom; ++number) {
    Level level;
    level.number = number;
    level.num_keys = database.KeysOf(number);
    level.num_filters = 1;
    // Random keys leave that much of the range outside their first and last.
    const auto n = static_cast<double>(level.num_keys);
    level.num_runs = (n - 1) / (n + 1);
    level.filter_bytes = static_cast<uint64_t>(database.filters().bits_per_key[number] * n / 8);
    level.wasted_reads = now.positives / FiveLevels::kNumLevels;
    situation.levels.push_back(level);
  }
  std::vector<Choice> choices = ChoicesFor(situation);
  EXPECT_EQ(choices.front().title, "compact by level, the same memory");
  EXPECT_GE(choices.size(), 5u);
  for (const Request& request : {Request{{}, 0.02}, Request{keys * 7 / 8, {}}}) {
    const std::vector<Choice> more = ChoicesFor(situation, request);
    choices.insert(choices.end(), more.begin(), more.begin() + 1);
  }
  for (const Choice& choice : choices) {
    database.Rewrite(ByString(choice.option_string));
    if (HasFatalFailure()) return;
    const FiveLevels::Reads reads = database.ReadMissing(LookupsFor(choice.wasted_reads));
    EXPECT_EQ(reads.wrong_answers, 0u);
    // As many filters were queried as of RocksDB's own.
    EXPECT_NEAR(reads.positives + reads.rejections, now.positives + now.rejections, 0.02);
    ExpectAsPromised(choice, reads.positives, database.filters().bytes);
  }
  EXPECT_EQ(database.CountLostKeys(), 0u);
}

// Levels of many files, which are not full and cover only parts of the range.
class UnevenLevelsTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(AdviceRocksDB, UnevenLevelsTest, testing::Bool(),
                         [](const auto& partitioned) {
                           return partitioned.param ? "PartitionedFilters" : "FullFilters";
                         });

TEST_P(UnevenLevelsTest, WasteAsMuchAsPromised) {
  TempDir dir;
  UnevenTree tree(dir.Path("db"), KeysOr(90000), GetParam());
  if (HasFatalFailure()) return;
  const UnevenTree::Reads now = tree.ReadMissing(LookupsFor(0.02));
  std::vector<Choice> choices = ChoicesFor(tree.Look(now.positives));
  EXPECT_EQ(choices.front().title, "compact by level, the same memory");
  EXPECT_GE(choices.size(), 5u);
  if (GetParam() && wanted_keys == nullptr) {  // those that waste more need fewer lookups
    choices.erase(choices.begin(), choices.end() - 3);
  }
  for (const Choice& choice : choices) {
    tree.Rewrite(ByString(choice.option_string));
    if (HasFatalFailure()) return;
    const UnevenTree::Reads reads = tree.ReadMissing(LookupsFor(choice.wasted_reads));
    EXPECT_NEAR(reads.positives + reads.rejections, now.positives + now.rejections, 0.02);
    uint64_t bytes = 0;
    for (const Level& level : tree.Look(reads.positives).levels) bytes += level.filter_bytes;
    ExpectAsPromised(choice, reads.positives, bytes);
  }
  EXPECT_EQ(tree.CountLostKeys(), 0u);
}

}  // namespace
}  // namespace bloomline
