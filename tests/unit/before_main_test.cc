// A filter in a static variable: built and queried before main, whatever else is initialised by
// then.
#include <gtest/gtest.h>

#include <string>

#include "bloomline/filter.h"

namespace bloomline {
namespace {

std::string Built(Format format) {
  FilterOptions options;
  options.format = format;
  FilterBuilder builder(options);
  builder.AddKey("hello");
  return builder.Finish();
}

const std::string blocked = Built(Format::kBlocked);
const std::string compact = Built(Format::kCompact);
const bool matched_blocked = FilterView::Open(blocked).MayMatch("hello");
const bool matched_compact = FilterView::Open(compact).MayMatch("hello");

TEST(BeforeMainTest, FiltersAreBuiltAndQueried) {
  EXPECT_FALSE(blocked.empty());
  EXPECT_FALSE(compact.empty());
  EXPECT_TRUE(matched_blocked);
  EXPECT_TRUE(matched_compact);
}

}  // namespace
}  // namespace bloomline
