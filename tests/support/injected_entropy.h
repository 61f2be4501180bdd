// Replaces the system's random generator: a program that links this has its own getentropy, which
// the library calls instead of libc's.
#ifndef BLOOMLINE_TESTS_SUPPORT_INJECTED_ENTROPY_H_
#define BLOOMLINE_TESTS_SUPPORT_INJECTED_ENTROPY_H_

namespace bloomline::tests {

// While it lives, the next `num_zeros` calls give zeros. Later calls fail with ENOSYS, as on a
// kernel without getrandom or in a sandbox that forbids it.
class InjectedEntropy {
 public:
  explicit InjectedEntropy(int num_zeros = 0);
  ~InjectedEntropy();
  InjectedEntropy(const InjectedEntropy&) = delete;
  InjectedEntropy& operator=(const InjectedEntropy&) = delete;
};

// Number of calls so far, injected or not.
int NumEntropyCalls();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_INJECTED_ENTROPY_H_
