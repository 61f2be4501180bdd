// Metrics of the filters in LevelDB and RocksDB (experimental). docs/operating.md explains each
// one. In C: c_metrics.h.
#ifndef BLOOMLINE_METRICS_H_
#define BLOOMLINE_METRICS_H_

#include <string>

#include "bloomline/cpp17.h"

namespace bloomline {

// Returns the counts of all policies of this process since it started, in Prometheus' exposition
// format (version 0.0.4). Queries, and in LevelDB also filters built, are estimated from a sample
// of about one in 256; other counts are exact. Thread-safe.
std::string MetricsText();

}  // namespace bloomline

#endif  // BLOOMLINE_METRICS_H_
