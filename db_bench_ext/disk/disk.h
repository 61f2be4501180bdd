// What the parts of this workload share: keys and queries, a RocksDB database of five full levels,
// read with direct I/O through a block cache that also holds the filters, and results.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_DISK_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_DISK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "db_bench_ext/support/timing.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace bloomline::bench::disk {

constexpr int kNumLevels = 5;  // levels 1 to 5; level 0 is empty
constexpr uint64_t kLevelSizeRatio = 10;
constexpr size_t kValueBytes = 100;

using Key = std::array<char, kDecimalBytes>;
using Value = std::array<char, kValueBytes>;

inline std::string_view AsText(const Key& key) { return {key.data(), key.size()}; }
inline std::string_view AsText(const Value& value) { return {value.data(), value.size()}; }

// The number in decimal digits, with leading zeros.
Key KeyOf(uint64_t number);
Value ValueOf(uint64_t number);

// The keys of the database: even numbers from 0 on. Every level has keys from the whole range, in a
// random choice, and no key lies in two levels.
class StoredKeys {
 public:
  // Level 1 has keys_of_top_level, each further level kLevelSizeRatio times as many.
  explicit StoredKeys(uint64_t keys_of_top_level);

  uint64_t size() const { return by_rank_.size(); }
  // In ascending order. Levels count from 1.
  const std::vector<uint64_t>& NumbersOfLevel(int level) const {
    return levels_[static_cast<size_t>(level - 1)];
  }

  // The number with this rank in order of popularity, from 0 on. Ranks have nothing to do with
  // levels or with the order of the keys: popular keys lie in blocks of their own.
  uint64_t NumberOfRank(uint64_t rank) const { return 2 * uint64_t{by_rank_[rank]}; }

 private:
  std::array<std::vector<uint64_t>, kNumLevels> levels_;
  std::vector<uint32_t> by_rank_;
};

// Ranks from 0 to size - 1, with probabilities proportional to 1 / (rank + 1)^0.99, the skew of
// YCSB. Exact: a table of sums and a binary search, because <random> has no such distribution.
class Zipf {
 public:
  explicit Zipf(uint64_t size);
  uint64_t RankAt(double uniform) const;  // of a random number from [0, 1)

 private:
  std::vector<double> sums_;
};

// How keys are queried.
struct Workload {
  const char* name;
  double part_missing;  // of the queries
  bool is_zipf = false;
};
constexpr Workload kMissing = {"readmissing", 1};
constexpr Workload kUniform = {"readrandom-uniform", 0};  // only warms caches up
constexpr Workload kZipf = {"readrandom-zipf", 0, true};
constexpr Workload kMixedZipf = {"mixed-zipf", 0.5, true};
inline bool operator==(const Workload& a, const Workload& b) {
  return std::string_view(a.name) == b.name;
}

struct Query {
  Key key;
  bool stored;
  uint64_t number;
};

class Queries {
 public:
  explicit Queries(const StoredKeys& stored) : stored_(stored), zipf_(stored.size()) {}

  // The same arguments give the same queries. Missing keys are odd numbers, next to stored ones and
  // within the range of the stored ones.
  std::vector<Query> Make(const Workload& workload, size_t count, uint64_t seed) const;

 private:
  const StoredKeys& stored_;
  const Zipf zipf_;
};

// How a file's filters and indexes are stored.
struct Layout {
  const char* name;
  bool is_partitioned = false;  // in blocks with a top level, instead of one filter and one index
};
constexpr Layout kFull = {"full"};
constexpr Layout kPartitioned = {"partitioned", true};
inline bool operator==(const Layout& a, const Layout& b) {
  return std::string_view(a.name) == b.name;
}

struct DatabaseSummary {
  std::vector<FileSums> levels;  // from level 1 on
  FileSums all;
};

// The keys and values of each level as one table file without a filter. Every database is made from
// these files, so they are written once.
class LevelFiles {
 public:
  LevelFiles(const StoredKeys& stored, const std::string& directory);
  const std::string& OfLevel(int level) const { return paths_[static_cast<size_t>(level - 1)]; }

 private:
  std::array<std::string, kNumLevels> paths_;
};

// Methods throw std::runtime_error when RocksDB reports an error.
class DiskDatabase {
 public:
  // Writes each level with a compaction whose output is that level, so that the policy is told the
  // level that the file is for. No other compaction ever runs.
  DiskDatabase(const Policy& policy, const Layout& layout, const StoredKeys& stored,
               const LevelFiles& files, const std::string& parent);

  const DatabaseSummary& summary() const { return summary_; }

  // Drops what the cache holds.
  void SetCacheBytes(uint64_t bytes);

  // False: not found.
  bool Get(const Key& key, rocksdb::PinnableSlice* value) const;

  // Throws if levels have changed since they were written.
  void CheckLevels() const;

 private:
  void WriteLevels(const LevelFiles& files);
  DatabaseSummary Summarize() const;

  const TemporaryDirectory directory_;
  std::array<uint64_t, kNumLevels> keys_of_level_;
  std::shared_ptr<rocksdb::Cache> cache_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  DatabaseSummary summary_;
};

// Empty if databases of `bytes` can be read from the disk of this folder with direct I/O; else one
// sentence that says why not.
std::string WhyNotOnDisk(const std::string& directory, uint64_t bytes);

// The median of direct reads of 4 KiB at random places of the file. Throws std::runtime_error.
double MedianDirectReadUs(const std::string& path);

// What all policies are given alike.
struct Regime {
  Layout layout;
  double cache_factor;  // the block cache, as a multiple of built-in Bloom's filters
  uint64_t cache_bytes;

  bool operator==(const Regime& other) const {
    return layout == other.layout && cache_bytes == other.cache_bytes;
  }
};

// All of them, in the order of the tables.
std::vector<Policy> AllPolicies();

// The complete form, unless changed.
struct Plan {
  uint64_t keys_of_top_level = 300;
  std::vector<Policy> policies = AllPolicies();
  std::vector<Layout> layouts = {kPartitioned, kFull};
  std::vector<double> cache_factors = {1, 2, 4};
  std::vector<Workload> workloads = {kMissing, kZipf, kMixedZipf};
  int rounds = 5;
  double run_seconds = 0.06;  // at most, of a policy in a round
  double warm_up_seconds = 0.3;
  double waste_seconds = 2;  // of Gets of missing keys that only count wasted reads
  std::string directory;     // of the temporary databases
};

struct Counts {
  uint64_t gets = 0;
  uint64_t wrong_answers = 0;
  BlockCounts blocks;

  void Add(const Counts& other) {
    gets += other.gets;
    wrong_answers += other.wrong_answers;
    blocks.Add(other.blocks);
  }
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(gets);
  }
  double CacheHitRate() const {
    return static_cast<double>(blocks.cache_hits) /
           static_cast<double>(blocks.cache_hits + blocks.Reads());
  }
};

struct RunResult {
  Counts counts;
  double seconds = 0;
  std::vector<float> us;  // of each Get
};

struct RunLimits {
  double seconds;
  uint64_t bytes_read = UINT64_MAX;
};

// Stops at a limit or at the end of the queries. Throws std::runtime_error if RocksDB reports an
// error.
RunResult RunQueries(const DiskDatabase& database, const std::vector<Query>& queries,
                     const RunLimits& limits);

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
  double disk_read_us = 0;     // median of direct reads of 4 KiB
  uint64_t wrong_answers = 0;  // of all queries, warm-ups included

  const Measured* Find(const Regime& regime, const Workload& workload,
                       const std::string& policy) const;
  // By round: operations per second as a multiple of those of `other`. Empty if that was not
  // measured.
  std::vector<double> Ratios(const Measured& cell, const std::string& other) const;
};

// Built-in Bloom, and compact and by-level with each of these bits per key.
std::vector<Policy> SweepPolicies(const std::vector<double>& bits_per_key);
// The false-positive rate in each level that the policy promises, from level 1 on; 1 without a
// filter.
std::array<double, kNumLevels> ModelRates(const Policy& policy);

// Bytes that the databases of one layout take on the disk, with the files they are made from.
uint64_t NeededDiskBytes(const Plan& plan);

// Wrong answers are counted. Throws std::runtime_error if RocksDB reports an error, or if the
// levels do not have the keys they should have.
Results Measure(const Plan& plan);

// What the columns mean and how the databases were made.
std::string Legend(const Plan& plan, const Results& results);
// For each layout: filters by level and wasted reads, beside the model.
std::string DatabaseTables(const Plan& plan, const Results& results);
// For each regime: every workload with every policy.
std::string RegimeTables(const Plan& plan, const Results& results);

std::string Csv(const Results& results);
std::string LevelsCsv(const Results& results);

}  // namespace bloomline::bench::disk

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_DISK_H_
