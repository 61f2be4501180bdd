// The logarithm of the gamma function.
#ifndef BLOOMLINE_SUPPORT_LOG_GAMMA_H_
#define BLOOMLINE_SUPPORT_LOG_GAMMA_H_

#include <math.h>

#ifdef __APPLE__  // math.h declares it only with _REENTRANT
extern "C" double lgamma_r(double x, int* sign);
#endif

namespace bloomline::support {

// Returns ln |gamma(x)|. Thread-safe, unlike std::lgamma, which in most libraries writes the sign
// to a global variable.
inline double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_LOG_GAMMA_H_
