// Code shared by the two engines' stores.
#ifndef BLOOMLINE_TESTS_FAULTS_STORE_FILTERS_H_
#define BLOOMLINE_TESTS_FAULTS_STORE_FILTERS_H_

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "bloomline/filter_options.h"
#include "tests/faults/store.h"

namespace bloomline::tests {

// A policy of ours, 10 bits per key.
FilterOptions OptionsOf(FilterKind filter);

// The exit status of a process in which a policy threw.
constexpr int kPolicyThrew = 4;

// Calls f, which must not throw: where engines call policies, nothing catches.
template <typename F>
auto MustNotThrow(F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& exception) {
    std::printf("FAILED: a policy threw %s\n", exception.what());
    std::fflush(stdout);
    _exit(kPolicyThrew);
  }
}

// Reports the code of a scope to an observer, if there is one.
class Observed {
 public:
  Observed(FilterObserver* observer, bool building) : observer_(observer), building_(building) {
    if (observer_ != nullptr) observer_->Enter(building_);
  }
  ~Observed() {
    if (observer_ != nullptr) observer_->Leave(building_);
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

 private:
  FilterObserver* const observer_;
  const bool building_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_STORE_FILTERS_H_
