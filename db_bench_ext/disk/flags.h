// Command line of disk_bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_FLAGS_H_

#include <optional>
#include <string>

#include "db_bench_ext/disk/measure.h"

namespace bloomline::bench {

struct Flags {
  Plan plan;  // without directory
  std::string out_directory;
  std::string db_directory;  // parent of the temporary folder
  bool progress = false;
};

// Nothing if the process should end now with *exit_code: after --help, after --print-out (for
// disk/run), or after a bad flag, which has been reported on stderr.
std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_FLAGS_H_
