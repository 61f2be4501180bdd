// Tests a public function under every failure of memory: its first allocation fails, then its
// second, and so on; once that one alone, once with all that follow.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_ATTEMPTS_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_ATTEMPTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/allocation_failure/failing_new.h"

namespace bloomline::tests {

// One run of a body.
class Attempt {
 public:
  explicit Attempt(const FailurePlan& plan) : plan_(plan) {}

  // Runs f, which is only the call under test, with the failure armed. An exception from f fails
  // the test.
  template <typename F>
  void Call(F f) {
    Arm(plan_, counts_.seen);
    std::string escaped;
    bool has_escaped = false;
    try {
      f();
      Note(Disarm());
    } catch (const std::exception& exception) {
      Note(Disarm());
      has_escaped = true;
      escaped = exception.what();
    }
    if (has_escaped) CountEscape(escaped);
  }

  // An allocation was made to fail.
  bool HasFailed() const { return counts_.failed != 0; }
  uint64_t failed() const { return counts_.failed; }

  // Checks a call whose `error` was kUntouched: it succeeded and left `error` alone, or memory
  // failed and `error` says why.
  static constexpr char kUntouched[] = "untouched";
  void CheckOutcome(bool succeeded, const std::string& error) const;

  // Checks a call that must refuse its arguments, with or without memory.
  static void CheckRefusal(bool succeeded, const std::string& error);

  // Checks the answer for a key whose addition the library reported as successful.
  static void CheckPresent(bool may_match);

 private:
  void Note(const AllocationCounts& counts) {
    counts_.seen = counts.seen;
    counts_.failed += counts.failed;
  }
  static void CountEscape(const std::string& what);

  const FailurePlan plan_;
  AllocationCounts counts_;
};

using Functions = std::initializer_list<const char*>;

// Runs the body, which must call the named functions, first without a failure, then with each one,
// until a run meets no failure. After each run nothing may be leaked.
void FailEachAllocation(Functions functions, const std::function<void(Attempt*)>& body);

// The same with the allocations of all threads, and with threads that cannot start.
void FailEachAllocationOfThreads(Functions functions, const std::function<void(Attempt*)>& body);

// Runs f and fails if it allocates.
void ExpectNoAllocation(Functions functions, const std::function<void()>& f);

// n different keys.
std::vector<std::string> MakeKeys(size_t n);
std::vector<std::string_view> Views(const std::vector<std::string>& keys);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_ATTEMPTS_H_
