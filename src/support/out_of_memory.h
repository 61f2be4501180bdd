// Catches what standard containers throw if there is no memory.
#ifndef BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_
#define BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_

#include <exception>

#include "src/support/c_error.h"
#include "src/support/set_error.h"

namespace bloomline::support {

// Returns the result of f(), or `failure` if f throws. f may throw only for lack of memory.
template <typename T, typename F>
T OrIfOutOfMemory(T failure, F f) {
  try {
    return f();
  } catch (const std::exception&) {  // bad_alloc, length_error, system_error
    return failure;
  }
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_OUT_OF_MEMORY_H_
