#include "src/cli/shared/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/support/quoted.h"

namespace bloomline::cli {
namespace {

using support::ParseWithUnit;
using support::Unit;

constexpr std::initializer_list<Unit> kCountUnits = {
    {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr std::initializer_list<Unit> kRateUnits = {{"", 1}, {"%", 0.01}};

}  // namespace

std::optional<uint64_t> ParseCount(const std::string& text, std::string* error) {
  constexpr double kMax = 1e18;
  const std::optional<double> value = ParseWithUnit(text, kCountUnits);
  if (value && *value >= 1 && *value <= kMax && *value == std::floor(*value)) {
    // Digits alone may be more precise than a double.
    std::string digits = text;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    uint64_t exact = 0;
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, exact);
    return parsed.ec == std::errc() && parsed.ptr == end ? exact : static_cast<uint64_t>(*value);
  }
  *error =
      support::Quoted(text) +
      "; allowed: a whole number from 1 to 1e18, for example 5000000000, 5_000_000_000, 5e9 or 5G "
      "(k, M, G, T: powers of 1000)";
  return std::nullopt;
}

std::optional<uint64_t> ParseBytes(const std::string& text, std::string* error) {
  uint64_t bytes = 0;
  if (support::ParseBytes(text, &bytes)) return bytes;
  *error = support::Quoted(text) + "; allowed: " + support::kAllowedBytes;
  return std::nullopt;
}

std::optional<double> ParseRate(const std::string& text, std::string* error) {
  const std::optional<double> value = ParseWithUnit(text, kRateUnits);
  if (value && *value > 0 && *value < 1) return value;
  *error = support::Quoted(text) +
           "; allowed: more than 0 and less than 1, for example 0.01, 1e-2 or 1%";
  return std::nullopt;
}

std::optional<double> ParseNumber(const std::string& text, double min, double max,
                                  std::string* error) {
  const std::optional<double> value = ParseWithUnit(text, {{"", 1}});
  if (value && *value >= min && *value <= max) return value;
  *error = support::Quoted(text) + "; allowed: " + NumberText(min, 0) + " to " + NumberText(max, 0);
  return std::nullopt;
}

std::optional<int> ParseWhole(const std::string& text, int min, int max, std::string* error) {
  const std::optional<double> value = ParseWithUnit(text, {{"", 1}});
  if (value && *value >= min && *value <= max && *value == std::floor(*value)) {
    return static_cast<int>(*value);
  }
  *error = support::Quoted(text) + "; allowed: a whole number from " + std::to_string(min) +
           " to " + std::to_string(max);
  return std::nullopt;
}

std::optional<uint64_t> ParseSeed(const std::string& text, std::string* error) {
  const bool hexadecimal = text.substr(0, 2) == "0x";
  const char* const end = text.data() + text.size();
  uint64_t seed = 0;
  const auto parsed =
      std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, seed, hexadecimal ? 16 : 10);
  if (parsed.ec == std::errc() && parsed.ptr == end) return seed;
  *error =
      support::Quoted(text) + "; allowed: 0 to 18446744073709551615, or 0x0 to 0xffffffffffffffff";
  return std::nullopt;
}

std::string CountText(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

std::string RateText(double rate, int digits) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof(text), 100 * rate, std::chars_format::general, digits);
  return std::string(text, end.ptr) + " %";
}

}  // namespace bloomline::cli
