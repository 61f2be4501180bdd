// Whether tests/platforms/jemalloc_test runs this program.
#ifndef BLOOMLINE_TESTS_SUPPORT_HAS_JEMALLOC_H_
#define BLOOMLINE_TESTS_SUPPORT_HAS_JEMALLOC_H_

#include <cstdlib>
#include <cstring>

namespace bloomline::tests {

inline bool HasJemalloc() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "jemalloc") != nullptr;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_HAS_JEMALLOC_H_
