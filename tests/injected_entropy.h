// The system's random generator, as a test wants it: a program that uses this has its own
// getentropy, which the library then calls instead of libc's.
#ifndef BLOOMLINE_TESTS_INJECTED_ENTROPY_H_
#define BLOOMLINE_TESTS_INJECTED_ENTROPY_H_

#include <cstddef>

namespace bloomline::tests {

// While it lives, the next `num_zeros` calls give zeros, and those after them fail with ENOSYS, as
// on a kernel without getrandom or in a sandbox that forbids it.
class InjectedEntropy {
 public:
  explicit InjectedEntropy(int num_zeros = 0);
  ~InjectedEntropy();
  InjectedEntropy(const InjectedEntropy&) = delete;
  InjectedEntropy& operator=(const InjectedEntropy&) = delete;
};

// Calls so far, injected or not.
int NumEntropyCalls();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_ENTROPY_H_
