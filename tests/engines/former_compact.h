#ifndef BLOOMLINE_TESTS_ENGINES_FORMER_COMPACT_H_
#define BLOOMLINE_TESTS_ENGINES_FORMER_COMPACT_H_

#include <string>

namespace bloomline::tests {

// Bytes as of a compact filter of bloomline before 0.4: two blocks of 64 bytes, and the trailer. No
// key is in it.
inline std::string FormerCompactFilter() {
  const std::string trailer("\0\0\0\0\0\0\0\0\2\0\0\0\3\2\0\0bLn\1", 20);
  return std::string(2 * 64, '\0') + trailer;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_FORMER_COMPACT_H_
