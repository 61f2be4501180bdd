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
#include "db_bench_ext/filters/flags.h"
#include "db_bench_ext/filters/store.h"
#include "db_bench_ext/filters/subjects.h"

namespace bloomline::bench {

// The filter offsets that the alignment table compares.
constexpr int kOffsets[] = {0, 16, 48};
static_assert(kOffsets[1] == kHeapOffset);

// Bits per key of the tables.
constexpr int kTableBits = 10;

constexpr int kLevelDBKeysPerFilter[] = {10, 36, 60, 200};

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

Case MemoryQueryCase(const std::string& subject, uint64_t num_keys, int hit_percent, Mode mode);
Case MemoryBuildCase(const std::string& subject, uint64_t num_keys);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_
