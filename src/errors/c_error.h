// Errors as C bindings pass them: include/bloomline/c.h, convention 3.
#ifndef BLOOMLINE_ERRORS_C_ERROR_H_
#define BLOOMLINE_ERRORS_C_ERROR_H_

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "src/errors/out_of_memory.h"

namespace bloomline::core {

// Frees *errptr and sets it to a copy of `error`, or to null if there is no memory for one.
inline void SetCError(std::string_view error, char** errptr) {
  std::free(*errptr);
  *errptr = static_cast<char*>(std::malloc(error.size() + 1));
  if (*errptr == nullptr) return;
  std::memcpy(*errptr, error.data(), error.size());
  (*errptr)[error.size()] = '\0';
}

// The result of f(&error). If that is null or false, *errptr says why. f may throw only for lack of
// memory.
template <typename F>
auto OrSetError(char** errptr, F f) -> decltype(f(nullptr)) {
  std::string error;
  auto result = OrError(&error, f);
  if (!result) SetCError(error, errptr);
  return result;
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_ERRORS_C_ERROR_H_
