// What a failed system call leaves, as one sentence.
#ifndef BLOOMLINE_FILTERS_SYSTEM_ERROR_H_
#define BLOOMLINE_FILTERS_SYSTEM_ERROR_H_

#include <cerrno>
#include <string>
#include <system_error>

namespace bloomline::filters {

// False, with "path: what: the meaning of errno" in *error.
inline bool SystemFailure(const std::string& path, const std::string& what, std::string* error) {
  const int code = errno;
  *error = path + ": " + what + ": " + std::generic_category().message(code);
  return false;
}

inline bool NotRegular(const std::string& path, std::string* error) {
  *error = path + ": is not a regular file";
  return false;
}

// The result of call(), which a signal may interrupt before it has done anything.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_SYSTEM_ERROR_H_
