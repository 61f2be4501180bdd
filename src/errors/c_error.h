// Errors as C bindings pass them: include/bloomline/c.h, convention 3.
#ifndef BLOOMLINE_ERRORS_C_ERROR_H_
#define BLOOMLINE_ERRORS_C_ERROR_H_

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace bloomline::core {

// Frees *errptr and sets it to a copy of `error`, or to null if there is no memory for one.
inline void SetCError(std::string_view error, char** errptr) {
  std::free(*errptr);
  *errptr = static_cast<char*>(std::malloc(error.size() + 1));
  if (*errptr == nullptr) return;
  std::memcpy(*errptr, error.data(), error.size());
  (*errptr)[error.size()] = '\0';
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_ERRORS_C_ERROR_H_
