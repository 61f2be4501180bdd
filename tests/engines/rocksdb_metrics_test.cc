// What a policy counts in databases.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>  // class Cache, from RocksDB 8.0 on
#endif

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/filter/sizing/engine_sizing.h"
#include "tests/engines/former_compact.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/metric_value.h"
#include "tests/support/own_process.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_metrics_test {
namespace {

using rocksdb::Slice;

constexpr int kKeys = 20000;
constexpr int kQueries = 200000;
constexpr char kQueriesTotal[] = "bloomline_filter_queries_total";

rocksdb::Options WithFilter(const RocksDBFilterOptions& filter) {
  rocksdb::Options options = WithPolicy(NewRocksDBFilterPolicy(filter));
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes = false;
  return options;
}

std::string Key(int i) {
  const std::string digits = std::to_string(i);
  return std::string(10 - digits.size(), '0') + digits;
}

void Write(rocksdb::DB* db) {
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(2 * i), "value").ok());
  ASSERT_TRUE(db->Flush({}).ok());
}

void GetMissingKeys(rocksdb::DB* db, int num_queries) {
  std::string value;
  for (int i = 0; i < num_queries; ++i) {
    ASSERT_TRUE(db->Get({}, Key(2 * (i % kKeys) + 1), &value).IsNotFound());
  }
}

double Rate(const std::string& name, const std::string& labels) {
  const double positives = MetricValue(name, labels + ",answer=\"may_match\"");
  return positives / (positives + MetricValue(name, labels + ",answer=\"no\""));
}

class RocksDBMetricsTest : public testing::TestWithParam<Format> {};

// The samples stand for all queries, by level, and show the false-positive rate.
TEST_P(RocksDBMetricsTest, CountsQueriesAndFiltersByLevel) {
  const TempDir dir;
  // No other test of this process has such a policy.
  const RocksDBFilterOptions filter(FilterOptions{GetParam(), 12});
  auto db = MustOpenRocksDB(WithFilter(filter), dir.Path("db"));
  Write(db.get());
  const std::string policy =
      std::string("engine=\"rocksdb\",policy=\"") + FormatName(GetParam()) + ":12\"";
  const std::string level0 = policy + ",column_family=\"default\",level=\"0\"";
  EXPECT_EQ(MetricValue("bloomline_filters_built_total", level0), 1);
  EXPECT_NEAR(MetricValue("bloomline_filter_built_keys_total", level0), kKeys, 10);
  const double bytes = MetricValue("bloomline_filter_built_bytes_total", level0);
  EXPECT_GT(bytes, 0.6 * kKeys * 12 / 8);  // Ribbon takes less
  EXPECT_LT(bytes, 1.2 * kKeys * 12 / 8);
  EXPECT_GT(MetricValue("bloomline_filter_build_seconds_total", level0), 0);
  EXPECT_EQ(MetricValue("bloomline_filters_open", level0), 1);
  EXPECT_NEAR(MetricValue("bloomline_filter_open_bytes", level0), bytes, 0.01 * bytes);

  GetMissingKeys(db.get(), kQueries);
  EXPECT_NEAR(MetricValue(kQueriesTotal, level0), kQueries, 700);
  const double expected = filter::EngineRate(GetParam(), filter.bits_per_key);
  EXPECT_NEAR(MetricValue("bloomline_filter_expected_false_positive_rate", level0), expected,
              0.001 * expected);
  EXPECT_LT(Rate(kQueriesTotal, level0), expected + 0.03);                            // 780 samples
  EXPECT_LT(Rate("bloomline_filter_random_queries_total", level0), expected + 0.08);  // 195

  // RocksDB says the new level when it writes the file anew.
  rocksdb::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  compaction.change_level = true;
  compaction.target_level = 3;
  ASSERT_TRUE(db->CompactRange(compaction, nullptr, nullptr).ok());
  GetMissingKeys(db.get(), kQueries);
  EXPECT_EQ(MetricValue("bloomline_filters_open", level0), 0);
  EXPECT_EQ(MetricValue("bloomline_filter_open_bytes", level0), 0);
  EXPECT_NEAR(MetricValue(kQueriesTotal, level0), kQueries, 700);
  EXPECT_NEAR(MetricValue(kQueriesTotal, policy + ",column_family=\"default\""), 2 * kQueries,
              1000);

  // Nothing stays open, and the counts of a policy outlive it.
  db.reset();
  EXPECT_EQ(MetricValue("bloomline_filters_open", policy), 0);
  EXPECT_NEAR(MetricValue(kQueriesTotal, level0), kQueries, 700);
}

// What docs/operating.md says of open filters and of those of live files.
TEST(RocksDBMetricsOfACacheTest, FiltersOfDeletedFilesStayOpen) {
  const TempDir dir;
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  // No other test of this process has such a policy.
  table.filter_policy = NewRocksDBFilterPolicy(FilterOptions{Format::kBlocked, 12.5});
  const auto open_bytes = [] {
    return MetricValue("bloomline_filter_open_bytes", "policy=\"blocked:12.5\"");
  };
  auto db = MustOpenRocksDB(WithTable(table), dir.Path("db"));
  Write(db.get());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(CompactAll(db.get()).ok());
    GetMissingKeys(db.get(), 1);
  }
  std::map<std::string, std::string> live;
  ASSERT_TRUE(db->GetMapProperty("rocksdb.aggregated-table-properties", &live));
  const double live_bytes = std::stod(live["filter_size"]);
  EXPECT_NEAR(live_bytes, kKeys * 12.5 / 8, 0.01 * live_bytes);
  EXPECT_GT(open_bytes(), 3.9 * live_bytes);
  db.reset();
  EXPECT_GT(open_bytes(), 3.9 * live_bytes);
  table.block_cache->EraseUnRefEntries();
  EXPECT_EQ(open_bytes(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, RocksDBMetricsTest,
                         testing::Values(Format::kBlocked, Format::kBloom, Format::kRibbon),
                         [](const auto& format) { return FormatName(format.param); });

TEST(RocksDBMetricsTest, CountsMultiGet) {
  const TempDir dir;
  const auto db = MustOpenRocksDB(WithFilter({}), dir.Path("db"));
  Write(db.get());
  // Other tests of this process may have queried.
  const double before = MetricValue(kQueriesTotal);
  constexpr size_t kBatch = 32;
  std::string names[kBatch];
  for (int i = 0; i < kQueries; i += kBatch) {
    std::vector<Slice> keys;
    for (size_t k = 0; k < kBatch; ++k) {
      names[k] = Key(2 * ((i + static_cast<int>(k)) % kKeys) + 1);
      keys.emplace_back(names[k]);
    }
    std::vector<std::string> values;
    db->MultiGet({}, keys, &values);
  }
  EXPECT_NEAR(MetricValue(kQueriesTotal) - before, kQueries, 0.1 * kQueries);
}

void OpenFiltersOfOthers() {
  const std::string trailer("\xFF\0\x06\0\0", 5);  // of RocksDB's Bloom filter
  const struct {
    std::string filter;
    const char* kind;
    const char* useless_reason;  // null: it is not useless, or RocksDB's of no entries
  } kCases[] = {
      {std::string(64, '\0') + trailer, "rocksdb", nullptr},
      {std::string(6, '\0'), "matches_everything", "said_by_writer"},
      {std::string(16, '\0') + trailer, "matches_everything", "damaged"},  // not a whole block
      {"a kind that is not known yet" + std::string("\xF0\0\x06\0\0", 5), "matches_everything",
       "damaged"},
      {"abc", "matches_everything", "damaged"},
      {FormerCompactFilter(), "matches_everything", "former_compact"},
      {trailer, "matches_everything", nullptr},
  };
  const auto policy = NewRocksDBFilterPolicy(RocksDBFilterOptions());
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.filter);
    const std::string kind = std::string("policy=\"blocked:10\",kind=\"") + c.kind + "\"";
    const std::string reason =
        std::string("reason=\"") + (c.useless_reason == nullptr ? "" : c.useless_reason);
    const auto opened = [&] { return MetricValue("bloomline_filters_opened_total", kind); };
    const auto useless = [&] {
      return MetricValue("bloomline_filters_opened_matching_everything_total", reason);
    };
    const double opened_before = opened(), useless_before = useless();
    const Reader reader(policy->GetFilterBitsReader(c.filter));
    EXPECT_EQ(opened(), opened_before + 1);
    EXPECT_EQ(useless(), useless_before + (c.useless_reason == nullptr ? 0 : 1));
  }
  EXPECT_EQ(MetricValue("bloomline_filters_open"), 0);
}

// A filter that this process has not built has no column family and no level. Other tests build
// some with the same bytes, so this one has a process of its own.
TEST(RocksDBMetricsTest, FiltersOfOthersAreCountedByKind) { InOwnProcess(OpenFiltersOfOthers); }

TEST(RocksDBMetricsTest, FilesWithoutFilterAreCountedByReason) {
  const TempDir dir;
  const RocksDBFilterOptions none(FilterOptions{Format::kBlocked, 0});
  const auto db = MustOpenRocksDB(WithFilter(none), dir.Path("db"));
  Write(db.get());
  EXPECT_EQ(MetricValue("bloomline_files_without_filter_total",
                        R"(policy="none",column_family="default",level="0",reason="options")"),
            1);
  EXPECT_EQ(MetricValue("bloomline_filters_built_total", "policy=\"none\""), 0);
}

// Each level has the expected rate of its own bits. Filters that others wrote may be of any level,
// so they are compared with the highest rate.
TEST(RocksDBMetricsTest, BitsByLevelHaveExpectedRatesByLevel) {
  const TempDir dir;
  RocksDBFilterOptions filter(FilterOptions{Format::kRibbon});
  filter.bits_by_level = {20, 6};
  const auto db = MustOpenRocksDB(WithFilter(filter), dir.Path("db"));
  Write(db.get());
  ASSERT_TRUE(CompactAll(db.get()).ok());
  const auto expected = [](const std::string& labels) {
    return MetricValue("bloomline_filter_expected_false_positive_rate", labels);
  };
  const std::string family = "policy=\"ribbon:20:6\",column_family=\"default\",level=";
  EXPECT_NEAR(expected(family + "\"0\""), filter::EngineRate(Format::kRibbon, 20), 1e-9);
  EXPECT_NEAR(expected(family + "\"1\""), filter::EngineRate(Format::kRibbon, 6), 1e-6);

  filter.bits_by_level = {20, 7, 0};
  filter.flush_format = Format::kBlocked;
  const auto policy = NewRocksDBFilterPolicy(filter);
  EXPECT_EQ(MetricsText().find("ribbon:20:7:0"), std::string::npos) << "it has no filter";
  const std::string stock = std::string(64, '\0') + std::string("\xFF\0\x06\0\0", 5);
  const Reader reader(policy->GetFilterBitsReader(stock));
  EXPECT_NEAR(expected("policy=\"ribbon:20:7:0\""), filter::EngineRate(Format::kBlocked, 7), 1e-6);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_metrics_test
