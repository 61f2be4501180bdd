// Policies with stock_id, which call themselves by the names of RocksDB's own: RocksDB opens their
// databases, and DB::SetOptions does what docs/rocksdb.md says.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

Policy StockIdPolicy(Format format, double bits_per_key) {
  RocksDBFilterOptions options(Options(format, bits_per_key));
  options.stock_id = true;
  std::string error;
  Policy policy = NewRocksDBFilterPolicy(options, &error);
  EXPECT_NE(policy, nullptr) << error;
  return policy;
}

Policy PolicyOfText(const std::string& text) {
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

// "bloomline: bloom 10 0", or "RocksDB: bloomfilter:10:false".
std::string Shown(const rocksdb::FilterPolicy& policy) {
  std::string unused;
  const bool is_bloomline = policy.GetOption(rocksdb::ConfigOptions(), "stock_id", &unused).ok();
  return is_bloomline ? "bloomline: " + Settings(policy) : "RocksDB: " + policy.GetId();
}

class StockIdDatabase {
 public:
  explicit StockIdDatabase(const Policy& policy) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    rocksdb::Options options;
    options.create_if_missing = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    const rocksdb::Status status = OpenRocksDB(options, dir_.Path("db"), &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  rocksdb::Status Set(const std::string& table_options) {
    return db_->SetOptions({{"block_based_table_factory", "{" + table_options + ";}"}});
  }
  std::string filter() const { return Shown(*TableOptions(db_->GetOptions()).filter_policy); }

  // The policy's name in the properties of a table that is written now.
  std::string NameInNewTable() {
    EXPECT_TRUE(db_->Put({}, "key", "value").ok());
    EXPECT_TRUE(db_->Flush({}).ok());
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    EXPECT_EQ(tables.size(), 1u);
    return tables.empty() ? "" : tables.begin()->second->filter_policy_name;
  }

  // The policy in the OPTIONS file.
  std::string LoadedFilter() const {
    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::Status status = rocksdb::LoadLatestOptions(
        rocksdb::ConfigOptions(), dir_.Path("db"), &db_options, &families);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return Shown(*TableOptions(families.at(0).options).filter_policy);
  }

 private:
  static rocksdb::BlockBasedTableOptions TableOptions(const rocksdb::ColumnFamilyOptions& family) {
    return *family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  }

  TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
};

// RocksDB opens a database only if what it reads from the OPTIONS file prints the same.
TEST(RocksDBStockIdTest, PrintsWhatRocksDBsPolicyOfTheOptionsFilePrints) {
  const struct {
    Format format;
    double bits_per_key;
    const char* loaded;
  } kCases[] = {
      {Format::kBloom, 10, "RocksDB: bloomfilter:10:false"},
      {Format::kBloom, 9.58506, "RocksDB: bloomfilter:9.585:false"},
      {Format::kBloom, 0.7, "RocksDB: bloomfilter:1:false"},
      {Format::kBloom, 0.3, "RocksDB: bloomfilter:0:false"},
      {Format::kRibbon, 12, "RocksDB: ribbonfilter:12:-1"},
      {Format::kRibbon, 9.58506, "RocksDB: ribbonfilter:9.585:-1"},
  };
  for (const auto& c : kCases) {
    const Policy policy = StockIdPolicy(c.format, c.bits_per_key);
    StockIdDatabase db(policy);
    EXPECT_EQ(db.LoadedFilter(), c.loaded);
    const rocksdb::ConfigOptions config;
    EXPECT_EQ(policy->ToString(config), PolicyOfText(policy->GetId())->ToString(config));
    const Policy without = NewRocksDBFilterPolicy(Options(c.format, c.bits_per_key));
    EXPECT_NE(policy->ToString(config), without->ToString(config));
  }
}

// RocksDB before 9.8 changes the policy that is there; later ones make a new policy of its name.
TEST(RocksDBStockIdTest, SetOptionsGivesRocksDBsOwnOnlyIfItNamesAFilterPolicy) {
  const struct {
    const char* change;
    const char* changed;  // before 9.8; null: refused
    const char* made;     // from 9.8 on
  } kCases[] = {
      {"block_size=8192", "bloomline: bloom 10 0", "bloomline: bloom 10 0"},
      {"filter_policy={bits_per_key=16;}", "bloomline: bloom 16 0",
       "RocksDB: bloomfilter:10:false"},
      {"filter_policy=bloomfilter:10:false", "bloomline: bloom 10 0",
       "RocksDB: bloomfilter:10:false"},
      {"filter_policy=bloomfilter:12:false", nullptr, "RocksDB: bloomfilter:12:false"},
      {"filter_policy={id=bloomline;format=bloom;bits_per_key=16;stock_id=true;}", nullptr,
       "bloomline: bloom 16 0"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.change);
    StockIdDatabase db(StockIdPolicy(Format::kBloom, 10));
    const rocksdb::Status status = db.Set(c.change);
    EXPECT_EQ(status.ok(), kSetOptionsMakesANewPolicy || c.changed != nullptr) << status.ToString();
    const char* const old = c.changed == nullptr ? "bloomline: bloom 10 0" : c.changed;
    EXPECT_EQ(db.filter(), kSetOptionsMakesANewPolicy ? c.made : old);
  }
}

TEST(RocksDBStockIdTest, SetOptionsReturnsToBloomline) {
  if (!kSetOptionsMakesANewPolicy) GTEST_SKIP() << "this RocksDB cannot replace a policy";
  ASSERT_TRUE(RegisterBloomline());
  for (const char* const format : {"bloom", "ribbon"}) {
    StockIdDatabase db(PolicyOfText("bloomfilter:10:false"));
    EXPECT_EQ(db.filter(), "RocksDB: bloomfilter:10:false");
    const std::string text = std::string("{id=bloomline;format=") + format +
                             ";bits_per_key=9.5;bits_by_level=auto;stock_id=true;}";
    const rocksdb::Status status = db.Set("filter_policy=" + text);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(db.filter(), std::string("bloomline: ") + format + " 9.5 0");
    EXPECT_EQ(db.NameInNewTable(), std::string(format) + "filter");
    EXPECT_EQ(db.LoadedFilter(), "RocksDB: " + PolicyOfText(text)->GetId());
  }
}

}  // namespace
}  // namespace bloomline::tests
