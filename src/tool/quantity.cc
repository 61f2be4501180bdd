#include "src/tool/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace bloomline::tool {
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
constexpr Unit kRateUnits[] = {{"", 1}, {"%", 0.01}};

// The number in front of one of the units, times that unit. Underscores between digits separate.
template <size_t N>
std::optional<double> ParseWithUnit(std::string text, const Unit (&units)[N]) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  // strtod also takes "inf", "nan", hexadecimal numbers and leading spaces.
  if (text.find_first_not_of("0123456789.eE+-") == 0) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || text.find_first_of("xX") != std::string::npos) return std::nullopt;
  const std::string_view unit(end);
  const Unit* found = std::find_if(std::begin(units), std::end(units),
                                   [&](const Unit& known) { return known.name == unit; });
  if (found == std::end(units)) return std::nullopt;
  return number * found->factor;
}

std::string Format(const char* format, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value, unit);
  return text;
}

}  // namespace

std::optional<uint64_t> ParseCount(const std::string& text, std::string* error) {
  constexpr double kMax = 1e18;
  const std::optional<double> value = ParseWithUnit(text, kCountUnits);
  if (value && *value >= 1 && *value <= kMax && *value == std::floor(*value)) {
    // Digits alone may say more than a double holds.
    std::string digits = text;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    uint64_t exact = 0;
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, exact);
    return parsed.ec == std::errc() && parsed.ptr == end ? exact : static_cast<uint64_t>(*value);
  }
  *error = "'" + text +
           "'; allowed: a whole number from 1 to 1e18, as 5000000000, 5_000_000_000, 5e9 or 5G "
           "(k, M, G, T: powers of 1000)";
  return std::nullopt;
}

std::optional<uint64_t> ParseBytes(const std::string& text, std::string* error) {
  constexpr double kMax = 1152921504606846976;  // 2^60
  const std::optional<double> value = ParseWithUnit(text, kByteUnits);
  if (value && *value >= 1 && *value <= kMax) return static_cast<uint64_t>(*value);
  *error = "'" + text +
           "'; allowed: 1 B to 2^60 B, as 4GiB (KiB, MiB, GiB, TiB: powers of 1024), 4GB (kB, MB, "
           "GB, TB: powers of 1000) or a number of bytes";
  return std::nullopt;
}

std::optional<double> ParseRate(const std::string& text, std::string* error) {
  const std::optional<double> value = ParseWithUnit(text, kRateUnits);
  if (value && *value > 0 && *value < 1) return value;
  *error = "'" + text + "'; allowed: more than 0 and less than 1, as 0.01, 1e-2 or 1%";
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
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const char* format = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
  return Format(format, value, kUnits[unit]);
}

std::string RateText(double rate) { return Format("%.3g %s", 100 * rate, "%"); }

std::string NumberText(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

}  // namespace bloomline::tool
