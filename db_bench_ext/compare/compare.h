// What the parts of compare share: databases with one filter policy, key sets, results.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_COMPARE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_COMPARE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/leveldb_filters.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench::compare {

// Methods throw std::runtime_error when the engine reports an error. Not thread-safe.
class Database {
 public:
  virtual ~Database() = default;

  // Buffered in batches of kBatchRows; CompactAndReopen writes the rest.
  virtual void Put(std::string_view key, std::string_view value) = 0;

  // Compacts to one sorted run, checks that, and reopens the database. RocksDB then opens all
  // tables; LevelDB opens a table, and reads its filters, at the first Get that needs it.
  virtual void CompactAndReopen() = 0;

  // False: not found.
  virtual bool Get(const std::string& key, std::string* value) = 0;

  // Of LevelDB only data_reads and filter_positives.
  virtual void StartCounting() = 0;
  virtual BlockCounts StopCounting() = 0;

  virtual FilterSummary Filters() = 0;
};

constexpr int kBatchRows = 1000;

struct Engine {
  const char* name;   // for flags and CSV
  const char* title;  // for people
  std::vector<Policy> (*policies)(int bits_per_key);
  std::unique_ptr<Database> (*open)(const Policy& policy, const std::string& directory);
  // Theoretical false-positive rate of these filters over num_keys keys; NaN where there is none.
  // LevelDB: exact for a filter of the average size that was written, because LevelDB rounds
  // filters of about 36 keys up to whole bytes. RocksDB: for the bits requested.
  double (*theory)(const Policy& policy, const FilterSummary& filters, uint64_t num_keys);
};

Engine LevelDBEngine();
Engine RocksDBEngine();

// The rows to load and the keys to query. Every order is random with a fixed seed: queries do not
// follow the order of the filters, and every run makes the same ones.
struct KeySet {
  std::string name;               // for flags and CSV
  std::string description;        // for the report, with row counts
  std::vector<std::string> keys;  // loaded, in the order of loading
  // Missing keys adjacent to stored ones: of the same length, within the range of all keys.
  std::vector<std::string> near;
  // Missing keys elsewhere: of the same kind, from ranges (counters) or rows (paths) not loaded.
  std::vector<std::string> far;
  std::vector<std::string> values;  // of keys; empty: generated, value_bytes each
  size_t value_bytes = 0;

  std::string Value(size_t i) const;
};

// A file of real keys: "key value" or "key" in each line.
struct KeyList {
  std::string file;
  std::string title;  // where it comes from
};

// Loads at most 95 % of the list, so that far keys remain; takes at most max_missing near and
// max_missing far keys. Throws std::runtime_error if the list cannot be read or has fewer than 1000
// different keys.
KeySet PathKeys(const KeyList& list, size_t rows, size_t max_missing);

// Even counters without every sixth range of 256 of them (about seven data blocks). The near keys
// are odd counters between loaded ones, the far keys are even counters from the ranges left out.
KeySet BigEndianKeys(size_t rows, size_t max_missing);
KeySet DecimalKeys(size_t rows, size_t max_missing);

struct Plan {
  int bits_per_key;
  int rounds;             // of timed Gets, for medians
  size_t timed_queries;   // per round and kind of key
  std::string directory;  // of the temporary databases
};

// Queries for missing keys, near or far.
struct MissingResult {
  size_t num_queries = 0;
  BlockCounts counts;
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

// Loads, compacts and checks one database per policy, counts reads, then times all of them in
// alternation. Removes the databases. Throws std::runtime_error if an engine reports an error;
// wrong answers are counted, not thrown.
std::vector<Result> Measure(const Engine& engine, const KeySet& keys, const Plan& plan);

// Explains the columns of the tables.
std::string Legend();

// The table of one engine and one bits_per_key: a row per key set and policy.
std::string Table(const Engine& engine, const std::vector<Result>& results);

// Header line and one line per result, units in the column names; empty where there is no filter.
std::string Csv(const std::vector<Result>& results);

}  // namespace bloomline::bench::compare

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_COMPARE_H_
