// The workloads of the benches of databases, and what they share: flags, results, databases.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/leveldb_filters.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "db_bench_ext/support/report.h"

// No header of RocksDB, because LevelDB's database may be compiled without type information.
namespace bloomline::bench {

enum class Form { kComplete, kShort, kQuick };

struct Flags {
  Form form = Form::kComplete;
  uint64_t keys = 0;
  int rounds = 0;
  // gets, levels, natural, ranges: no times, so other programs that run disturb no figure.
  bool only_counts = false;
  std::string out_directory;
  std::string db_directory;  // gets temporary folders
  // A file of "key value" or "key" lines, and where it comes from: gets and ranges.
  std::string key_list;
  std::string key_list_title;
  // gets
  std::vector<int> bits = {10};
  // disk
  std::vector<double> sweep;  // bits per key; empty: the usual policies
  bool is_by_level = false;   // the policies of levels, and all blocks cached
  // ranges
  uint64_t scans = 0;  // 0: those of the form
  std::set<std::string> shapes;
  std::set<std::string> subjects;
  // natural
  std::set<std::string> compactions;  // empty: all
  std::string former_library;         // of another release
};

struct Size {
  uint64_t keys;
  int rounds;
};

struct Workload {
  const char* name;
  const char* description;
  Size sizes[3];  // by form
  // Prints to *output, appends *rows for the CSV, and returns the number of wrong answers. Throws
  // std::runtime_error if an engine reports an error.
  uint64_t (*run)(const Flags& flags, Output* output, std::vector<Row>* rows);
  // Those that not every workload has. Null: none.
  void (*add_flags)(CommandLine* command, Flags* flags) = nullptr;
};

Workload Gets();
Workload Levels();
Workload Natural();
Workload Disk();
Workload Ranges();
Workload RangeChoice();

// Those of this program: database_bench has those of the short run, and is built sooner without the
// others, which more_database_bench has.
std::vector<Workload> Workloads();

// Blocks that a thread's queries touched.
struct BlockCounts {
  uint64_t data_reads = 0;  // from the files, not from the cache
  uint64_t index_reads = 0;
  uint64_t filter_reads = 0;
  uint64_t bytes_read = 0;
  uint64_t cache_hits = 0;        // blocks of all kinds
  uint64_t filter_positives = 0;  // files for which a filter said "may match"

  uint64_t Reads() const { return data_reads + index_reads + filter_reads; }
  void Add(const BlockCounts& other);
};

// A database with one filter policy, in a temporary folder. Methods throw std::runtime_error when
// the engine reports an error.
class Database {
 public:
  virtual ~Database() = default;

  // Buffered in batches of kBatchRows; CompactAndReopen writes the rest.
  virtual void Put(std::string_view key, std::string_view value) = 0;

  // Compacts to one sorted run, checks that, and reopens the database. RocksDB then opens all
  // tables; LevelDB opens a table, and reads its filters, at the first Get that needs it.
  virtual void CompactAndReopen() = 0;

  // False: not found. Thread-safe if nothing is being counted.
  virtual bool Get(std::string_view key, std::string* value) = 0;

  // Counts this thread's queries from now on. LevelDB: only data_reads and filter_positives.
  virtual void StartCounting() = 0;
  virtual BlockCounts StopCounting() = 0;

  virtual FilterSummary Filters() = 0;
};

constexpr int kBatchRows = 1000;

// Without a block cache, so each block that a Get needs is one read. LevelDB knows the policies of
// NewLevelDBPolicy.
std::unique_ptr<Database> NewLevelDBDatabase(const Policy& policy, const std::string& parent);
std::unique_ptr<Database> NewUncachedRocksDB(const Policy& policy, const std::string& parent);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_
