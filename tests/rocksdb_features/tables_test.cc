// Options of table files, and ways to read them.
#include <rocksdb/slice_transform.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBTablesTest : public FeatureTest {
 protected:
  void ExpectRightWith(const rocksdb::Options& options, const std::string& name, double max_rate) {
    SCOPED_TRACE(name);
    { PutRuns(Open(options, name).get(), 2); }
    const auto db = Open(options, name);
    EXPECT_GT(FilterBytes(db.get()), 0u);
    ExpectAllRight(From(db.get()), 0, kNumKeys, max_rate);
    Compact(db.get());
    ExpectAllRight(From(db.get()), 0, kNumKeys, max_rate);
  }
  void ExpectRightWith(const rocksdb::BlockBasedTableOptions& table, const std::string& name) {
    ExpectRightWith(MakeOptions(table), name, RateOf(table));
  }
  double RateOf(const rocksdb::BlockBasedTableOptions& table) const {
    return table.partition_filters ? std::max(max_rate(), kMaxSmallRate) : max_rate();
  }
};

TEST_P(RocksDBTablesTest, EveryChecksumType) {
  for (const rocksdb::ChecksumType type : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
                                           rocksdb::kxxHash64, rocksdb::kXXH3}) {
    auto table = Table();
    table.checksum = type;
    ExpectRightWith(table, "checksum" + std::to_string(static_cast<int>(type)));
  }
}

// Below version 5, RocksDB's own policy writes other filters than above it. bloomline's are the
// same in all.
TEST_P(RocksDBTablesTest, EveryFormatVersion) {
  uint64_t bytes = 0;
  for (uint32_t version = 2; version <= rocksdb::BlockBasedTableOptions().format_version;
       ++version) {
    auto table = Table();
    table.format_version = version;
    ExpectRightWith(table, "version" + std::to_string(version));
    const uint64_t now =
        FilterBytes(Open(MakeOptions(table), "version" + std::to_string(version)).get());
    EXPECT_TRUE(bytes == 0 || bytes == now) << bytes << " and " << now;
    bytes = now;
    auto partitioned = PartitionedTable();
    partitioned.format_version = version;
    ExpectRightWith(partitioned, "partitioned" + std::to_string(version));
  }
}

TEST_P(RocksDBTablesTest, BlockAlign) {
  auto table = Table();
  table.block_align = true;
  ExpectRightWith(table, "aligned");
}

TEST_P(RocksDBTablesTest, ParanoidChecks) {
  for (const bool partitioned : {false, true}) {
    auto table = partitioned ? PartitionedTable() : Table();
    table.detect_filter_construct_corruption = true;
    rocksdb::Options options = MakeOptions(table);
    options.paranoid_checks = true;
    options.paranoid_file_checks = true;
    options.force_consistency_checks = true;
    ExpectRightWith(options, partitioned ? "partitioned" : "full", RateOf(table));
  }
}

// A filter then lies in the mapped file, at any address.
TEST_P(RocksDBTablesTest, MappedFiles) {
  for (const bool partitioned : {false, true}) {
    const auto table = partitioned ? PartitionedTable() : Table();
    rocksdb::Options options = MakeOptions(table);
    options.allow_mmap_reads = true;
    ExpectRightWith(options, partitioned ? "partitioned" : "full", RateOf(table));
  }
}

TEST_P(RocksDBTablesTest, DirectReads) {
  rocksdb::Options options = MakeOptions();
  options.use_direct_reads = true;
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status =
      OpenBy(&db, [&](auto* opened) { return rocksdb::DB::Open(options, Path("probe"), opened); });
  if (!status.ok()) GTEST_SKIP() << "no direct reads in this folder: " << status.ToString();
  Put(db.get(), 0, 1);
  if (!db->Flush({}).ok()) GTEST_SKIP() << "no direct reads in this folder";
  ExpectRightWith(options, "direct", max_rate());
}

TEST_P(RocksDBTablesTest, HashIndexes) {
  auto table = Table();
  table.index_type = rocksdb::BlockBasedTableOptions::kHashSearch;
  rocksdb::Options options = MakeOptions(table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
  ExpectRightWith(options, "index", max_rate());
  table = Table();
  table.data_block_index_type =
      rocksdb::BlockBasedTableOptions::DataBlockIndexType::kDataBlockBinaryAndHash;
  ExpectRightWith(table, "data");
}

// Other table factories never ask for a filter policy. Nothing of bloomline's is in their files.
TEST_P(RocksDBTablesTest, OtherTableFormatsHaveNoFilter) {
  rocksdb::Options plain = MakeOptions();
  plain.table_factory.reset(rocksdb::NewPlainTableFactory());
  plain.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
  plain.allow_mmap_reads = true;
  const auto db = Open(plain);
  PutRuns(db.get(), 2);
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_EQ(answers.true_positives + answers.rejected + answers.passed, 0u) << answers;
  // Reads plain tables, and writes block-based ones with filters.
  rocksdb::Options adaptive = MakeOptions();
  adaptive.prefix_extractor = plain.prefix_extractor;
  adaptive.allow_mmap_reads = true;
  adaptive.table_factory.reset(
      rocksdb::NewAdaptiveTableFactory(adaptive.table_factory, adaptive.table_factory));
  const auto both = Open(adaptive, "both");
  PutRuns(both.get(), 2);
  ExpectAllRight(both.get());
}

BLOOMLINE_FEATURE_TESTS(RocksDBTablesTest);

}  // namespace
}  // namespace bloomline
