// Errors about paths that cannot be used and system calls that failed.
#ifndef BLOOMLINE_SUPPORT_SYSTEM_ERROR_H_
#define BLOOMLINE_SUPPORT_SYSTEM_ERROR_H_

#include <cerrno>
#include <string>
#include <system_error>

namespace bloomline::support {

// Returns false, with "path: what: the meaning of errno" in *error.
inline bool SystemFailure(const std::string& path, const std::string& what, std::string* error) {
  const int code = errno;
  *error = path + ": " + what + ": " + std::generic_category().message(code);
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

#endif  // BLOOMLINE_SUPPORT_SYSTEM_ERROR_H_
