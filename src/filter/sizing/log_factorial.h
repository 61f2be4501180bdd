#ifndef BLOOMLINE_FILTER_SIZING_LOG_FACTORIAL_H_
#define BLOOMLINE_FILTER_SIZING_LOG_FACTORIAL_H_

#include <math.h>

namespace bloomline::filter {

// ln n!. Not by std::lgamma, which writes the sign to a global variable: a data race between
// threads.
inline double LogFactorial(double n) {
  int sign;
  return lgamma_r(n + 1, &sign);
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LOG_FACTORIAL_H_
