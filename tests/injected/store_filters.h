// What the two engines' stores share.
#ifndef BLOOMLINE_TESTS_INJECTED_STORE_FILTERS_H_
#define BLOOMLINE_TESTS_INJECTED_STORE_FILTERS_H_

#include "bloomline/filter_options.h"
#include "tests/injected/store.h"

namespace bloomline::tests {

// One of ours, 10 bits per key.
FilterOptions OptionsOf(FilterKind filter);

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
