// A sentence that is put together without memory.
#ifndef BLOOMLINE_ERRORS_ERROR_TEXT_H_
#define BLOOMLINE_ERRORS_ERROR_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/errors/out_of_memory.h"

namespace bloomline::core {

// A std::ostringstream without memory drops what it gets and throws nothing: invalid options would
// then have no error, and so be valid. Here the text is there as soon as something was written, and
// only the string that is made of it can lack memory. Numbers look as a std::ostream in the "C"
// locale writes them, whatever the locale is.
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

  // The fewest digits that read back as the same number.
  ErrorText& AppendExactly(double number) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof(text), number);
    return *this << std::string_view(text, static_cast<size_t>(result.ptr - text));
  }

  bool empty() const { return size_ == 0; }
  operator std::string_view() const { return {text_, size_}; }

  // "out of memory" if there is none for the text.
  std::string str() const {
    std::string result;
    SetError(*this, &result);
    return result;
  }

 private:
  static constexpr size_t kMaxBytes = 400;  // the rest is cut off; sentences about options have 200
  char text_[kMaxBytes];
  size_t size_ = 0;
};

// True, with *error = text unless `error` is null, if there is a text.
inline bool IsRefused(const ErrorText& text, std::string* error) {
  if (text.empty()) return false;
  SetError(text, error);
  return true;
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_ERRORS_ERROR_TEXT_H_
