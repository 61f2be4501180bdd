// Bisection: the place where a condition stops holding.
#ifndef BLOOMLINE_SUPPORT_BISECTION_H_
#define BLOOMLINE_SUPPORT_BISECTION_H_

#include <type_traits>

namespace bloomline::support {

template <typename Number>
struct Border {
  Number holds;  // the last value for which the condition holds
  Number fails;  // the first one for which it does not
};

// Narrows low..high to the border between them. The condition is taken to hold at `low` and to fail
// at `high`, without a call. The search ends when middle(low, high) no longer lies between the two.
template <typename Number, typename Middle, typename Holds>
Border<Number> BisectAt(Middle middle, Number low, Number high, Holds holds) {
  for (;;) {
    const Number between = middle(low, high);
    if (!(low < between && between < high)) return {low, high};
    if (holds(between)) {
      low = between;
    } else {
      high = between;
    }
  }
}

// Halves the distance until it is at most `precision`, or no number lies between.
template <typename Number, typename Holds>
Border<Number> Bisect(Number low, Number high, Holds holds,
                      std::common_type_t<Number> precision = 0) {
  const auto middle = [=](Number from, Number to) {
    return to - from > precision ? from + (to - from) / 2 : from;
  };
  return BisectAt(middle, low, high, holds);
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_BISECTION_H_
