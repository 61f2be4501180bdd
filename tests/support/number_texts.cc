// Prints what texts are as numbers, for tests/platforms/libcxx_test, which compares two C++
// libraries. Without GoogleTest, which is compiled with one of them.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "src/cli/shared/quantity.h"
#include "src/support/number_text.h"
#include "tests/support/comma_locale.h"

namespace bloomline {
namespace {

uint64_t BitsOf(double number) {
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

void Print(const std::string& text) {
  double number = 7;
  const bool parsed = support::ParseDouble(text, &number);
  std::string error;
  const auto rate = cli::ParseRate(text, &error);
  const auto count = cli::ParseCount(text, &error);
  std::printf("'%s' %s %016" PRIx64 " %s, rate %016" PRIx64 ", count %" PRIu64 "\n", text.c_str(),
              parsed ? "is" : "refused:", BitsOf(number), support::DoubleText(number).c_str(),
              BitsOf(rate.value_or(-1)), count.value_or(0));
}

class Texts {
 public:
  // A text of characters that numbers have, and some that they do not have.
  std::string Any() {
    std::string text;
    for (uint64_t left = Below(12); left > 0; --left) text += Pick("0123456789..eE+-xinfapk%_ ,");
    return text;
  }

  // Up to 60 digits, a point somewhere, and an exponent up to the limits of a double.
  std::string Number() {
    std::string text = Below(4) == 0 ? "-" : "";
    const uint64_t digits = 1 + Below(60);
    const uint64_t point = Below(digits + 1);
    for (uint64_t i = 0; i < digits; ++i) {
      if (i == point) text += '.';
      text += Pick("0123456789");
    }
    if (Below(3) > 0) {
      text += Pick("eE");
      text += Pick("-+0");
      text += std::to_string(Below(400));
    }
    return text;
  }

  // Around the smallest numbers, where some texts are subnormal and others out of range.
  std::string Smallest() {
    std::string text = std::to_string(Below(100000));
    return text += "e-" + std::to_string(300 + Below(40));
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  std::string Pick(std::string_view from) { return std::string(1, from[Below(from.size())]); }

  std::mt19937_64 random_{17};
};

int PrintAll() {
  const tests::GermanLocale german;
  if (!german.missing().empty()) {
    std::fprintf(stderr, "%s\n", german.missing().c_str());
    return 77;
  }
  for (const char* text :
       {"",
        " 1",
        "1 ",
        "+1",
        "-0",
        "1.",
        ".5",
        "-.5",
        ".",
        "-",
        "e5",
        "1,5",
        "1.5",
        "inf",
        "-inf",
        "nan",
        "nan(1)",
        "infinity",
        "0x10",
        "0x1p3",
        "1e",
        "1e+",
        "1e5",
        "1E-5",
        "1e400",
        "-1e400",
        "1e-400",
        "0e-400",
        "-0e-400",
        "0.0e999",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "5e-324",
        "2.5e-324",
        "2.4e-324",
        "2.2250738585072011e-308",
        "9007199254740993",
        "9007199254740992.999999999999999999999999999999999999999999999999999999999999999",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000001",
        "1.5k",
        "12.5%",
        "5ek",
        "5e3k",
        "5e%"}) {
    Print(text);
  }
  Texts texts;
  for (int i = 0; i < 30000; ++i) {
    Print(texts.Any());
    Print(texts.Number());
    Print(texts.Smallest());
  }
  return 0;
}

}  // namespace
}  // namespace bloomline

int main() { return bloomline::PrintAll(); }
