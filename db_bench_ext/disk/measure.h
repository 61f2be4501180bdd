// Measures all policies in all regimes: layouts of the filters, sizes of the cache, threads.
// Results as text and CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_MEASURE_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/disk/database.h"
#include "db_bench_ext/disk/keys.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench {

// What all policies are given alike.
struct Regime {
  Layout layout;
  double cache_factor;  // the block cache, as a multiple of built-in Bloom's filters
  uint64_t cache_bytes;
  int threads;
};

struct Plan {
  uint64_t keys_of_top_level;
  std::vector<Policy> policies;
  std::vector<Layout> layouts;
  std::vector<double> cache_factors;
  double threaded_cache_factor = 0;  // with more than one thread only this size is measured
  std::vector<int> threads;
  std::vector<Workload> workloads;
  int rounds;
  double run_seconds;  // at most, of a policy in a round
  double warm_up_seconds;
  double waste_seconds;   // of Gets of missing keys that only count wasted reads
  std::string directory;  // of the temporary databases
};

struct Counts {
  uint64_t gets = 0;  // keys; a MultiGet counts as kMultiGetKeys
  uint64_t wrong_answers = 0;
  uint64_t data_reads = 0;  // blocks from the disk
  uint64_t index_reads = 0;
  uint64_t filter_reads = 0;
  uint64_t bytes_read = 0;
  uint64_t cache_hits = 0;        // blocks of all kinds
  uint64_t data_blocks = 0;       // from the disk or the cache
  uint64_t filter_positives = 0;  // files for which a filter said "may match"

  void Add(const Counts& other);
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(gets);
  }
  double CacheHitRate() const {
    const double all = static_cast<double>(cache_hits + data_reads + index_reads + filter_reads);
    return static_cast<double>(cache_hits) / all;
  }
};

struct RunResult {
  Counts counts;
  double seconds = 0;
  std::vector<float> us;  // of each Get or MultiGet
};

struct RunLimits {
  double seconds;
  uint64_t bytes_read = UINT64_MAX;
};

// Stops at a limit or at the end of the queries, of which each thread takes an equal part. Throws
// std::runtime_error if RocksDB reports an error.
RunResult RunQueries(const DiskDatabase& database, const Workload& workload,
                     const std::vector<Query>& queries, int num_threads, const RunLimits& limits);

struct BuiltDatabase {
  Layout layout;
  Policy policy;
  DatabaseSummary summary;
  std::array<double, kNumLevels> model_rates;
  double seconds;  // to write it
  Counts missing;  // of all Gets of kMissing

  // Expected reads of data blocks per Get of a missing key: the sum of the levels' rates.
  double ModelWaste() const;
  // Measured: false positives; if a level has no filter, data blocks. NaN if no Get was measured.
  double Waste() const;
};

struct Measured {
  Regime regime;
  Workload workload;
  Policy policy;
  std::vector<double> ops_per_second;  // one for each round
  std::vector<float> us;               // of all rounds, sorted
  Counts counts;

  double Percentile(double part) const;
};

struct Results {
  std::vector<BuiltDatabase> databases;
  std::vector<Measured> cells;
  double disk_read_us = 0;  // median of direct reads of 4 KiB

  const Measured* Find(const Regime& regime, const Workload& workload,
                       const std::string& policy) const;
  // By round: operations per second as a multiple of those of `other`. Empty if that was not
  // measured.
  std::vector<double> Ratios(const Measured& cell, const std::string& other) const;
  uint64_t WrongAnswers() const;
};

// All of them, in the order of the tables.
std::vector<Policy> AllPolicies();
// Built-in Bloom, and compact and by-level with each of these bits per key.
std::vector<Policy> SweepPolicies(const std::vector<double>& bits_per_key);
// The false-positive rate in each level that the policy promises, from level 1 on; 1 without a
// filter.
std::array<double, kNumLevels> ModelRates(const Policy& policy);

// Bytes that the databases of one layout take on the disk, with the files they are made from.
uint64_t NeededDiskBytes(const Plan& plan);

// Number of steps that Measure reports to Progress.
uint64_t NumSteps(const Plan& plan);

// Wrong answers are counted. Throws std::runtime_error if RocksDB reports an error, or if the
// levels do not have the keys they should have.
Results Measure(const Plan& plan, Progress* progress);

// What the columns mean and how the databases were made.
std::string Legend(const Plan& plan, const Results& results);
// For each layout: filters by level and wasted reads, beside the model.
std::string DatabaseTables(const Plan& plan, const Results& results);
// For each regime: every workload with every policy.
std::string RegimeTables(const Plan& plan, const Results& results);
// Speeds of each policy in all regimes, as multiples of built-in Bloom's and of Ribbon's.
std::string SummaryTables(const Plan& plan, const Results& results);

std::string Csv(const Results& results);
std::string LevelsCsv(const Results& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_MEASURE_H_
