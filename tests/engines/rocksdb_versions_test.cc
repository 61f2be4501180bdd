// A RocksDB of another version than the one that bloomline was compiled for: another minor version
// has no policy, and with another patch release filters reject no range. This program's
// GetRocksVersionAsString replaces the library's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace {

std::string Compiled() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
}

std::string running = Compiled();
// bloomline asks with the patch for this alone: whether ranges are on.
std::string patch = "." + std::to_string(ROCKSDB_PATCH);

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool with_patch) {
  return with_patch ? running + patch : running;
}

namespace bloomline {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

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

  running = Compiled();
  EXPECT_STREQ(NewRocksDBFilterPolicy(FilterOptions())->Name(), "bloomline");
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

// Whether filters would learn the range of a scan.
bool ShowsRanges() {
  const auto extractor = NewRangeExtractor();
  const Slice prefix = extractor->Transform("a");
  extractor->Transform("b");
  std::string_view begin, end;
  return engine::LastRange(prefix, &begin, &end);
}

// How often the LOG of a database of two files has the text. rocksdb_ranges_test scans databases.
int NumLines(const std::string& text) {
  const tests::TempDir folder;
  RocksDBFilterOptions filter;
  filter.range_prefixes = "1:2:3";
  rocksdb::Options options = tests::WithPolicy(NewRocksDBFilterPolicy(filter));
  options.prefix_extractor = NewRangeExtractor();
  const auto db = tests::MustOpenRocksDB(options, folder.Path("db"));
  for (const char* key : {"kaa", "kx"}) {
    EXPECT_TRUE(db->Put({}, key, "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
  }
  return tests::CountOf(text, tests::ReadFile(folder.Path("db/LOG")));
}

TEST(RocksDBRangeVersionsTest, OnlyTestedVersionsRejectRanges) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "there are no tokens";
  const std::string running_patch = patch;
  const char* const untested = "bloomline was not tested with this RocksDB";
  const char* const of_this = engine::IsTestedPatch(ROCKSDB_PATCH) ? nullptr : untested;
  // From 11.8 on, RocksDB may delete what a scan did not find.
  constexpr bool kNeedsSwitch = ROCKSDB_MAJOR > 11 || (ROCKSDB_MAJOR == 11 && ROCKSDB_MINOR >= 8);
  const struct {
    std::string patch;
    bool is_switched_on;
    const char* off;  // why they are off; null: they are on
  } kCases[] = {
      {running_patch, true, of_this},
      {running_patch, false,
       of_this == nullptr && kNeedsSwitch ? "this RocksDB may delete what a scan did not find"
                                          : of_this},
      {".99", true, untested},
      {".-1", true, untested},
      {".3x", true, untested},
      {"", true, untested},
      {".", true, untested},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.patch);
    const auto run = [&] {  // in a child, because a process decides once
      alarm(100);
      running = Compiled();
      patch = c.patch;
      c.is_switched_on ? setenv("BLOOMLINE_RANGES", "on", 1) : unsetenv("BLOOMLINE_RANGES");
      EXPECT_EQ(ShowsRanges(), c.off == nullptr);
      const std::string line = "bloomline: filters reject no range";
      EXPECT_EQ(NumLines(line + (c.off == nullptr ? "" : std::string(": ") + c.off)),
                c.off == nullptr ? 0 : 1);
      std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^$");
  }
}

}  // namespace
}  // namespace bloomline
