#include "src/support/number_text.h"

#include <charconv>
#include <cmath>

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

}  // namespace bloomline::support
