// Filters of tables that RocksDB wrote, read without it: of every policy, whole and in partitions.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "tests/inspect/sstable_rocksdb.h"

namespace bloomline {
namespace {

using sstable::FilterKind;
using sstable::Table;
using tests::CheckTable;
using tests::DecoupleFilters;
using tests::ExpectSameEntries;
using tests::ExpectSameQueries;
using tests::kRocksDBVersion;
using tests::OneTable;
using tests::OpenTable;
using tests::TableCase;
using tests::TableFilters;
using tests::TempDir;

TEST(SstableRocksDBTest, Policies) {
  FilterOptions compact = {Format::kCompact};
  for (const auto& policy :
       {std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10)),
        NewRocksDBFilterPolicy(FilterOptions()), NewRocksDBFilterPolicy(compact)}) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE(std::string(policy->Name()) + (partitioned ? ", partitioned" : ""));
      TableCase test_case;
      test_case.SetPolicy(policy);
      if (partitioned) test_case.Partition();
      CheckTable(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, DecoupledFilterPartitions) {
  TableCase test_case;
  test_case.Partition();
  if (!DecoupleFilters(&test_case.table, true, 0)) {
    GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " always couples them";
  }
  test_case.has_decoupled_filters = true;
  test_case.table.metadata_block_size = 100;
  CheckTable(test_case, FilterKind::kPartitioned);
}

// RocksDB seeks in the index over partitions, and misses keys where it is not in order.
TEST(SstableRocksDBTest, PartitionsInWrongOrder) {
  TableCase test_case;
  test_case.table.checksum = rocksdb::kNoChecksum;
  test_case.table.format_version = 5;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  std::ifstream file(written.TablePath(), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  TempDir dir;
  const auto problem = [&] {
    std::ofstream(dir.Path("table"), std::ios::binary) << bytes;
    std::string error;
    const auto table = Table::Open(dir.Path("table"), {}, &error);
    if (table == nullptr || table->NewFilterReader(&error) != nullptr) return std::string();
    return error;
  };
  EXPECT_EQ(problem(), "");
  int found = 0;
  // The index over filters is near the end, and few of its keys share bytes.
  size_t at = bytes.size();
  for (int i = 0; i < 300 && found == 0; ++i) {
    at = bytes.rfind("user", at - 1);
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'a';
    if (problem().find("its separators are not in order") != std::string::npos) ++found;
    bytes[at] = 'u';
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace bloomline
