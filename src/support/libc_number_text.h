// Numbers in text by functions of libc, for C++ libraries whose <charconv> lacks double: that of
// GCC before version 11, and from_chars in libc++ before version 20. number_text.cc uses them
// there.
#ifndef BLOOMLINE_SUPPORT_LIBC_NUMBER_TEXT_H_
#define BLOOMLINE_SUPPORT_LIBC_NUMBER_TEXT_H_

#include <locale.h>
#if __has_include(<xlocale.h>)  // macOS has newlocale there
#include <xlocale.h>
#endif

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace bloomline::support {

inline locale_t ClassicLocale() {
  static const locale_t classic = newlocale(LC_ALL_MASK, "C", nullptr);
  return classic;
}

// Like ParseDouble (number_text.h), but a number that is too large becomes infinity.
inline bool ParseDoubleByLibc(std::string_view text, double* number) {
  if (text.empty() || text[0] == '+') return false;
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return false;
  const std::string terminated(text);
  char* stop = nullptr;
  errno = 0;
  *number = strtod_l(terminated.c_str(), &stop, ClassicLocale());
  // Subnormal numbers are out of range only for errno.
  return stop == terminated.c_str() + text.size() && !(errno == ERANGE && *number == 0);
}

// Like printf in the "C" locale; `format` contains '*' for the digits.
inline std::string TextByLibc(const char* format, int digits, double number) {
  char text[400];  // DBL_MAX has 309 digits before the point
  const locale_t before = uselocale(ClassicLocale());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(text, sizeof(text), format, digits, number);
#pragma GCC diagnostic pop
  uselocale(before);
  return text;
}

// Like DoubleText, except for some powers of two: this looks at the nearest number of each length,
// and there the shortest text may be the second nearest.
inline std::string ShortestTextByLibc(double number) {
  if (!std::isfinite(number)) return TextByLibc("%.*f", 0, number);
  constexpr int kMostDigits = 17;
  int digits = 1;
  std::string scientific;
  for (; digits <= kMostDigits; ++digits) {
    scientific = TextByLibc("%.*e", digits - 1, number);
    if (strtod_l(scientific.c_str(), nullptr, ClassicLocale()) == number) break;
  }
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  const int behind_point = digits - 1 - exponent;
  const std::string fixed = TextByLibc("%.*f", behind_point > 0 ? behind_point : 0, number);
  return fixed.size() <= scientific.size() ? fixed : scientific;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_LIBC_NUMBER_TEXT_H_
