// What the filter policies of this process have counted: queries and their answers, filters opened
// and built, filters that match everything.
//
//   std::string text = bloomline::MetricsText();
//
// The text is in Prometheus' exposition format (version 0.0.4): answer the scrapes of the program's
// own endpoint with it, or write it to a file for node_exporter. docs/operating.md explains each
// metric, and has alert rules and a dashboard. In C: c_metrics.h.
#ifndef BLOOMLINE_METRICS_H_
#define BLOOMLINE_METRICS_H_

#include <string>

namespace bloomline {

// Returns the counts of all LevelDB and RocksDB policies of this process since it started. Queries,
// and in LevelDB also filters built, are counted from a sample: each sampled query is weighted with
// the number of queries since the previous one, about 256. All other counts are exact. Thread-safe.
// Cost: grows with the policies, column families and levels.
std::string MetricsText();

}  // namespace bloomline

#endif  // BLOOMLINE_METRICS_H_
