// MetricsText() of a process that ends.
#ifndef BLOOMLINE_FILTER_METRICS_METRICS_TEXT_H_
#define BLOOMLINE_FILTER_METRICS_METRICS_TEXT_H_

#include <string>

namespace bloomline::filter {

// MetricsText() without the filters that are open or alive, and their limits: for a file that
// outlives the process, whose databases may be open until the end.
std::string MetricsTextAtEnd();

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_METRICS_METRICS_TEXT_H_
