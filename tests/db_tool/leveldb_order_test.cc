// LevelDB's tables do not say how their keys are ordered; the MANIFEST does. In an order that is
// not known, no key between two others is known to be missing: a stored one would look like a false
// positive. (Chromium's IndexedDB has such an order.)
#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/db_tool/tool_run.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// Shorter keys first.
class ByLength : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  const char* Name() const override { return "tests.ByLength"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class LevelDBOrderTest : public testing::Test {
 protected:
  void Write(const leveldb::Comparator* comparator) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = filter_.get();
    options.comparator = comparator;
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, folder_, &opened).ok());
    const std::unique_ptr<leveldb::DB> db(opened);
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(db->Put({}, "key" + std::to_string(7 * i), "value").ok());
    }
    db->CompactRange(nullptr, nullptr);
  }

  nlohmann::json Measured() {
    const ToolRun run = RunTool("db measure --json", folder_);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    return run.json["databases"][0]["column_families"][0];
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("db");
  const std::unique_ptr<const leveldb::FilterPolicy> filter_{leveldb::NewBloomFilterPolicy(10)};
};

TEST_F(LevelDBOrderTest, OfAnUnknownComparatorIsNotMeasuredButVerified) {
  const ByLength by_length;
  Write(&by_length);
  const nlohmann::json measured = Measured();
  EXPECT_EQ(measured["all"]["adjacent"]["queries"], 0);
  ASSERT_EQ(measured["not_measured"].size(), 1u) << measured;
  EXPECT_NE(measured["not_measured"][0].dump().find("comparator 'tests.ByLength'"),
            std::string::npos)
      << measured["not_measured"];
  const ToolRun verified = RunTool("db verify --json", folder_);
  EXPECT_EQ(verified.exit_code, 0) << verified.text;
  EXPECT_EQ(verified.json["keys_checked"], 5000);
  const ToolRun inspected = RunTool("db inspect --json", folder_);
  EXPECT_EQ(inspected.json["databases"][0]["files"][0]["comparator"], "tests.ByLength");
}

TEST_F(LevelDBOrderTest, OfBytesIsMeasured) {
  Write(leveldb::BytewiseComparator());
  const nlohmann::json measured = Measured();
  EXPECT_GT(measured["all"]["adjacent"]["queries"], 1000);
  EXPECT_TRUE(measured["not_measured"].empty()) << measured["not_measured"];
}

}  // namespace
}  // namespace bloomline::tests
