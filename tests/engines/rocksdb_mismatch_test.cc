// A RocksDB of another minor version than the one that bloomline was compiled for. This program's
// GetRocksVersionAsString replaces the library's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/support/case_folding.h"

namespace {

std::string Compiled() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
}

std::string running = "7.0";

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool with_patch) {
  return with_patch ? running + ".0" : running;
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

// The policy of the C function, or null and the error.
std::shared_ptr<const FilterPolicy> StockPolicyInC(const char* text, std::string* error) {
  char* c_error = nullptr;
  rocksdb_filterpolicy_t* const handle =
      bloomline_rocksdb_filterpolicy_create_stock_if_version_differs(text, &c_error);
  EXPECT_EQ(handle == nullptr, c_error != nullptr) << text;
  *error = c_error == nullptr ? "" : c_error;
  std::free(c_error);
  // RocksDB's C functions take it for one, too.
  return std::shared_ptr<const FilterPolicy>(reinterpret_cast<const FilterPolicy*>(handle));
}

std::string Build(const FilterPolicy& policy) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = false;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
  for (int i = 0; i < 5000; ++i) builder->AddKey(std::to_string(i));
  std::unique_ptr<const char[]> buffer;
  const std::string filter = builder->Finish(&buffer).ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());
  return filter;
}

// First, and in this order, because registration is for the whole process.
TEST(RocksDBMismatchTest, EveryWayInRefusesOtherVersionsAndThenTakesTheRightOne) {
  const std::string next = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR + 1);
  for (const std::string& other : {next, Compiled() + "0", std::string("6.29"), std::string()}) {
    running = other;
    std::string error;
    EXPECT_EQ(NewRocksDBFilterPolicy(FilterOptions(), &error), nullptr);
    EXPECT_EQ(error, RefusalOf(other));
    EXPECT_FALSE(RegisterBloomline());
    rocksdb::ObjectLibrary library("a library of the test");
    EXPECT_EQ(RegisterBloomline(library, ""), 0);
    EXPECT_EQ(bloomline_rocksdb_plugin(library, ""), 0);
    char* c_error = nullptr;
    EXPECT_EQ(bloomline_rocksdb_register(&c_error), 0);
    ASSERT_NE(c_error, nullptr);
    EXPECT_EQ(c_error, RefusalOf(other));
    EXPECT_EQ(bloomline_rocksdb_filterpolicy_create("bloomline:10", &c_error), nullptr);
    EXPECT_EQ(c_error, RefusalOf(other));
    EXPECT_EQ(bloomline_rocksdb_slicetransform_create_ranges(&c_error), nullptr);
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

  running = next;
  RocksDBFilterOptions options;
  options.stock_if_version_differs = true;
  testing::internal::CaptureStderr();
  const std::shared_ptr<const FilterPolicy> stock = NewRocksDBFilterPolicy(options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "bloomline: " + RefusalOf(next) + "; until then the filters are RocksDB's own\n");
  ASSERT_NE(stock, nullptr);
  EXPECT_STREQ(stock->Name(), "bloomfilter");
  options.format = Format::kRibbon;
  const std::shared_ptr<const FilterPolicy> ribbon = NewRocksDBFilterPolicy(options);
  ASSERT_NE(ribbon, nullptr);
  EXPECT_STREQ(ribbon->Name(), "ribbonfilter");
  std::string error;
  options.canonicalizer = tests::CaseFolding::Named("test.CaseFolding");
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr) << "keys would be lost";
  options.format = Format::kBlocked;
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr) << "keys would be lost";
  EXPECT_EQ(options.Validate(),
            "stock_if_version_differs is set and there is a canonicalizer, without which RocksDB's "
            "own filters lose keys; allowed: one of the two");
  options.canonicalizer = nullptr;
  options.bits_per_key = 200;
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);

  running = Compiled();
  options.bits_per_key = 10;
  EXPECT_STREQ(NewRocksDBFilterPolicy(options)->Name(), "bloomline");
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

TEST(RocksDBMismatchTest, InCRocksDBsOwnPolicyTakesThePlaceOfBloomlines) {
  const struct {
    const char* text;
    const char* own;
  } kCases[] = {
      {"bloomline", "bloomfilter:10:false"},
      {"bloomline:12.5", "bloomfilter:12.5:false"},
      {"{id=bloomline;format=compact;bits_per_key=8;seed=random}", "bloomfilter:8:false"},
      {"{ format = ribbon ; id=bloomline:9; stock_id=true; }", "ribbonfilter:9:-1"},
      {"id=bloomline;bits_by_level=20:10;format=bloom", "bloomfilter:10:false"},
  };
  running = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR + 1);
  std::string error;
  for (const auto& c : kCases) {
    testing::internal::CaptureStderr();
    const std::shared_ptr<const FilterPolicy> policy = StockPolicyInC(c.text, &error);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "bloomline: " + RefusalOf(running) + "; until then the filters are RocksDB's own\n");
    ASSERT_NE(policy, nullptr) << c.text << ": " << error;
    EXPECT_EQ(Build(*policy), Build(*PolicyOfOptionString(c.own))) << c.text;
  }
  const struct {
    const char* text;
    const char* error;
  } kWrong[] = {
      {"", "filter policy is ''; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;"},
      {"bloomlime:10", "filter policy is 'bloomlime:10'; allowed: "},
      {" bloomline:12.5 ", "filter policy is ' bloomline:12.5 '; allowed: "},
      {"{format=bloom}", "filter policy is '{format=bloom}'; allowed: "},
      {"bloomline:ten", "bits_per_key is 'ten'; allowed: "},
      {"bloomline:1000", "bits_per_key is 1000; allowed: 1 to 100"},
      {"{id=bloomline;format=cuckoo}", "format is 'cuckoo'; allowed: "},
      {"{id=bloomline;bits=9}", "there is no option 'bits'; allowed: bits_per_key, format, "},
      {"{id=bloomline;{format=bloom}}", "there is no option '{format'; allowed: "},
      {"{id=bloomline;canonicalizer=test.CaseFolding}", "stock_if_version_differs is set and "},
  };
  for (const std::string& version : {running, Compiled()}) {
    running = version;
    for (const auto& c : kWrong) {
      EXPECT_EQ(StockPolicyInC(c.text, &error), nullptr) << c.text;
      EXPECT_EQ(error.rfind(c.error, 0), 0u) << c.text << ": " << error;
    }
  }
  EXPECT_STREQ(StockPolicyInC("{id=bloomline;format=bloom}", &error)->Name(), "bloomline");
}

}  // namespace
}  // namespace bloomline
