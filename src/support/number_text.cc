#include "src/support/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <system_error>

#include "src/support/libc_number_text.h"

namespace bloomline::support {
namespace {

template <typename T>
bool Parse(std::string_view text, T* number) {
  const char* const end = text.data() + text.size();
  T parsed = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, parsed);
  if (status != std::errc() || stop != end) return false;
  *number = parsed;
  return true;
}

#if !defined(__cpp_lib_to_chars) || defined(BLOOMLINE_OLD_CXX_LIBRARY)
bool Parse(std::string_view text, double* number) { return ParseDoubleByLibc(text, number); }
#endif

// BLOOMLINE_OLD_CXX_LIBRARY: the program runs with the C++ library of GCC 8, too.
#ifdef BLOOMLINE_OLD_CXX_LIBRARY
std::string ShortestText(double number) { return ShortestTextByLibc(number); }
std::string FixedText(double number, int digits) { return TextByLibc("%.*f", digits, number); }
std::string GeneralText(double number, int digits) { return TextByLibc("%.*g", digits, number); }
#else
template <typename... Form>
std::string Text(double number, Form... form) {
  char text[400];  // DBL_MAX has 309 digits before the point
  return std::string(text, std::to_chars(text, text + sizeof(text), number, form...).ptr);
}
std::string ShortestText(double number) { return Text(number); }
std::string FixedText(double number, int digits) {
  return Text(number, std::chars_format::fixed, digits);
}
std::string GeneralText(double number, int digits) {
  return Text(number, std::chars_format::general, digits);
}
#endif

}  // namespace

bool ParseDouble(std::string_view text, double* number) {
  double parsed = 0;
  if (!Parse(text, &parsed) || !std::isfinite(parsed)) return false;
  *number = parsed;
  return true;
}

bool ParseUint64(std::string_view text, uint64_t* number) { return Parse(text, number); }

std::string DoubleText(double number) { return ShortestText(number); }

std::string NumberText(double number, int digits) { return FixedText(number, digits); }

bool ParseSize(std::string_view text, uint64_t* bytes) {
  const size_t num_digits = std::min(text.find_first_not_of("0123456789"), text.size());
  uint64_t number;
  if (!ParseUint64(text.substr(0, num_digits), &number)) return false;
  std::string unit(text.substr(num_digits));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kUnits = "kmgt";
  const size_t place = unit.empty() ? kUnits.npos : kUnits.find(unit[0]);
  const size_t shift = place == kUnits.npos ? 0 : 10 * (place + 1);
  if (shift != 0) unit.erase(0, 1);
  if (!unit.empty() && unit != "b" && (unit != "ib" || shift == 0)) return false;
  if (number > kMaxBytes >> shift) return false;
  *bytes = number << shift;
  return true;
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kBinaryUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  // A value that would be rounded to 1024 gets the next unit.
  while (value >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < std::size(kBinaryUnits)) {
    value /= 1024;
    ++unit;
  }
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return NumberText(value, digits) + " " + kBinaryUnits[unit];
}

std::string ShortText(double number) { return GeneralText(number, 6); }

}  // namespace bloomline::support
