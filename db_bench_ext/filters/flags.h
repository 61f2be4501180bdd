// Command line of the micro-benchmark.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bloomline::bench {

struct FilterBenchFlags {
  std::vector<uint64_t> sizes = {1000, 10000, 100000, 1000000, 10000000};
  std::vector<int> bits = {8, 10, 16};
  size_t key_bytes = 16;
  int rounds = 9;         // of everything
  int table_rounds = 31;  // of what the printed tables compare
  int query_chunks = 64;  // a round asks for so many chunks of keys
  int table_query_chunks = 256;
  int num_leveldb_filters = 4096;
  bool threads = false;
  bool quick = false;
  std::string native_library;  // empty: no native peers
  std::string out_directory;
  std::vector<std::string> google_benchmark;  // --benchmark_* flags, passed on
};

// Nothing if the process should end now with *exit_code: help, or a bad flag, about which the user
// has been told.
std::optional<FilterBenchFlags> ParseFilterBenchFlags(int argc, char** argv, int* exit_code);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_FLAGS_H_
