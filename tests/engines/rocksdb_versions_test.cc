// A RocksDB of another minor version than the one that bloomline was compiled for has no policy,
// nor has one with other structs. The two functions of RocksDB that this program defines replace
// the library's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"

namespace {

std::string Compiled() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
}

std::string running = Compiled();
bool has_other_struct = false;

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool) { return running; }

ROCKSDB_NAMESPACE::FilterBuildingContext::FilterBuildingContext(
    const BlockBasedTableOptions& options)
    : table_options(options) {
  if (has_other_struct) level_at_creation = 7;
}

namespace bloomline {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::FilterPolicy;

std::string RefusalOf(const std::string& version) {
  return "compiled for RocksDB " + Compiled() + " but running with " + version +
         "; rebuild bloomline against the running version";
}

std::shared_ptr<const FilterPolicy> PolicyOfOptionString(const std::string& text) {
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
      ConfigOptions(), table, "filter_policy=" + text, &table);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return table.filter_policy;
}

// First, and in this order, because registration is for the whole process.
TEST(RocksDBVersionsTest, EveryWayInRefusesOtherVersionsAndThenTakesTheRightOne) {
  const std::string next = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR + 1);
  for (const std::string& other : {next, Compiled() + "0", std::string("6.29"), std::string()}) {
    running = other;
    std::string error;
    EXPECT_EQ(NewRocksDBFilterPolicy(FilterOptions(), &error), nullptr);
    EXPECT_EQ(error, RefusalOf(other));
    EXPECT_EQ(NewCanonicalRocksDBFilterPolicy(nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, RefusalOf(other));
    EXPECT_EQ(NewRangeFilter({}, &error), nullptr);
    EXPECT_EQ(error, RefusalOf(other));
    EXPECT_FALSE(RegisterBloomline());
    testing::internal::CaptureStderr();
    auto* const unused_db = reinterpret_cast<rocksdb::DB*>(&error);
    EXPECT_TRUE(FamiliesWithoutFilters(unused_db, {nullptr}).empty());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "bloomline: FamiliesWithoutFilters: " + RefusalOf(other) + "\n");
    rocksdb::ObjectLibrary library("a library of the test");
    EXPECT_EQ(RegisterBloomline(library, ""), 0);
    EXPECT_EQ(bloomline_rocksdb_plugin(library, ""), 0);
    char* c_error = nullptr;
    EXPECT_EQ(bloomline_rocksdb_register(&c_error), 0);
    ASSERT_NE(c_error, nullptr);
    EXPECT_EQ(c_error, RefusalOf(other));
    EXPECT_EQ(bloomline_rocksdb_filterpolicy_create("bloomline:10", &c_error), nullptr);
    EXPECT_EQ(c_error, RefusalOf(other));
    std::free(c_error);
    std::shared_ptr<const FilterPolicy> policy;
    ConfigOptions config;
    config.ignore_unsupported_options = false;
    EXPECT_FALSE(FilterPolicy::CreateFromString(config, "bloomline:10", &policy).ok());
    EXPECT_EQ(policy, nullptr);
    // By default RocksDB returns OK for an unknown name. Its own name is always known.
    EXPECT_EQ(PolicyOfOptionString("{id=bloomline;format=bloom;bits_per_key=12}"), nullptr);
    EXPECT_NE(PolicyOfOptionString("bloomfilter:12:false"), nullptr);
  }

  running = Compiled();
  has_other_struct = true;
  std::string error;
  EXPECT_EQ(NewRocksDBFilterPolicy(FilterOptions(), &error), nullptr);
  EXPECT_EQ(error,
            "RocksDB's struct FilterBuildingContext is another than in the headers that "
            "bloomline was compiled with");
  EXPECT_FALSE(RegisterBloomline());
  has_other_struct = false;
  EXPECT_STREQ(NewRocksDBFilterPolicy(FilterOptions())->Name(), "bloomline");
  EXPECT_NE(NewRangeFilter(), nullptr);
  rocksdb::ObjectLibrary library("a library of the test");
  EXPECT_EQ(bloomline_rocksdb_plugin(library, ""), 3);
  char* c_error = nullptr;
  EXPECT_EQ(bloomline_rocksdb_register(&c_error), 1);
  EXPECT_EQ(c_error, nullptr);
  std::shared_ptr<const FilterPolicy> policy;
  EXPECT_TRUE(FilterPolicy::CreateFromString(ConfigOptions(), "bloomline:10", &policy).ok());
  EXPECT_NE(policy, nullptr);

  // Registered by then, as if the library had been replaced under a running process.
  running = next;
  EXPECT_FALSE(FilterPolicy::CreateFromString(ConfigOptions(), "bloomline:10", &policy).ok());
}

}  // namespace
}  // namespace bloomline
