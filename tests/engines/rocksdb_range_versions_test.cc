// With which RocksDB filters reject ranges. This program's GetRocksVersionAsString replaces the
// library's. A process decides once, so each test runs in a child.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace {

const std::string kMinor = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
// bloomline asks with the patch for this alone: whether ranges are on.
std::string running_version = kMinor + "." + std::to_string(ROCKSDB_PATCH);

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool with_patch) {
  return with_patch ? running_version : kMinor;
}

namespace bloomline {
namespace {

using rocksdb::Slice;

constexpr bool kNeedsSwitch = ROCKSDB_MAJOR > 11 || (ROCKSDB_MAJOR == 11 && ROCKSDB_MINOR >= 8);

// Runs test() in a child.
void InChild(const std::function<void()>& test) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "there are no tokens";
  const auto run = [&] {
    alarm(100);
    test();
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^$");
}

// Whether filters would learn the range of a scan.
bool ShowsRanges() {
  const auto extractor = NewRangeExtractor();
  const Slice prefix = extractor->Transform("a");
  extractor->Transform("b");
  std::string_view begin, end;
  return LastRange(prefix, &begin, &end);
}

// How often the LOG of a database of two files has the text. rocksdb_ranges_test scans databases.
size_t NumLines(const std::string& text) {
  const tests::TempDir folder;
  RocksDBFilterOptions filter;
  filter.range_prefixes = "1:2:3";
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(filter);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.prefix_extractor = NewRangeExtractor();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(tests::OpenRocksDB(options, folder.Path("db"), &db).ok());
  for (const char* key : {"kaa", "kx"}) {
    EXPECT_TRUE(db->Put({}, key, "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
  }
  const std::string log = tests::ReadFile(folder.Path("db/LOG"));
  size_t lines = 0;
  for (size_t at = 0; (at = log.find(text, at)) != log.npos; ++at) ++lines;
  return lines;
}

void ExpectOff(const std::string& reason) {
  EXPECT_FALSE(ShowsRanges());
  EXPECT_EQ(NumLines("bloomline: filters reject no range: " + reason), 1U);
}

TEST(RocksDBRangeVersionsTest, TestedVersionsRejectRanges) {
  if (!IsTestedPatch(ROCKSDB_PATCH)) GTEST_SKIP() << "this RocksDB was not tested";
  InChild([] {
    setenv("BLOOMLINE_RANGES", "on", 1);
    EXPECT_TRUE(ShowsRanges());
    EXPECT_EQ(NumLines("reject no range"), 0U);
  });
}

TEST(RocksDBRangeVersionsTest, OtherVersionsRejectNone) {
  for (const std::string patch : {".99", ".-1", ".3x", "", "."}) {
    InChild([&] {
      setenv("BLOOMLINE_RANGES", "on", 1);
      running_version = kMinor + patch;
      ExpectOff("bloomline was not tested with this RocksDB");
    });
  }
}

TEST(RocksDBRangeVersionsTest, WhereScansMayDeleteASwitchIsNeeded) {
  if (!IsTestedPatch(ROCKSDB_PATCH)) GTEST_SKIP() << "this RocksDB was not tested";
  InChild([] {
    unsetenv("BLOOMLINE_RANGES");
    if (kNeedsSwitch) {
      ExpectOff("this RocksDB may delete what a scan did not find");
    } else {
      EXPECT_TRUE(ShowsRanges());
    }
  });
}

TEST(RocksDBRangeVersionsTest, OnlyPatchReleasesOfTheTableAreTested) {
  for (const TestedVersion& version : kTestedVersions) {
    if (version.major != ROCKSDB_MAJOR || version.minor != ROCKSDB_MINOR) continue;
    EXPECT_TRUE(IsTestedPatch(0));
    EXPECT_TRUE(IsTestedPatch(version.last_patch));
    EXPECT_FALSE(IsTestedPatch(version.last_patch + 1));
  }
  EXPECT_FALSE(IsTestedPatch(-1));
}

}  // namespace
}  // namespace bloomline
