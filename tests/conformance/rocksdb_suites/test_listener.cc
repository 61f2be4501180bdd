// Adds to each test's result how many builders, filters and readers of bloomline it used.
#include <gtest/gtest.h>

#include "tests/conformance/rocksdb_suites/counts.h"

namespace bloomline {
namespace {

class CountListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    Counts().builders = 0;
    Counts().filters = 0;
    Counts().readers = 0;
  }
  void OnTestEnd(const testing::TestInfo&) override {
    testing::Test::RecordProperty("builders", Counts().builders);
    testing::Test::RecordProperty("filters", Counts().filters);
    testing::Test::RecordProperty("readers", Counts().readers);
  }
};

[[maybe_unused]] const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new CountListener);
  return true;
}();

}  // namespace
}  // namespace bloomline
