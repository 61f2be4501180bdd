// The filters that the scale bench builds and queries, and what it measures.
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
struct Row {
  std::string subject;
  uint64_t num_keys = 0;
  size_t num_threads = 1;
  std::string skipped;  // the reason if the case was skipped; then the rest is empty

  uint64_t filter_bytes = 0;
  RawLimits raw;  // in as much memory, on as many threads; the lower of before and after
  NsPerKey add;
  double finish_ns = 0;  // of Finish as a whole, per key; 0 for filters without it
  NsPerKey hit;
  NsPerKey miss;
  double false_positive_rate = 0;
  double theory = 0;
  uint64_t num_checked = 0;
  uint64_t num_lost = 0;
  uint64_t peak_bytes = 0;  // of the whole process, including keys

  // The on-disk builder's AddKey spends most of its time on few long writes, which a median
  // would leave out.
  double BuildNs() const { return (subject == "on_disk" ? add.mean : add.median) + finish_ns; }
  double BitsPerKey() const {
    return 8 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

// A filter to measure: which one, with how many keys, on how many threads.
struct Case {
  std::string subject;  // one of kSubjects
  uint64_t num_keys = 0;
  size_t num_threads = 1;

  uint64_t FilterBytes(const Flags& flags) const;
  // Peak memory; temporary files are not counted.
  uint64_t MemoryBytes(const Flags& flags) const;
  uint64_t DiskBytes(const Flags& flags) const;
  // What Measure adds to the progress: about its time in ns.
  uint64_t Work(const Flags& flags) const;
};

// Throws std::runtime_error.
Row Measure(const Case& c, const Flags& flags, Progress* progress);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_
