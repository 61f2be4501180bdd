// What a policy counts in LevelDB.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <memory>
#include <string>

#include "bloomline/leveldb.h"
#include "tests/support/metric_value.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::leveldb_metrics_test {
namespace {

std::string Key(int i) { return std::to_string(1000000000 + i); }

// LevelDB's filters are of some data blocks each, so they are sampled when they are built, too.
// This database has some 1,270, of which the sample makes 1,060 to 1,490 (30 runs).
TEST(LevelDBMetricsTest, CountsQueriesAndFilters) {
  constexpr int kKeys = 300000;
  constexpr int kQueries = 200000;
  const TempDir dir;
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      NewLevelDBFilterPolicy({Format::kCompact}));
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  const std::string value(50, 'v');
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(2 * i), value).ok());
  db->CompactRange(nullptr, nullptr);
  const std::string labels = R"(engine="leveldb",policy="compact:10")";
  EXPECT_GT(MetricValue("bloomline_filters_built_total", labels), 600);
  const double keys = MetricValue("bloomline_filter_built_keys_total", labels);
  EXPECT_GT(keys, 0.2 * kKeys);
  EXPECT_LT(keys, 10.0 * kKeys);  // compactions build filters anew
  const double bytes = MetricValue("bloomline_filter_built_bytes_total", labels);
  EXPECT_GT(bytes, keys * 10 / 8 * 0.9);
  EXPECT_LT(bytes, keys * 10 / 8 * 1.2);
  EXPECT_GT(MetricValue("bloomline_filter_build_seconds_total", labels), 0);

  std::string found;
  for (int i = 0; i < kQueries; ++i) {
    ASSERT_TRUE(db->Get({}, Key(2 * i + 1), &found).IsNotFound());
  }
  const double no = MetricValue("bloomline_filter_queries_total", labels + ",answer=\"no\"");
  EXPECT_NEAR(no, kQueries, 0.05 * kQueries);  // some of the Gets read two files
}

}  // namespace
}  // namespace bloomline::tests::leveldb_metrics_test
