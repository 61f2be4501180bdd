#include "src/support/number_text.h"

#include <locale.h>
#if __has_include(<xlocale.h>)  // macOS has newlocale there
#include <xlocale.h>
#endif

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

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

#ifndef __cpp_lib_to_chars
// Before version 20, libc++ lacks std::from_chars for double; strtod gives the same numbers.
bool Parse(std::string_view text, double* number) {
  if (text.empty() || text[0] == '+') return false;
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return false;
  static const locale_t classic = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string terminated(text);
  char* stop = nullptr;
  errno = 0;
  *number = strtod_l(terminated.c_str(), &stop, classic);
  // Subnormal numbers are out of range only for errno.
  return stop == terminated.c_str() + text.size() && !(errno == ERANGE && *number == 0);
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

std::string DoubleText(double number) {
  char text[32];  // the longest is 24 characters: -2.2250738585072014e-308
  return std::string(text, std::to_chars(text, text + sizeof(text), number).ptr);
}

std::string NumberText(double number, int digits) {
  char text[400];  // DBL_MAX has 309 digits before the point
  const auto end =
      std::to_chars(text, text + sizeof(text), number, std::chars_format::fixed, digits);
  return std::string(text, end.ptr);
}

void AppendNumber(double number, std::string* text) {
  constexpr int kDigits = 6;
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof(digits), number, std::chars_format::general, kDigits);
  text->append(digits, end.ptr);
}

void AppendNumber(int64_t number, std::string* text) { *text += std::to_string(number); }
void AppendNumber(uint64_t number, std::string* text) { *text += std::to_string(number); }

}  // namespace bloomline::support
