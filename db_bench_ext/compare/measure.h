// Measures all policies with one key set in one engine. Results as text tables and as CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_

#include <string>
#include <vector>

#include "db_bench_ext/compare/engine.h"
#include "db_bench_ext/compare/key_sets.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench {

struct Plan {
  int bits_per_key;
  int rounds;             // of timed Gets, for medians
  size_t timed_queries;   // per round and kind of key
  std::string directory;  // of the temporary databases
};

// Queries for missing keys, near or far.
struct MissingResult {
  size_t num_queries = 0;
  ReadCounts counts;
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(num_queries);
  }
};

struct Result {
  std::string engine;
  std::string key_set;
  Policy policy;
  int bits_per_key = 0;  // requested
  size_t rows = 0;
  FilterSummary filters;
  double theory_fpr = 0;  // NaN without a filter
  MissingResult near, far;
  double load_seconds = 0, compact_seconds = 0;
  Spread hit_us, miss_near_us, miss_far_us;
  uint64_t wrong_answers = 0;

  double KeysPerFilter() const {
    return static_cast<double>(rows) / static_cast<double>(filters.num_filters);
  }
  double BitsPerKey(uint64_t bytes) const {
    return 8.0 * static_cast<double>(bytes) / static_cast<double>(rows);
  }
};

// Number of operations that Measure reports to Progress.
uint64_t NumOperations(const Engine& engine, const KeySet& keys, const Plan& plan);

// Loads, compacts and checks one database per policy, counts reads, then times all of them in
// alternation. Removes the databases. Throws std::runtime_error if an engine reports an error;
// wrong answers are counted, not thrown.
std::vector<Result> Measure(const Engine& engine, const KeySet& keys, const Plan& plan,
                            Progress* progress);

// Explains the columns of the tables.
std::string Legend();

// The table of one engine and one bits_per_key: a row per key set and policy.
std::string Table(const Engine& engine, const std::vector<Result>& results);

// Header line and one line per result, units in the column names; empty where there is no filter.
std::string Csv(const std::vector<Result>& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_
