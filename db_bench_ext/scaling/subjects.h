// The filters that the scale bench builds and queries, what it measures, tables and CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/scaling/timing.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {

// The values of --subjects, in the order of the tables.
inline const std::vector<std::string> kSubjects = {"bloom", "atomic", "blocked", "compact",
                                                   "on_disk"};

struct Flags {
  std::vector<uint64_t> sizes;  // numbers of keys
  std::vector<std::string> subjects = kSubjects;
  int max_threads = 0;
  double rate = 0.01;
  uint64_t num_missing = 20000000;
  uint64_t max_checked = 100000000;   // stored keys queried after building
  uint64_t build_memory = 512 << 20;  // in bytes, of the on-disk builder
  std::string temp_directory;
  std::string out_directory;
  bool quick = false;
  bool progress = false;
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

// What was measured of one filter. Times are medians over batches, in ns per key of all threads
// together.
struct Row {
  Case of;
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
  double BuildNs() const { return (of.subject == "on_disk" ? add.mean : add.median) + finish_ns; }
  double BitsPerKey() const {
    return 8 * static_cast<double>(filter_bytes) / static_cast<double>(of.num_keys);
  }
};

// Throws std::runtime_error.
Row Measure(const Case& c, const Flags& flags, Progress* progress);

std::string TableHead(uint64_t num_keys);
std::string TableRow(const Row& row);

// Speed of several threads as a multiple of one thread's; empty if one thread was measured.
std::string ThreadScaling(const std::vector<Row>& rows);

// A line for each filter that lost keys, and for each false-positive rate more than 3 % off theory.
std::string Failures(const std::vector<Row>& rows);

std::string Csv(const std::vector<Row>& rows);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_SUBJECTS_H_
