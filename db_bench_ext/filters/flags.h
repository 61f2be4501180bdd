// Command line of filter_bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bloomline::bench {

struct Flags {
  std::vector<uint64_t> sizes = {1000, 10000, 100000, 1000000, 10000000};
  std::vector<int> bits = {8, 10, 16};
  size_t key_bytes = 16;
  int rounds = 9;         // of most cases
  int table_rounds = 31;  // of the cases that the printed tables compare
  int query_chunks = 64;  // chunks of keys that a round queries
  int table_query_chunks = 256;
  int num_leveldb_filters = 4096;
  uint64_t memory_keys = 30000000;  // of the filters whose builders' memory is measured
  bool only_memory = false;
  bool threads = false;
  bool quick = false;
  std::string native_library;  // empty: no native peers
  std::string out_directory;
  std::vector<std::string> google_benchmark;  // --benchmark_* flags, passed on
};

// Nothing if the process should end now with *exit_code: after --help, after --print-out (for
// db_bench_ext/run_filters), or after a bad flag, which has been reported on stderr.
std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_
