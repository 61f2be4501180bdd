// Numbers in text: what is read.
#include "src/support/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "src/cli/shared/quantity.h"

namespace bloomline {
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

TEST(NumberTextTest, TheCommandReadsUnitsAndNothingElse) {
  std::string error;
  for (const char* text : {"", " 5", "x", "inf", "nan", "0x10", "-5", "5e", "5e400", "1e-400", "+",
                           "5,5", "5 k", "5.5.5", "--5", "+-5", "infinity", "1e19"}) {
    EXPECT_EQ(cli::ParseCount(text, &error), std::nullopt) << text;
    EXPECT_NE(error.find(text), std::string::npos);
  }
  EXPECT_EQ(cli::ParseCount("+5", &error), 5u);
  EXPECT_EQ(cli::ParseCount("5e+9", &error), 5000000000u);
  EXPECT_EQ(cli::ParseCount("5_000_000_000", &error), 5000000000u);
  EXPECT_EQ(cli::ParseCount("5.e3", &error), 5000u);
  EXPECT_EQ(cli::ParseCount(".5M", &error), 500000u);
  EXPECT_EQ(cli::ParseCount("999999999999999999", &error), 999999999999999999u);
}

}  // namespace
}  // namespace bloomline
