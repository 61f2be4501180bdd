#ifndef _WIN32
#include <math.h>

#include "src/support/log_gamma.h"

#ifdef __APPLE__  // math.h declares it only with _REENTRANT
extern "C" double lgamma_r(double x, int* sign);
#endif

namespace bloomline::support {

double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

}  // namespace bloomline::support
#endif  // !_WIN32
