// How the library keeps its rule that nothing throws (filter_options.h). Standard containers throw
// if memory or threads are missing. The functions here catch that; other code should not have to.
#ifndef BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_
#define BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_

#include <exception>
#include <string>
#include <string_view>

#include "src/support/c_error.h"

namespace bloomline::support {

// Sets *error to the text unless `error` is null; to "out of memory" if there is no memory for the
// text.
inline void SetError(std::string_view text, std::string* error) {
  if (error == nullptr) return;
  try {
    error->assign(text);
  } catch (const std::exception&) {  // bad_alloc
    error->assign(kOutOfMemory);
  }
}

// Returns the result of f(), or `failure` if f throws. f may throw only for lack of memory.
template <typename T, typename F>
T OrIfOutOfMemory(T failure, F f) {
  try {
    return f();
  } catch (const std::exception&) {  // bad_alloc, length_error, system_error
    return failure;
  }
}

// Returns the result of f(std::string* reason). If that is null or false, or if f throws, *error is
// set to the reason, unless `error` is null. Otherwise *error is left alone. f may throw only for
// lack of memory.
template <typename F>
auto OrError(std::string* error, F f) -> decltype(f(error)) {
  try {
    std::string reason;
    auto result = f(&reason);
    if (!result) SetError(reason.empty() ? kOutOfMemory : std::string_view(reason), error);
    return result;
  } catch (const std::exception&) {
    SetError(kOutOfMemory, error);
    return {};
  }
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_
