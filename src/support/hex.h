// Lower-case hexadecimal digits.
#ifndef BLOOMLINE_SUPPORT_HEX_H_
#define BLOOMLINE_SUPPORT_HEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bloomline::support {

constexpr char kHexDigits[] = "0123456789abcdef";

// Two digits for each byte.
inline std::string Hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

// All 16 digits of a number, those of its highest bits first.
inline std::string Hex(uint64_t number) {
  std::string text(16, '0');
  for (size_t i = text.size(); i > 0; number >>= 4) text[--i] = kHexDigits[number & 15];
  return text;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_HEX_H_
