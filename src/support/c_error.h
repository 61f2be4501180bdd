// Errors as C bindings pass them: include/bloomline/c.h, convention 3.
#ifndef BLOOMLINE_SUPPORT_C_ERROR_H_
#define BLOOMLINE_SUPPORT_C_ERROR_H_

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "src/support/out_of_memory.h"

namespace bloomline::support {

// Frees *errptr and sets it to a copy of `error`, or to null if there is no memory for one. A null
// errptr stands for no wish to know: failures are what programs try least, and must not crash them.
inline void SetCError(std::string_view error, char** errptr) {
  if (errptr == nullptr) return;
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

// True, with *error, for a text that is null. To std::string it would be undefined behavior, or an
// exception that OrError takes for a lack of memory.
inline bool IsNullText(const char* text, const char* name, std::string* error) {
  if (text != nullptr) return false;
  *error = std::string(name) + " is NULL; allowed: a string";
  return true;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_C_ERROR_H_
