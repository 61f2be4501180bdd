// The list of benchmarks, the flags, subjects and filters that they share, and their results.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "db_bench_ext/filters/case.h"
#include "rocksdb/filter_policy.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/kernel/kernel.h"

namespace bloomline::bench {

using RocksDBPolicy = std::shared_ptr<const rocksdb::FilterPolicy>;
using RocksDBBuilder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using RocksDBReader = std::unique_ptr<rocksdb::FilterBitsReader>;

struct Subject {
  std::string name;
  std::string family;  // subjects of one family write the same bytes
  bool is_ours;
  std::string kernel;  // empty for peers
  bool is_variant;     // ours with a seed or in the bytes of a peer; measured at kTableBits only
  std::function<RocksDBPolicy(double bits_per_key)> make_policy;

  // These force this subject's kernel, if it has one.
  RocksDBPolicy Policy(double bits_per_key) const;
  RocksDBBuilder NewBuilder(const RocksDBPolicy& policy) const;
  RocksDBReader NewReader(const RocksDBPolicy& policy, const rocksdb::Slice& filter) const;

  // A filter of the generated keys 0 to num_keys - 1.
  std::string Build(uint64_t num_keys, double bits_per_key) const;
};

// Ours first, fastest kernel first; then the peers. `native_library` is the path that
// db_bench_ext/filters/native_rocksdb printed, or empty. Throws std::runtime_error if that library
// runs code of another one, or if subjects of one family do not write the same bytes.
std::vector<Subject> AllSubjects(const std::string& native_library);

// Kernels that this CPU supports, fastest first.
std::vector<const kernels::Kernel*> SupportedKernels();

// Ends the process, with a message, if this CPU does not support the kernel.
void UseKernel(const std::string& name);

constexpr size_t kCacheLineBytes = 64;

// Where RocksDB's filters usually begin: malloc returns large blocks 16 bytes past a page boundary.
constexpr size_t kHeapOffset = 16;

// Owns bytes that begin kHeapOffset bytes past a cache line.
class PlacedBytes {
 public:
  PlacedBytes() = default;
  explicit PlacedBytes(std::string_view bytes);

  std::string_view view() const { return view_; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::string_view view_;
};

// Builds each filter at the first Get and keeps it.
class FilterStore {
 public:
  std::string_view Get(const Subject& subject, const Case& c);

 private:
  using Key = std::tuple<std::string, uint64_t, int>;  // family, keys, bits

  std::map<Key, PlacedBytes> filters_;
};

// Brings the bytes back into all caches that can hold them, after queries to other filters. This
// takes several accesses to each line in random order: third-level caches keep what was used more
// than once, and after a single pass the first million queries to a filter of 12 MB still took up
// to three times as long as later ones.
void WarmUp(std::string_view bytes);

// docs/benchmarking.md has 36 and 200, and src/filter/table/kernel_table.cc 36 and 60.
constexpr int kLevelDBKeysPerFilter[] = {36, 60, 200};

struct Flags {
  std::vector<uint64_t> sizes = {10000, 100000, 1000000, 10000000};
  std::vector<int> bits = {10, 16};
  int rounds = 9;         // of most cases
  int table_rounds = 31;  // of the cases that the printed tables compare
  int query_chunks = 64;  // chunks of keys that a round queries
  int table_query_chunks = 256;
  std::chrono::microseconds pause{0};  // before each chunk of queries
  int num_leveldb_filters = 4096;
  uint64_t memory_keys = 30000000;  // of the filters whose builders' memory is measured
  bool only_memory = false;
  bool quick = false;
  bool is_short = false;
  std::string native_library;  // empty: no native peers
  std::string out_directory;
  std::vector<std::string> google_benchmark;  // --benchmark_* flags, passed on
};

// A body gets the number of its round, which queries the same keys for every subject and others
// than any other round.
using Body = std::function<void(benchmark::State& state, uint64_t run)>;

class Suite {
 public:
  Suite(const Flags& flags, std::vector<Subject> subjects);
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  // The body runs the loop of `state` and sets the time of each iteration.
  void Register(const Case& c, int64_t iterations, int rounds, const Body& body);

  // The rounds of all registered cases whose names match a regular expression.
  size_t NumRuns(const std::string& selection) const;

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
  const Flags flags_;
  std::map<std::string, size_t> rounds_;  // by the case's name
  const std::vector<Subject> subjects_;
  std::vector<uint64_t> table_sizes_;
  FilterStore store_;
  std::map<std::string, Case> cases_;
};

void RegisterQueries(Suite* suite);
void RegisterBuilds(Suite* suite);
void RegisterLevelDB(Suite* suite);
void RegisterMemory(Suite* suite);

// Times are nanoseconds per key, one for each round.
struct CaseResult {
  std::vector<double> ns;
  std::vector<double> fprs;  // of queries for missing keys
  double written_bits_per_key = 0;
};

// Collects what Google Benchmark reports, and takes the medians of each case's rounds.
class Results : public benchmark::BenchmarkReporter {
 public:
  explicit Results(const std::map<std::string, Case>& cases) : cases_(cases) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  bool empty() const { return results_.empty(); }
  // A line for each benchmark that failed: its name and the reason.
  const std::string& errors() const { return errors_; }

  // Each is NaN if the case was not run.
  double Ns(const Case& c) const;
  double Fpr(const Case& c) const;
  double WrittenBitsPerKey(const Case& c) const;

  std::string Csv() const;
  // A line of text for each case.
  std::string List() const;

 private:
  const CaseResult* Find(const Case& c) const;

  const std::map<std::string, Case>& cases_;
  std::map<Case, CaseResult> results_;
  std::string errors_;
};

// All tables. "-" marks what was not run.
std::string Tables(const Suite& suite, const Results& results);

// Builds a filter of num_keys in a process of its own for each family of subjects, and returns a
// table of how far its resident memory rose. The keys are made one by one and take none. A sentence
// instead if the system does not tell. Call it before much memory has been used: what this process
// has freed would not count.
std::string PeakMemoryTable(const std::vector<Subject>& subjects, uint64_t num_keys);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_SUITE_H_
