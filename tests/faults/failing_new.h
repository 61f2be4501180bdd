// Replaces operator new, malloc, aligned_alloc, mmap and pthread_create in the binary that links
// this, so that a test can make each of them fail. Needs linker options (bloomline_failing_new).
#ifndef BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_
#define BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_

#include <cstdint>

namespace bloomline::tests {

struct FailurePlan {
  uint64_t first = 0;      // number of the allocation that fails, from 1; 0: none
  bool all_after = false;  // and all that follow
};

// Until Disarm, the allocations of all threads are counted and fail as planned. The count continues
// from `seen`. Call from one thread at a time.
void Arm(const FailurePlan& plan, uint64_t seen);

struct AllocationCounts {
  uint64_t seen = 0;    // allocations: `seen` of Arm and those since
  uint64_t failed = 0;  // since Arm
};
AllocationCounts Disarm();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAILING_NEW_H_
