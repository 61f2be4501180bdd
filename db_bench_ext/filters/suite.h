// The list of benchmarks, and the flags, subjects and filters that they share.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "db_bench_ext/filters/case.h"
#include "db_bench_ext/filters/store.h"
#include "db_bench_ext/filters/subjects.h"

namespace bloomline::bench {

// The filter offsets that the alignment table compares.
constexpr int kOffsets[] = {0, 16, 48};
static_assert(kOffsets[1] == kHeapOffset);

constexpr int kLevelDBKeysPerFilter[] = {10, 36, 60, 200};

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

// A body gets the number of its run: each round and each thread queries different keys, and round r
// queries the same ones for every subject.
using Body = std::function<void(benchmark::State& state, uint64_t run)>;

class Suite {
 public:
  Suite(const Flags& flags, std::vector<Subject> subjects);
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  // The body runs the loop of `state` and sets the time of each iteration.
  void Register(const Case& c, int64_t iterations, int rounds, const Body& body);

  // True for the cases of the RocksDB tables, which get more and longer rounds.
  bool IsInTables(const Case& c) const;
  int Rounds(const Case& c) const { return IsInTables(c) ? flags_.table_rounds : flags_.rounds; }
  // The sizes of the RocksDB tables.
  const std::vector<uint64_t>& table_sizes() const { return table_sizes_; }

  const Flags& flags() const { return flags_; }
  const std::vector<Subject>& subjects() const { return subjects_; }
  FilterStore& store() { return store_; }
  const std::map<std::string, Case>& cases() const { return cases_; }

 private:
  void ShowProgress();

  const Flags flags_;
  const std::vector<Subject> subjects_;
  std::vector<uint64_t> table_sizes_;
  FilterStore store_;
  std::map<std::string, Case> cases_;
  uint64_t planned_runs_ = 0;
  std::atomic<uint64_t> started_runs_{0};
};

void RegisterQueries(Suite* suite);
void RegisterBuilds(Suite* suite);
void RegisterHashQueries(Suite* suite);
void RegisterLevelDB(Suite* suite);
void RegisterMemory(Suite* suite);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_
