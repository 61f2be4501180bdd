// Failing functions return false or null, with one sentence in *error, unless `error` is null.
#ifndef BLOOMLINE_SUPPORT_SET_ERROR_H_
#define BLOOMLINE_SUPPORT_SET_ERROR_H_

#include <cstdio>
#include <string>
#include <string_view>

namespace bloomline::support {

inline void SetError(std::string_view text, std::string* error) {
  if (error != nullptr) *error = text;
}

// Sets *error to the text and returns true, unless the text is empty.
inline bool IsRefused(std::string_view text, std::string* error) {
  if (text.empty()) return false;
  SetError(text, error);
  return true;
}

// Returns the result of f(std::string* reason). If that is null or false, sets *error to the
// reason.
template <typename F>
auto OrError(std::string* error, F f) -> decltype(f(error)) {
  std::string reason;
  auto result = f(&reason);
  if (!result) SetError(reason, error);
  return result;
}

// The same for a function that makes a `what`, such as "FilterAccount". If `error` is null, stderr
// has the reason.
template <typename F>
auto OrReport(const char* what, std::string* error, F f) -> decltype(f(error)) {
  std::string reason;
  auto made = f(&reason);
  if (made == nullptr && error == nullptr) {
    std::fprintf(stderr, "bloomline: no %s: %s\n", what, reason.c_str());
  }
  if (made == nullptr) SetError(reason, error);
  return made;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_SET_ERROR_H_
