// Failing functions return false or null, with one sentence in *error, unless `error` is null. This
// file also contains errors about unusable paths and failed system calls.
#ifndef BLOOMLINE_SUPPORT_SET_ERROR_H_
#define BLOOMLINE_SUPPORT_SET_ERROR_H_

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

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

// Returns the result of f(std::string* reason). If the result is null or false, sets *error to the
// reason.
template <typename F>
auto OrError(std::string* error, F f) -> decltype(f(error)) {
  std::string reason;
  auto result = f(&reason);
  if (!result) SetError(reason, error);
  return result;
}

// Does the same for a function that makes a `what`, such as "FilterAccount". If `error` is null,
// prints the reason to stderr.
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

// Returns the result of f(), or `failure` if f throws.
template <typename T, typename F>
T OrIfItThrows(T failure, F f) {
  try {
    return f();
  } catch (const std::exception&) {
    return failure;
  }
}

// ---- Paths and system calls. `error` is not null.

// Returns false, with "path: what: the meaning of errno" in *error. Leaves errno as it is.
inline bool SystemFailure(const std::string& path, const std::string& what, std::string* error) {
  const int code = errno;
  *error = path + ": " + what + ": " + std::generic_category().message(code);
  errno = code;
  return false;
}

inline bool NotRegular(const std::string& path, std::string* error) {
  *error = path + ": is not a regular file";
  return false;
}

// Returns true, with *error, for a path with a zero byte: the system would read it only up to
// there.
inline bool HasZeroByte(const std::string& path, std::string* error) {
  const size_t offset = path.find('\0');
  if (offset == std::string::npos) return false;
  *error = path + ": has a zero byte at offset " + std::to_string(offset);
  return true;
}

// Returns true, with *error, for an empty path: errors begin with the path.
inline bool IsNoPath(const std::string& path, std::string* error) {
  if (!path.empty()) return HasZeroByte(path, error);
  *error = "path is empty; allowed: the path of a file";
  return true;
}

// Returns the result of call(), repeated while a signal interrupts it.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_SET_ERROR_H_
