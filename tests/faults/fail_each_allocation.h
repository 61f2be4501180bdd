// Tests a public function under every failure of memory: its first allocation fails, then its
// second, and so on; once that one alone, once with all that follow.
#ifndef BLOOMLINE_TESTS_FAULTS_FAIL_EACH_ALLOCATION_H_
#define BLOOMLINE_TESTS_FAULTS_FAIL_EACH_ALLOCATION_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/failing_new.h"

namespace bloomline::tests {

// One run of a body.
class Attempt {
 public:
  explicit Attempt(const FailurePlan& plan) : plan_(plan) {}

  // Runs f, which is only the call under test, with the failure armed. True: f returned. False: it
  // threw bad_alloc, as memory had failed.
  template <typename F>
  bool Call(F f) {
    Arm(plan_, counts_.seen);
    try {
      f();
      Note(Disarm());
      return true;
    } catch (const std::bad_alloc&) {
      Note(Disarm());
      EXPECT_TRUE(HasFailed());
      return false;
    }
  }

  // An allocation was made to fail.
  bool HasFailed() const { return counts_.failed != 0; }

 private:
  void Note(const AllocationCounts& counts) {
    counts_.seen = counts.seen;
    counts_.failed += counts.failed;
  }

  const FailurePlan plan_;
  AllocationCounts counts_;
};

// Runs the body first without a failure, then with each one, until a run meets no failure. After
// each run nothing may be leaked.
void FailEachAllocation(const std::function<void(Attempt*)>& body);

// The same with the allocations of all threads, and with threads that cannot start.
void FailEachAllocationOfThreads(const std::function<void(Attempt*)>& body);

// n different keys.
class ManyKeys {
 public:
  explicit ManyKeys(size_t n) {
    for (size_t i = 0; i < n; ++i) stored_.push_back("key " + std::to_string(i));
    views.assign(stored_.begin(), stored_.end());
    for (const std::string_view key : views) {
      starts.push_back(key.data());
      lengths.push_back(key.size());
    }
  }

  // Checks that may_match(key), or the answer for hashes or C's keys, holds for each.
  template <typename MayMatch>
  void ExpectPresent(MayMatch may_match) const {
    size_t num_lost = 0;
    for (const std::string_view key : views) num_lost += may_match(key) ? 0 : 1;
    EXPECT_EQ(num_lost, 0u) << "keys were lost";
  }

 private:
  std::vector<std::string> stored_;

 public:
  std::vector<std::string_view> views;
  std::vector<const char*> starts;
  std::vector<size_t> lengths;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAIL_EACH_ALLOCATION_H_
