// Measures all policies with one key set in one engine.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_

#include <string>
#include <vector>

#include "db_bench_ext/compare/engine.h"
#include "db_bench_ext/compare/key_sets.h"
#include "db_bench_ext/output/progress.h"

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

struct Timing {
  double median_us = 0;
  double min_us = 0;
  double max_us = 0;
};

struct Result {
  std::string engine;
  std::string key_set;
  Policy policy;
  int bits_per_key;  // requested
  size_t rows;
  FilterSummary filters;
  double theory_fpr;  // NaN without a filter
  MissingResult near, far;
  double load_seconds, compact_seconds;
  Timing hit, miss_near, miss_far;
  uint64_t wrong_answers;

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

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_MEASURE_H_
