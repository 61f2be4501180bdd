// Replaces operator new and delete, malloc, aligned_alloc, mmap and pthread_create in the binary it
// is linked to, so that a test can make any one of them fail. Needs the linker options that
// tests/CMakeLists.txt gives to allocation_failure_test.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_FAILING_NEW_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_FAILING_NEW_H_

#include <cstdint>

namespace bloomline::tests {

struct FailurePlan {
  uint64_t first = 0;        // the allocation that fails, from 1; 0: none
  bool all_after = false;    // and all that follow: memory stays out
  bool all_threads = false;  // else only those of the thread that armed the plan count
};

// From here on, until Disarm, allocations are counted and fail as planned; the count goes on from
// `seen`. One thread at a time.
void Arm(const FailurePlan& plan, uint64_t seen);

struct AllocationCounts {
  uint64_t seen = 0;    // `seen` of Arm and those since
  uint64_t failed = 0;  // since Arm
};
AllocationCounts Disarm();

// What the process has and has not given back: blocks of the heap plus bytes of maps.
int64_t LiveMemory();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_FAILING_NEW_H_
