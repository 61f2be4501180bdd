// The filters that the scale bench builds and asks, and what it measures of each.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/output/progress.h"
#include "db_bench_ext/scaling/flags.h"
#include "db_bench_ext/scaling/raw.h"
#include "db_bench_ext/scaling/timing.h"

namespace bloomline::bench {

// What was measured of one filter. Times are medians over batches, in ns per key of all threads
// together.
struct ScaleRow {
  std::string subject;
  uint64_t num_keys = 0;
  size_t num_threads = 1;
  std::string skipped;  // not empty: why there is nothing more

  uint64_t filter_bytes = 0;
  RawLimits raw;  // in so much memory, on so many threads: the lower of before and after
  NsPerKey add;
  double finish_ns = 0;  // all of Finish, per key; filters without it: 0
  NsPerKey hit;
  NsPerKey miss;
  double false_positive_rate = 0;
  double theory = 0;
  uint64_t num_checked = 0;
  uint64_t num_lost = 0;
  uint64_t peak_bytes = 0;  // of the whole process, keys included

  // Most of what AddKey costs the partitioned builder are few long writes, which a median leaves
  // out.
  double BuildNs() const { return (subject == "partitioned" ? add.mean : add.median) + finish_ns; }
  double BitsPerKey() const {
    return 8 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

// One filter to measure: what, of how many keys, on how many threads.
struct ScaleCase {
  std::string subject;  // of kScaleSubjects
  uint64_t num_keys = 0;
  size_t num_threads = 1;

  uint64_t FilterBytes(const ScaleFlags& flags) const;
  // At the worst moment, without the filter's own need of temporary files.
  uint64_t MemoryBytes(const ScaleFlags& flags) const;
  uint64_t DiskBytes(const ScaleFlags& flags) const;
  // What Measure adds to the progress: about the time it takes, in ns.
  uint64_t Work(const ScaleFlags& flags) const;
};

// Throws runtime_error.
ScaleRow Measure(const ScaleCase& scale_case, const ScaleFlags& flags, Progress* progress);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_
