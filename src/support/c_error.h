// Errors as C bindings pass them: include/bloomline/c.h, convention 3.
#ifndef BLOOMLINE_SUPPORT_C_ERROR_H_
#define BLOOMLINE_SUPPORT_C_ERROR_H_

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

namespace bloomline::support {

// Frees *errptr and sets it to a copy of `error`, or to null if memory runs out. A null errptr
// means that the caller does not want the text; failures are rarely tested, so it must not crash.
inline void SetCError(std::string_view error, char** errptr) {
  if (errptr == nullptr) return;
  std::free(*errptr);
  *errptr = strndup(error.data(), error.size());
}

constexpr std::string_view kOutOfMemory = "out of memory";

// Returns the result of f(&error). If the result is null or false, or if f throws, *errptr says
// why. Without a text, it says that memory ran out. f throws bad_alloc, or length_error for a size
// without bounds.
template <typename F>
auto OrSetError(char** errptr, F f) -> decltype(f(nullptr)) {
  try {
    std::string error;
    auto result = f(&error);
    if (!result) SetCError(error.empty() ? kOutOfMemory : std::string_view(error), errptr);
    return result;
  } catch (const std::exception&) {
    SetCError(kOutOfMemory, errptr);
    return {};
  }
}

// Returns true, with *error, if the text is null: a std::string of it would be undefined behavior,
// or an exception that OrSetError takes for missing memory.
inline bool IsNullText(const char* text, const char* name, std::string* error) {
  if (text != nullptr) return false;
  *error = std::string(name) + " is NULL; allowed: a string";
  return true;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_C_ERROR_H_
