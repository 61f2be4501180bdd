// BLOOMLINE_METRICS: what the policies of this process count, in a file for node_exporter's
// textfile collector.
#ifndef BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_
#define BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_

#include "src/engines/preload/settings.h"

namespace bloomline::preload {

// From the first policy of the process on, a thread replaces the file settings.metrics every
// settings.metrics_seconds, and when the process ends, which waits for it at most a second. A path
// that is not absolute begins in the folder of the first call. Does nothing if there is no such
// setting, and after the first call. A child of fork() leaves the file to its parent if that had
// begun to write it. If two processes write the same file, each overwrites what the other wrote.
// What fails is said once on stderr, and tried again.
void StartMetricsFile(const Settings& settings);

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_METRICS_FILE_H_
