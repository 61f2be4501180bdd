// An error message that is composed without allocating memory.
#ifndef BLOOMLINE_SUPPORT_ERROR_TEXT_H_
#define BLOOMLINE_SUPPORT_ERROR_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/support/out_of_memory.h"
#include "src/support/quoted.h"

namespace bloomline::support {

// Out of memory, a std::ostringstream drops its input and throws nothing: invalid options would
// have no error, and so look valid. An ErrorText is not empty as soon as something was written, and
// only the string made from it can fail for lack of memory. Numbers look as a std::ostream in the
// "C" locale writes them, in every locale.
class ErrorText {
 public:
  ErrorText& operator<<(std::string_view text) {
    const size_t size = std::min(text.size(), kMaxBytes - size_);
    text.copy(text_ + size_, size);
    size_ += size;
    return *this;
  }

  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  ErrorText& operator<<(T number) {
    static_assert(!std::is_same_v<T, bool> && !std::is_same_v<T, char>);
    char text[32];
    std::to_chars_result result;
    if constexpr (std::is_floating_point_v<T>) {
      constexpr int kDigits = 6;
      result =
          std::to_chars(text, text + sizeof(text), number, std::chars_format::general, kDigits);
    } else {
      result = std::to_chars(text, text + sizeof(text), number);
    }
    return *this << std::string_view(text, static_cast<size_t>(result.ptr - text));
  }

  // Appends the fewest digits that read back as the same number.
  ErrorText& AppendExactly(double number) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof(text), number);
    return *this << std::string_view(text, static_cast<size_t>(result.ptr - text));
  }

  // Appends what Quoted returns.
  ErrorText& AppendQuoted(std::string_view value) {
    const std::string_view shown = ShownPart(value);
    *this << "'" << shown;
    return shown.size() == value.size() ? *this << "'"
                                        : *this << "...' (" << value.size() << " bytes)";
  }

  bool empty() const { return size_ == 0; }
  operator std::string_view() const { return {text_, size_}; }

  // Returns "out of memory" if there is no memory for the text.
  std::string str() const {
    std::string result;
    SetError(*this, &result);
    return result;
  }

 private:
  // The rest is cut off. Messages about options have up to 200 bytes.
  static constexpr size_t kMaxBytes = 400;
  char text_[kMaxBytes];
  size_t size_ = 0;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_ERROR_TEXT_H_
