#ifdef _WIN32
#include <cmath>

#include "src/support/log_gamma.h"

namespace bloomline::support {

// MinGW-w64 writes the sign to a variable that nobody reads.
double LogGamma(double x) { return std::lgamma(x); }

}  // namespace bloomline::support
#endif  // _WIN32
