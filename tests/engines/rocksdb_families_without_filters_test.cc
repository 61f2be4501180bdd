// FamiliesWithoutFilters: which families of an open database have no filter policy.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_families_without_filters_test {
namespace {

using Names = std::vector<std::string>;

rocksdb::ColumnFamilyOptions FamilyOfString(const std::string& text) {
  rocksdb::ColumnFamilyOptions options;
  EXPECT_TRUE(rocksdb::GetColumnFamilyOptionsFromString({}, {}, text, &options).ok()) << text;
  return options;
}

rocksdb::ColumnFamilyOptions FamilyWithTables(rocksdb::TableFactory* factory) {
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(factory);
  return options;
}

class FamiliesWithoutFiltersTest : public testing::Test {
 protected:
  void Open(std::vector<rocksdb::ColumnFamilyDescriptor> families) {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    const rocksdb::Status status = OpenRocksDB(options, dir_.Path("db"), families, &handles_, &db_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  ~FamiliesWithoutFiltersTest() override {
    for (auto* const handle : handles_)
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }

  const TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

TEST_F(FamiliesWithoutFiltersTest, NamesThoseOfBlockBasedTablesInTheOrderOfTheHandles) {
  Open({{"default", {}},
        {"bloomline", WithPolicy(NewRocksDBFilterPolicy(FilterOptions()))},
        {"rocksdb", FamilyOfString("block_based_table_factory={filter_policy=bloomfilter:10}")},
        {"no bits", WithPolicy(NewRocksDBFilterPolicy(FilterOptions{Format::kBloom, 0}))},
        {"unknown", FamilyOfString("block_based_table_factory={filter_policy=blomfilter:10}")},
        {"plain", FamilyWithTables(rocksdb::NewPlainTableFactory())},
        {"cuckoo", FamilyWithTables(rocksdb::NewCuckooTableFactory())}});
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), handles_), (Names{"default", "unknown"}));
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), {handles_[4], nullptr, handles_[0], handles_[1]}),
            (Names{"unknown", "default"}));
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), {}), Names());
  EXPECT_EQ(FamiliesWithoutFilters(nullptr, {}), Names());
  EXPECT_EQ(FamiliesWithoutFilters(nullptr, handles_), Names());
}

TEST_F(FamiliesWithoutFiltersTest, FollowsTheRunningDatabase) {
  Open({{"default", WithPolicy(NewRocksDBFilterPolicy(FilterOptions()))}});
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), handles_), Names());
  rocksdb::ColumnFamilyHandle* added = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily({}, "added", &added).ok());
  handles_.push_back(added);
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), handles_), Names{"added"});
  ASSERT_TRUE(db_->DropColumnFamily(added).ok());
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), handles_), Names{"added"});
  const bool is_set =
      db_->SetOptions({{"block_based_table_factory", "{filter_policy=nullptr;}"}}).ok();
  const bool has_none = db_->GetOptions()
                            .table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
                            ->filter_policy == nullptr;
  EXPECT_EQ(FamiliesWithoutFilters(db_.get(), {handles_[0]}).size(), has_none ? 1u : 0u) << is_set;
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_families_without_filters_test
