#include "src/tool/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "src/support/quoted.h"

namespace bloomline::tool {
namespace {

struct Unit {
  const char* name;  // does not begin with e or E
  double factor;
};
constexpr std::initializer_list<Unit> kCountUnits = {
    {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr double kTebi = 1099511627776;
constexpr std::initializer_list<Unit> kByteUnits = {
    {"B", 1},       {"kB", 1e3},      {"MB", 1e6},      {"GB", 1e9},      {"TB", 1e12},
    {"", 1},        {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", kTebi},
    {"K", 1 << 10}, {"M", 1 << 20},   {"G", 1 << 30},   {"T", kTebi},     {"k", 1 << 10},
    {"m", 1 << 20}, {"g", 1 << 30},   {"t", kTebi},
};
constexpr std::initializer_list<Unit> kRateUnits = {{"", 1}, {"%", 0.01}};

// Returns the number before one of the units, times the unit's factor; nothing for any other text.
// Underscores may separate digits.
std::optional<double> ParseWithUnit(std::string text, std::initializer_list<Unit> units) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (text.find_first_not_of("0123456789.") == 0) return std::nullopt;  // such as a minus
  // No unit begins with one of these.
  const size_t digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  double number = 0;
  if (!support::ParseDouble(std::string_view(text).substr(0, digits), &number)) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name == std::string_view(text).substr(digits)) return number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseCount(const std::string& text, std::string* error) {
  constexpr double kMax = 1e18;
  const std::optional<double> value = ParseWithUnit(text, kCountUnits);
  if (value && *value >= 1 && *value <= kMax && *value == std::floor(*value)) {
    // Digits alone may be more precise than a double.
    std::string digits = text;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    auto exact = static_cast<uint64_t>(*value);
    support::ParseUint64(digits, &exact);
    return exact;
  }
  *error =
      support::Quoted(text) +
      "; allowed: a whole number from 1 to 1e18, for example 5000000000, 5_000_000_000, 5e9 or 5G "
      "(k, M, G, T: powers of 1000)";
  return std::nullopt;
}

std::optional<uint64_t> ParseBytes(const std::string& text, std::string* error) {
  uint64_t bytes = 0;
  if (!support::ParseUint64(text, &bytes)) {  // which is more precise than a double
    const std::optional<double> value = ParseWithUnit(text, kByteUnits);
    const bool fits = value && *value <= static_cast<double>(support::kMaxBytes);
    bytes = fits ? static_cast<uint64_t>(*value) : 0;
  }
  if (bytes >= 1 && bytes <= support::kMaxBytes) return bytes;
  *error = support::Quoted(text) +
           "; allowed: 1 B to 2^60 B, for example 4G or 4GiB (K, M, G, T: powers of 1024), 4GB "
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

}  // namespace bloomline::tool
