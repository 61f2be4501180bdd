// What the two engines' stores share.
#ifndef BLOOMLINE_TESTS_INJECTED_STORE_FILTERS_H_
#define BLOOMLINE_TESTS_INJECTED_STORE_FILTERS_H_

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "bloomline/filter_options.h"
#include "tests/injected/store.h"

namespace bloomline::tests {

// One of ours, 10 bits per key.
FilterOptions OptionsOf(FilterKind filter);

// The status of a process that a policy threw in.
constexpr int kPolicyThrew = 4;

// f(), which must not throw: engines call policies where nothing catches.
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

// Tells an observer, if there is one, of the code in a scope.
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

#endif  // BLOOMLINE_TESTS_INJECTED_STORE_FILTERS_H_
