// Makes allocations fail while a filter policy's code is on the stack, and only then: not every
// part of the engines survives a failed allocation.
#ifndef BLOOMLINE_TESTS_FAULTS_FAILING_POLICY_MEMORY_H_
#define BLOOMLINE_TESTS_FAULTS_FAILING_POLICY_MEMORY_H_

#include <cstdint>

#include "tests/faults/store.h"

namespace bloomline::tests {

// The program that links this has its own operator new.
class FailingPolicyMemory : public FilterObserver {
 public:
  // The n-th allocation from now on fails, n from 1; with `lasting` also all later ones.
  static void Arm(uint64_t nth, bool lasting);
  static void Disarm();
  static uint64_t count();  // allocations since the last Arm or Disarm
  static uint64_t injected();

  void Enter(bool) override;
  void Leave(bool) override;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAILING_POLICY_MEMORY_H_
