// Numbers in text: what is read.
#include "src/support/number_text.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/support/libc_number_text.h"
#include "src/tool/quantity.h"
#include "tests/support/temp_dir.h"

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

// What libraries for old systems have must read and write as the others do: OPTIONS files have
// these texts.
TEST(NumberTextTest, LibcReadsAndWritesTheSame) {
  std::vector<double> numbers = {0,
                                 -0.0,
                                 1,
                                 10,
                                 0.1,
                                 14.5,
                                 9.47,
                                 1e15,
                                 1e16,
                                 1e21,
                                 1e22,
                                 1e23,
                                 1e-4,
                                 1e-5,
                                 1e-6,
                                 5e-324,
                                 1152921504606846976.0,
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::infinity()};
  std::mt19937_64 random(13);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random();
    double drawn;
    std::memcpy(&drawn, &bits, sizeof(drawn));
    if (std::isfinite(drawn)) numbers.push_back(drawn);
    numbers.push_back(static_cast<double>(random() % 100000) / 1000);  // as users write them
    numbers.push_back(static_cast<double>(random() >> (i % 64)));
  }
  for (const double number : numbers) {
    const std::string text = support::DoubleText(number);
    ASSERT_EQ(support::ShortestTextByLibc(number), text);
    ASSERT_EQ(support::TextByLibc("%.*f", 3, number), support::NumberText(number, 3));
    ASSERT_EQ(support::TextByLibc("%.*g", 6, number), support::ShortText(number));
    double read = 7;
    ASSERT_EQ(support::ParseDoubleByLibc(text, &read), std::isfinite(number)) << text;
    if (std::isfinite(number)) {
      ASSERT_EQ(read, number);
    }
  }
  double unused;
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "inf", "nan", "0x10", "1e", "1e-400"}) {
    EXPECT_FALSE(support::ParseDoubleByLibc(text, &unused)) << text;
  }
}

// The shortest text of a power of two may be farther from it than another of that length, which
// libc does not find. Its text is longer then, but the number is the same.
TEST(NumberTextTest, LibcWritesPowersOfTwoExactly) {
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double number = std::ldexp(1.0, exponent);
    const std::string text = support::ShortestTextByLibc(number);
    ASSERT_LE(text.size(), support::DoubleText(number).size() + 1) << text;
    double read = 7;
    ASSERT_TRUE(support::ParseDoubleByLibc(text, &read)) << text;
    ASSERT_EQ(read, number) << text;
  }
}

#ifdef __GLIBC__

// LC_NUMERIC of a locale whose decimal point is a comma, as setlocale reads it (locale/localeinfo.h
// of glibc): a mark, the number of fields, their offsets, and the fields. Systems have no such
// locale unless it was installed.
std::string NumericFile() {
  const auto word = [](size_t number) {
    const auto value = static_cast<uint32_t>(number);
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const std::string nothing(4, '\0');
  // Of characters and of wide ones: decimal point and separator of thousands; grouping; charset.
  const std::string fields[] = {word(','), nothing, nothing, word(','), nothing, "UTF-8" + nothing};
  std::string file = word(0x20031115 ^ LC_NUMERIC) + word(std::size(fields));
  size_t offset = file.size() + std::size(fields) * nothing.size();
  std::string all;
  for (const std::string& field : fields) {
    file += word(offset + all.size());
    all += field;
  }
  return file + all;
}

// A program may call setlocale; a JVM does.
TEST(NumberTextTest, LocalesWithCommasChangeNothing) {
  const TempDir dir;
  ASSERT_EQ(mkdir(dir.Path("xx_XX").c_str(), 0700), 0);
  std::ofstream(dir.Path("xx_XX/LC_NUMERIC"), std::ios::binary) << NumericFile();
  ASSERT_EQ(setenv("LOCPATH", dir.Path("").c_str(), 1), 0);
  const char* const set = setlocale(LC_NUMERIC, "xx_XX");
  char printed[8] = "";
  std::snprintf(printed, sizeof(printed), "%.1f", 14.5);
  double by_libc = 0;
  double by_library = 0;
  const bool are_read = support::ParseDoubleByLibc("14.5", &by_libc) &&
                        support::ParseDouble("14.5", &by_library) &&
                        !support::ParseDoubleByLibc("14,5", &by_libc);
  const std::string texts = support::ShortestTextByLibc(14.5) + " " +
                            support::TextByLibc("%.*f", 1, 14.5) + " " +
                            support::TextByLibc("%.*g", 6, 14.5) + " " + support::DoubleText(14.5);
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  ASSERT_NE(set, nullptr);
  ASSERT_STREQ(printed, "14,5");
  EXPECT_TRUE(are_read);
  EXPECT_EQ(by_library, 14.5);
  EXPECT_EQ(texts, "14.5 14.5 14.5 14.5");
}

#endif

// Commands take fractions and digits with underscores, too.
TEST(NumberTextTest, UnitsOfCommandsAreThoseOfOptionStrings) {
  const std::string ends[] = {"", "B", "b", "iB", "IB"};
  const std::pair<const char*, int> letters[] = {{"K", 10}, {"k", 10}, {"M", 20}, {"m", 20},
                                                 {"G", 30}, {"g", 30}, {"T", 40}, {"t", 40}};
  for (const auto& [letter, shift] : letters) {
    for (const std::string& end : ends) {
      const std::string unit = letter + end;
      std::string error;
      EXPECT_EQ(tool::ParseBytes("3" + unit, &error), uint64_t{3} << shift) << unit;
      EXPECT_EQ(tool::ParseBytes("1_0.5" + unit, &error), uint64_t{21} << (shift - 1)) << unit;
      uint64_t bytes = 0;
      EXPECT_TRUE(support::ParseSize("3" + unit, &bytes)) << unit;
      EXPECT_EQ(bytes, uint64_t{3} << shift) << unit;
      EXPECT_FALSE(support::ParseSize("1.5" + unit, &bytes)) << unit;
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::number_text_test
