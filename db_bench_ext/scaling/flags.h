// Command line of the scale bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// Nothing if the process should end now with *exit_code: after --help, after --print-out (for
// db_bench_ext/scale), or after a bad flag, which has been reported on stderr.
std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_FLAGS_H_
