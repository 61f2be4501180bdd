// Replaces operator new and delete, malloc, aligned_alloc, mmap and pthread_create in the binary
// that links this, so that a test can make each of them fail. Needs the linker options that
// tests/support/functions.cmake calls bloomline_failing_new.
#ifndef BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_
#define BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_

#include <cstdint>

namespace bloomline::tests {

struct FailurePlan {
  uint64_t first = 0;        // number of the allocation that fails, from 1; 0: none
  bool all_after = false;    // and all that follow
  bool all_threads = false;  // count all threads, not only the one that armed the plan
  bool in_scopes = false;    // count only what is between EnterScope and LeaveScope, in any thread
};

// Until Disarm, allocations are counted and fail as planned. The count continues from `seen`. Call
// from one thread at a time.
void Arm(const FailurePlan& plan, uint64_t seen);

struct AllocationCounts {
  uint64_t seen = 0;    // allocations: `seen` of Arm and those since
  uint64_t failed = 0;  // since Arm
};
AllocationCounts Disarm();

// The code of this thread in between is what a plan with in_scopes counts.
void EnterScope();
void LeaveScope();

// What the process has allocated and not freed: heap blocks plus mapped bytes.
int64_t LiveMemory();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_
