// Numbers in text: what is read.
#include "src/support/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace bloomline::tests::number_text_test {
namespace {

TEST(NumberTextTest, NumbersAreReadWholeOrNotAtAll) {
  double number = 7;
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "inf", "-inf", "nan", "nan(1)", "INFINITY",
                           "0x10", "1e", "1e400", "-1e400", "1e-400", "1.5.5"}) {
    EXPECT_FALSE(support::ParseDouble(text, &number)) << text;
  }
  EXPECT_EQ(number, 7) << "left alone";
  uint64_t whole = 7;
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "-0", "1.0", "1e3", "0x10",
                           "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_FALSE(support::ParseUint64(text, &whole)) << text;
  }
  EXPECT_EQ(whole, 7u) << "left alone";
  EXPECT_TRUE(support::ParseUint64("18446744073709551615", &whole));
  EXPECT_EQ(whole, std::numeric_limits<uint64_t>::max());
  std::mt19937_64 random(12);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    double drawn;
    std::memcpy(&drawn, &bits, sizeof(drawn));
    if (!std::isfinite(drawn)) continue;
    ASSERT_TRUE(support::ParseDouble(support::DoubleText(drawn), &number)) << drawn;
    ASSERT_EQ(number, drawn);
  }
}

}  // namespace
}  // namespace bloomline::tests::number_text_test
