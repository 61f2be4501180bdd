#include "src/cli/shared/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kCountUnits[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr Unit kByteUnits[] = {
    {"B", 1}, {"kB", 1e3},      {"MB", 1e6},      {"GB", 1e9},      {"TB", 1e12},
    {"", 1},  {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1099511627776},
};
constexpr Unit kNoUnits[] = {{"", 1}};
constexpr Unit kRateUnits[] = {{"", 1}, {"%", 0.01}};

// The number before one of the units, times that unit. Underscores may separate digits.
template <size_t N>
std::optional<double> ParseWithUnit(std::string text, const Unit (&units)[N]) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (text.find_first_not_of("0123456789.") == 0) return std::nullopt;  // a minus
  // No unit begins with one of these.
  const size_t digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  double number = 0;
  if (!support::ParseDouble(std::string_view(text).substr(0, digits), &number)) return std::nullopt;
  const std::string_view unit = std::string_view(text).substr(digits);
  const Unit* found = std::find_if(std::begin(units), std::end(units),
                                   [&](const Unit& known) { return known.name == unit; });
  if (found == std::end(units)) return std::nullopt;
  return number * found->factor;
}

std::string Digits(double value, std::chars_format format, int digits) {
  char text[400];  // DBL_MAX has 309 digits before the point
  return std::string(text, std::to_chars(text, text + sizeof(text), value, format, digits).ptr);
}

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
  constexpr double kMax = 1152921504606846976;  // 2^60
  const std::optional<double> value = ParseWithUnit(text, kByteUnits);
  if (value && *value >= 1 && *value <= kMax) return static_cast<uint64_t>(*value);
  *error = support::Quoted(text) +
           "; allowed: 1 B to 2^60 B, for example 4GiB (KiB, MiB, GiB, TiB: powers of 1024), 4GB "
           "(kB, MB, GB, TB: powers of 1000) or a number of bytes";
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
  const std::optional<double> value = ParseWithUnit(text, kNoUnits);
  if (value && *value >= min && *value <= max) return value;
  *error = support::Quoted(text) + "; allowed: " + NumberText(min, 0) + " to " + NumberText(max, 0);
  return std::nullopt;
}

std::optional<int> ParseWhole(const std::string& text, int min, int max, std::string* error) {
  const std::optional<double> value = ParseWithUnit(text, kNoUnits);
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

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  // What would be rounded to 1024 is one of the next unit.
  while (value >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return NumberText(value, digits) + " " + kUnits[unit];
}

std::string RateText(double rate) {
  return Digits(100 * rate, std::chars_format::general, 3) + " %";
}

std::string NumberText(double value, int digits) {
  return Digits(value, std::chars_format::fixed, digits);
}

}  // namespace bloomline::cli
