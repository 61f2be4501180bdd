// Metrics of the filters in LevelDB and RocksDB (experimental); its HELP lines explain
// each one.
#ifndef BLOOMLINE_METRICS_H_
#define BLOOMLINE_METRICS_H_

#include <string>

#include "bloomline/cpp17.h"

namespace bloomline {

// Returns the counts of all policies of this process since it started, in Prometheus' exposition
// format (version 0.0.4). Thread-safe.
std::string MetricsText();

}  // namespace bloomline

#endif  // BLOOMLINE_METRICS_H_
