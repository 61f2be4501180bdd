// Values in error texts. They may be a megabyte long.
#ifndef BLOOMLINE_SUPPORT_QUOTED_H_
#define BLOOMLINE_SUPPORT_QUOTED_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomline::support {

// Returns 'value', or the beginning of a long one as in 'xxx...' (1000000 bytes). Characters of
// UTF-8 stay whole.
inline std::string Quoted(std::string_view value) {
  constexpr size_t kMaxShownBytes = 100;
  if (value.size() <= kMaxShownBytes) return "'" + std::string(value) + "'";
  size_t size = kMaxShownBytes;
  while (size > kMaxShownBytes - 4 && (static_cast<unsigned char>(value[size]) & 0xc0) == 0x80) {
    --size;
  }
  return "'" + std::string(value.substr(0, size)) + "...' (" + std::to_string(value.size()) +
         " bytes)";
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_QUOTED_H_
