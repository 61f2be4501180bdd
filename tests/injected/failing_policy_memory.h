// Allocations that fail while a filter policy's code is on the stack: the engines themselves do not
// all survive a failed one of their own.
#ifndef BLOOMLINE_TESTS_INJECTED_FAILING_POLICY_MEMORY_H_
#define BLOOMLINE_TESTS_INJECTED_FAILING_POLICY_MEMORY_H_

#include <cstdint>

#include "tests/injected/store.h"

namespace bloomline::tests {

// The program that links this has its own operator new.
class FailingPolicyMemory : public FilterObserver {
 public:
  // The n-th allocation from now on fails, n from 1; with `lasting` all after it, too.
  static void Arm(uint64_t nth, bool lasting);
  static void Disarm();
  static uint64_t count();  // since the last Arm or Disarm
  static uint64_t injected();

  void Enter(bool) override;
  void Leave(bool) override;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_FAILING_POLICY_MEMORY_H_
