// A public function under every failure of memory: its first allocation fails, its second, and so
// on; that one alone, and that one with all that follow.
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

  // Runs f, the call under test and nothing else, with the failure armed. An exception that leaves
  // f fails the test.
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

  // A call with `error` = kUntouched has succeeded and left it alone, or it has failed, because
  // memory did, and says why.
  static constexpr char kUntouched[] = "untouched";
  void CheckOutcome(bool succeeded, const std::string& error) const;

  // A call that refuses its arguments, with or without memory.
  static void CheckRefusal(bool succeeded, const std::string& error);

  // The answer about a key of which the library had said that it was added.
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

// Runs the body, which is to call the functions named, without a failure and then with each, until
// a run meets none. After each: nothing leaked.
void FailEachAllocation(Functions functions, const std::function<void(Attempt*)>& body);

// The same with the allocations of all threads, and with threads that cannot be started.
void FailEachAllocationOfThreads(Functions functions, const std::function<void(Attempt*)>& body);

// Runs f and fails if it allocates.
void ExpectNoAllocation(Functions functions, const std::function<void()>& f);

// n different keys.
std::vector<std::string> MakeKeys(size_t n);
std::vector<std::string_view> Views(const std::vector<std::string>& keys);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_ATTEMPTS_H_
