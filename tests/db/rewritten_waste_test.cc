// When `bloomline db rewrite` refuses the filters that advise chooses. With databases:
// rewrite_guard_test.
#include "src/db/rewrite/rewritten_waste.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bloomline::db::rewritten_waste_test {
namespace {

TEST(RewrittenWasteTest, MoreThanBeforeOrUnknownIsRefused) {
  EXPECT_TRUE((RewrittenWaste{0.01, 0.005}.is_no_more()));
  EXPECT_TRUE((RewrittenWaste{0.01, 0.0101}.is_no_more()));
  EXPECT_FALSE((RewrittenWaste{0.01, 0.0104}.is_no_more()));
  EXPECT_TRUE((RewrittenWaste{0, 0}.is_no_more())) << "nothing is rewritten";
  EXPECT_TRUE((RewrittenWaste{1e-9, 9e-6}.is_no_more())) << "as good as none";
  EXPECT_FALSE((RewrittenWaste{0.01, std::nan("")}.is_no_more()));
  EXPECT_FALSE((RewrittenWaste{std::nan(""), 0.01}.is_no_more()));
  EXPECT_FALSE((RewrittenWaste{std::nan(""), std::nan("")}.is_no_more()));
}

}  // namespace
}  // namespace bloomline::db::rewritten_waste_test
