// The logarithm of the gamma function, for threads.
#ifndef BLOOMLINE_SUPPORT_LOG_GAMMA_H_
#define BLOOMLINE_SUPPORT_LOG_GAMMA_H_

#include <math.h>

#ifdef __APPLE__  // math.h declares it only with _REENTRANT
extern "C" double lgamma_r(double x, int* sign);
#endif

namespace bloomline::support {

// ln of the absolute value of gamma(x). Thread-safe. Not std::lgamma, which in most libraries
// writes the sign to a global variable: a data race between threads.
inline double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_LOG_GAMMA_H_
