// The adaptor as it is in policy libraries for programs that bundle RocksDB: which versions it
// takes, and that it relies on nothing that differs between the versions of an interface. This
// program's GetRocksVersionAsString replaces the library's; the structs are always the installed
// version's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"

namespace {

std::string running;

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool) { return running; }

namespace bloomline::policy_for_program_test {
namespace {

static_assert(engine::kIsForProgram);

const int kInterface = engine::InterfaceOfHeaders(BLOOMLINE_ROCKSDB_VERSION);

std::string Patch1Of(int version) { return engine::VersionText(version) + ".1"; }

// Of all that the table has, and of what it has not.
std::vector<std::string> VersionsOf(bool in_interface) {
  std::vector<std::string> versions;
  for (const engine::TestedVersion& tested : engine::kTestedVersions) {
    if (tested.version == 700) continue;  // 7.0.1 is refused
    if ((tested.interface == kInterface && tested.ran != nullptr) == in_interface) {
      versions.push_back(Patch1Of(tested.version));
    }
  }
  return versions;
}

std::string RefusalOf(const std::string& version) {
  running = version;
  std::string error;
  const auto policy = NewRocksDBFilterPolicy(RocksDBFilterOptions(), &error);
  EXPECT_EQ(policy == nullptr, !error.empty());
  return error;
}

class PolicyForProgramTest : public testing::Test {
  void SetUp() override {
    if (kInterface == 0) GTEST_SKIP() << "policy libraries were not tested with this RocksDB";
  }
};

TEST_F(PolicyForProgramTest, TakesAllVersionsOfItsInterfaceAndNoOthers) {
  for (const std::string& version : VersionsOf(false)) {
    EXPECT_NE(RefusalOf(version), "") << version;
    EXPECT_FALSE(RegisterBloomline()) << "this test is the first of the process";
  }
  EXPECT_EQ(RefusalOf("11.99.1"),
            "RocksDB 11.99 was not tested with bloomline; the newest tested one is " +
                engine::VersionText(engine::kNewestTested));
  EXPECT_EQ(RefusalOf("7.0.2"), "RocksDB 7.0.2 is older than 7.0.3");
  EXPECT_EQ(RefusalOf("6.29.5"), "RocksDB 6.29.5 is older than 7.0.3");
  for (const char* odd : {"", "9", "9.7", "9.7.4x", "8.106.1", "99999999999.1.1", "x.y.z"}) {
    EXPECT_EQ(RefusalOf(odd), "its version is odd: " + std::string(odd).substr(0, 16));
  }
  const std::vector<std::string> versions = VersionsOf(true);
  EXPECT_FALSE(versions.empty());
  for (const std::string& version : versions) EXPECT_EQ(RefusalOf(version), "") << version;
  EXPECT_TRUE(RegisterBloomline());
}

TEST_F(PolicyForProgramTest, SaysWhichInterfaceAnotherVersionHas) {
  const std::string has = kInterface == 906 ? "8.10.2" : "9.7.3";
  EXPECT_EQ(RefusalOf(has), "compiled for the interface of RocksDB " +
                                engine::VersionText(kInterface) + " but running with " + has +
                                ", which has that of " +
                                engine::VersionText(kInterface == 906 ? 807 : 906));
}

TEST_F(PolicyForProgramTest, FindsTheComparator) {
  running = Patch1Of(BLOOMLINE_ROCKSDB_VERSION);
  ASSERT_EQ(engine::RocksDBLayoutMismatch(), "");
  rocksdb::ColumnFamilyOptions family;
  EXPECT_EQ(engine::ComparatorOf(family), rocksdb::BytewiseComparator());
  family.comparator = rocksdb::ReverseBytewiseComparator();
  EXPECT_EQ(engine::ComparatorOf(family), rocksdb::ReverseBytewiseComparator());
}

// The listener that it needs is another class in other versions.
TEST_F(PolicyForProgramTest, RefusesLimitedMemory) {
  running = Patch1Of(BLOOMLINE_ROCKSDB_VERSION);
  RocksDBFilterOptions options;
  options.memory_bytes = 1000000;
  std::string error;
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);
  EXPECT_EQ(error, "memory is 1000000; allowed: 0 in programs that bundle RocksDB");
  rocksdb::ObjectLibrary library("a library of the test");
  EXPECT_EQ(RegisterBloomline(library, ""), 1) << "only the policy is registered";
}

}  // namespace
}  // namespace bloomline::policy_for_program_test
