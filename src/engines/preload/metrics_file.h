// BLOOMLINE_METRICS: the metrics of this process in a file for node_exporter's textfile collector.
#ifndef BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_
#define BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_

#include "src/engines/preload/settings.h"

namespace bloomline::preload {

// Remembers the file settings.metrics. A relative path begins in the folder of the first call.
// Without such a setting, and after the first call, this does nothing.
void PrepareMetricsFile(const Settings& settings);

// Call this for each policy, and for each file that is built. If a file is remembered, a thread
// replaces it every settings.metrics_seconds, and when the process ends, which waits for it at most
// a second. A child of fork() leaves the file to its parent if the parent had begun to write it. If
// two processes write the same file, each overwrites the other's. A failure is reported once on
// stderr, and tried again.
void StartMetricsFile();

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_
