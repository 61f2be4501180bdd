// The logarithm of the gamma function, for threads.
#ifndef BLOOMLINE_SUPPORT_LOG_GAMMA_H_
#define BLOOMLINE_SUPPORT_LOG_GAMMA_H_

namespace bloomline::support {

// ln of the absolute value of gamma(x). Thread-safe. Not std::lgamma, which in most libraries
// writes the sign to a global variable: a data race between threads.
double LogGamma(double x);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_LOG_GAMMA_H_
