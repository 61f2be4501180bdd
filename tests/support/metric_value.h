// Samples of bloomline's metrics.
#ifndef BLOOMLINE_TESTS_SUPPORT_METRIC_VALUE_H_
#define BLOOMLINE_TESTS_SUPPORT_METRIC_VALUE_H_

#include <cstdlib>
#include <sstream>
#include <string>

#include "bloomline/metrics.h"

namespace bloomline::tests {

// The sum of the samples of a metric whose labels contain `labels`, a part of their text. 0: none.
inline double MetricValue(const std::string& name, const std::string& labels = "") {
  std::istringstream text(MetricsText());
  double sum = 0;
  for (std::string line; std::getline(text, line);) {
    const size_t end = line.find_last_of(' ');
    const std::string sample = line.substr(0, end);
    if (sample != name && sample.compare(0, name.size() + 1, name + "{") != 0) continue;
    if (sample.find(labels) != std::string::npos) sum += std::atof(line.c_str() + end);
  }
  return sum;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_METRIC_VALUE_H_
