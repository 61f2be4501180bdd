// Numbers in text are written and read in the same way in every locale.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "bloomline/filter_options.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/cli/shared/quantity.h"
#include "src/support/number_text.h"
#include "tests/support/comma_locale.h"
#ifdef BLOOMLINE_TEST_REDIS
#include "bloomline/redis_bloom_filter.h"
#include "src/redis/layout.h"
#endif

namespace bloomline {
namespace {

std::string OptionsError(Format format, double bits_per_key) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  return options.Validate();
}

// Metadata for Redis, written, read and written again, and messages about its options.
std::string RedisTexts() {
#ifdef BLOOMLINE_TEST_REDIS
  SharedBloomFilterOptions options;
  options.capacity = 1234567;
  options.false_positive_rate = 0.0125;
  redis::Layout layout = redis::PlanLayout(options);
  std::string error;
  EXPECT_TRUE(redis::DecodeMetadata(redis::EncodeMetadata(layout), &layout, &error)) << error;
  EXPECT_EQ(layout.false_positive_rate, 0.0125);
  options.false_positive_rate = 0.75;
  RedisServers servers;
  servers.servers = {"host:1"};
  servers.connect_timeout_ms = 1234567;
  return redis::EncodeMetadata(layout) + "\n" + options.Validate() + "\n" + servers.Validate() +
         "\n";
#else
  return "";
#endif
}

// Texts with fractions and numbers of more than three digits: by options, by the tool, for Redis.
std::string AllTexts() {
  std::string all = OptionsError(Format::kBlocked, 123456.5) + "\n";
  all += OptionsError(Format::kCompact, 2.25) + "\n" + OptionsError(Format{1234}, 10) + "\n";
  ScalableBloomFilterOptions scalable;
  scalable.growth = 1234567;
  all += scalable.Validate() + "\n";
  scalable.growth = 2;
  scalable.tightening = 1234.5;
  all += scalable.Validate() + "\n";
  all += cli::CountText(1234567) + " " + cli::BytesText(123456) + " " + cli::BytesText(1 << 20) +
         " " + cli::RateText(0.012345) + " " + cli::RateText(1e-9) + " " +
         cli::NumberText(1234.56, 1) + "\n";
  return all + RedisTexts();
}

std::string ReadBack(const std::string& text) {
  std::string error;
  const auto rate = cli::ParseRate(text, &error);
  return rate ? cli::NumberText(*rate, 6) : "refused";
}

void ExpectTheSame(const std::string& classic) {
  EXPECT_EQ(AllTexts(), classic);
  EXPECT_EQ(ReadBack("0.125"), "0.125000");
  EXPECT_EQ(ReadBack("12.5%"), "0.125000");
  EXPECT_EQ(ReadBack("0,125"), "refused");
  std::string error;
  EXPECT_EQ(cli::ParseCount("1.5k", &error), 1500u);
  EXPECT_EQ(cli::ParseBytes("1.5KiB", &error), 1536u);
  EXPECT_EQ(cli::ParseBytes("1,5KiB", &error), std::nullopt);
}

TEST(LocaleTest, StreamsOfAnotherLocaleChangeNoText) {
  const std::string classic = AllTexts();
  const tests::CommaStreams comma;
  std::ostringstream shows;
  shows << 1234.5;
  ASSERT_EQ(shows.str(), "1.234,5");
  ExpectTheSame(classic);
}

TEST(LocaleTest, GermanLocaleChangesNoText) {
  const std::string classic = AllTexts();
  const tests::GermanLocale german;
  if (!german.missing().empty()) GTEST_SKIP() << german.missing();
  char shows[16];
  std::snprintf(shows, sizeof(shows), "%.1f", 1.5);
  ASSERT_STREQ(shows, "1,5");
  ExpectTheSame(classic);
}

TEST(LocaleTest, NumbersAreReadWholeOrNotAtAll) {
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

TEST(LocaleTest, TheToolReadsWhatItDidAndNothingElse) {
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
  EXPECT_EQ(cli::ParseRate("1e-2", &error), 0.01);
}

}  // namespace
}  // namespace bloomline
