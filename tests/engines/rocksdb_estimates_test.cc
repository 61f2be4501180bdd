// What a builder says of the size of its filter while keys are added, and what it then writes.
// RocksDB 10.9 and later end a file by these numbers: a number that is too large cuts files short.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "tests/engines/rocksdb_settings.h"

namespace bloomline::tests::rocksdb_estimates_test {
namespace {

std::string Key(uint64_t i) { return "key" + std::to_string(1000000000 + i * 7); }

// Adds keys up to each number, and compares what the builder then says with what it writes.
void ExpectGoodEstimates(const Policy& policy, const rocksdb::FilterBuildingContext& context,
                         double extra_bytes) {
  for (const uint64_t num_keys : {1, 30, 1000, 20000, 100000}) {
    const Builder builder(policy->GetBuilderWithContext(context));
    if (builder == nullptr) continue;  // no filter at this level
    double last = 0;
    for (uint64_t i = 0; i < num_keys; ++i) {
      builder->AddKey(Key(i));
      if (i % 1000 != 0) continue;
      const size_t entries = builder->EstimateEntriesAdded();
      const auto estimate = static_cast<double>(builder->CalculateSpace(entries));
      ASSERT_GE(estimate, last) << "at " << i << " of " << num_keys << " keys";
      last = estimate;
    }
    const auto estimate =
        static_cast<double>(builder->CalculateSpace(builder->EstimateEntriesAdded()));
    const auto bytes = static_cast<double>(Finished(builder.get()).size());
    EXPECT_LE(std::abs(estimate - bytes), std::max(64.0, bytes * 0.02) + extra_bytes)
        << num_keys << " keys, level " << context.level_at_creation << ": " << estimate
        << " estimated, " << bytes << " written";
  }
}

class RocksDBEstimatesTest : public ::testing::TestWithParam<Format> {};
std::string NameOf(const testing::TestParamInfo<Format>& format) {
  return FormatName(format.param);
}
INSTANTIATE_TEST_SUITE_P(Format, RocksDBEstimatesTest, ::testing::Values(Format::kBlocked), NameOf);
#if BLOOMLINE_ROCKSDB_VERSION >= 1009  // earlier ones answer for their own formats to nobody
INSTANTIATE_TEST_SUITE_P(StockFormat, RocksDBEstimatesTest,
                         ::testing::Values(Format::kBloom, Format::kRibbon), NameOf);
#endif

// A file that a compaction writes into one of seven levels.
rocksdb::FilterBuildingContext FileIn(int level, const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  context.num_levels = 7;
  context.level_at_creation = level;
  context.is_bottommost = level == 6;
  return context;
}

TEST_P(RocksDBEstimatesTest, AreTheBytesWritten) {
  for (const double bits : {4.0, 10.0, 14.5, 20.0}) {
    const Policy policy = NewRocksDBFilterPolicy(FilterOptions{GetParam(), bits});
    for (const bool is_partition : {false, true}) {
      rocksdb::BlockBasedTableOptions table;
      table.partition_filters = is_partition;
      table.optimize_filters_for_memory = false;
      ExpectGoodEstimates(policy, rocksdb::FilterBuildingContext(table), 0);
    }
  }
}

// The allocator adds up to a page, which RocksDB's own estimates do not count either.
TEST_P(RocksDBEstimatesTest, AreTheBytesWrittenButForWhatFillsAllocations) {
  rocksdb::BlockBasedTableOptions table;
  table.optimize_filters_for_memory = true;
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions{GetParam(), 10});
  ExpectGoodEstimates(policy, rocksdb::FilterBuildingContext(table), 4096);
}

TEST_P(RocksDBEstimatesTest, AreTheBytesWrittenInEachLevel) {
  for (const char* by_level : {"auto", "20:16:12:8:4"}) {
    const Policy policy = PolicyOf(std::string("{id=bloomline;bits_per_key=10;format=") +
                                   FormatName(GetParam()) + ";bits_by_level=" + by_level + ";}");
    rocksdb::BlockBasedTableOptions table;
    table.optimize_filters_for_memory = false;
    for (int level = 0; level < 7; ++level) ExpectGoodEstimates(policy, FileIn(level, table), 0);
  }
}

// RocksDB takes a rate only to compare sizes: more bytes must never look worse.
TEST_P(RocksDBEstimatesTest, RatesFallWithTheBytes) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions{GetParam(), 10});
  const Builder builder = NewBuilder(policy);
  double last = 1;
  for (size_t bytes = 5000; bytes < 30000; bytes += 500) {
    const double rate = builder->EstimatedFpRate(10000, bytes);
    EXPECT_LE(rate, last) << bytes;
    EXPECT_GT(rate, 0) << bytes;
    last = rate;
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_estimates_test
