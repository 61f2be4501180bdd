// How the library keeps its rule that nothing throws (filter_options.h). What standard containers
// throw where memory or threads are missing is caught here, and nowhere else if it can be helped.
#ifndef BLOOMLINE_ERRORS_OUT_OF_MEMORY_H_
#define BLOOMLINE_ERRORS_OUT_OF_MEMORY_H_

#include <exception>
#include <string>
#include <string_view>

namespace bloomline::core {

// Of 13 characters: a std::string holds 15 or more without memory.
constexpr std::string_view kOutOfMemory = "out of memory";

// *error = text unless error is null; "out of memory" if there is none for the text.
inline void SetError(std::string_view text, std::string* error) {
  if (error == nullptr) return;
  try {
    error->assign(text);
  } catch (const std::exception&) {  // bad_alloc
    error->assign(kOutOfMemory);
  }
}

// The result of f(); `failure` if f throws, which it may do for want of memory alone.
template <typename T, typename F>
T OrIfOutOfMemory(T failure, F f) {
  try {
    return f();
  } catch (const std::exception&) {  // bad_alloc, length_error, system_error
    return failure;
  }
}

// The result of f(std::string* reason). If it is null or false, or if f throws, which it may do for
// want of memory alone, *error says why, unless `error` is null; else *error stays as it is.
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

}  // namespace bloomline::core

#endif  // BLOOMLINE_ERRORS_OUT_OF_MEMORY_H_
