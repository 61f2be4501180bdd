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
constexpr std::initializer_list<Unit> kRateUnits = {{"", 1}, {"%", 0.01}};

// Returns the number at the start of the text without underscores, which may separate digits, and
// sets *unit to the rest; nothing if there is no number.
std::optional<double> ParseStart(std::string text, std::string* unit) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (text.find_first_not_of("0123456789.") == 0) return std::nullopt;  // such as a minus
  // No unit begins with one of these.
  const size_t digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  double number = 0;
  if (!support::ParseDouble(std::string_view(text).substr(0, digits), &number)) return std::nullopt;
  *unit = text.substr(digits);
  return number;
}

// Returns the number before one of the units, times the unit's factor; nothing for any other text.
std::optional<double> ParseWithUnit(const std::string& text, std::initializer_list<Unit> units) {
  std::string rest;
  const std::optional<double> number = ParseStart(text, &rest);
  for (const Unit& unit : units) {
    if (number && unit.name == rest) return *number * unit.factor;
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
    std::string unit;
    uint64_t factor = 0;
    const std::optional<double> number = ParseStart(text, &unit);
    const bool is_size = number && support::ParseSize("1" + unit, &factor);
    const double value = is_size ? *number * static_cast<double>(factor) : 0;
    bytes = value <= static_cast<double>(support::kMaxBytes) ? static_cast<uint64_t>(value) : 0;
  }
  if (bytes >= 1 && bytes <= support::kMaxBytes) return bytes;
  *error =
      support::Quoted(text) +
      "; allowed: 1 B to 2^60 B, for example 4096, 512M or 4GiB (K, KB and KiB are 1024 bytes; "
      "M, G, T: powers of 1024)";
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

std::string Counted(uint64_t count, const std::string& one, const std::string& many) {
  return CountText(count) + " " + (count == 1 ? one : many);
}

std::string RateText(double rate, int digits) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof(text), 100 * rate, std::chars_format::general, digits);
  return std::string(text, end.ptr) + " %";
}

}  // namespace bloomline::tool
