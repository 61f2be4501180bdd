// Command line of compare.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

namespace bloomline::bench {

struct Flags {
  std::string part = "all";  // for db_bench_ext/run; compare itself is the part databases
  std::string engine = "all";
  std::string data = "all";
  size_t path_rows = 1000000;
  size_t counter_rows = 1000000;
  size_t value_bytes = 0;  // of be64 and dec16; 0: the default of each
  size_t max_missing = 200000;
  size_t timed_queries = 50000;
  int rounds = 7;
  std::vector<int> bits = {10};
  std::string out_directory;
  std::string db_directory;  // parent of the temporary folder
  std::string key_list;
  std::string key_list_title;
  bool quick = false;
  bool progress = false;

  bool Wants(const std::string& key_set) const { return data == "all" || data == key_set; }
};

// Nothing if the process should end now with *exit_code: after --help, after --print-plan (for
// db_bench_ext/run), or after a bad flag, which has been reported on stderr.
std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_FLAGS_H_
