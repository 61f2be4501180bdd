// A database with one filter policy: the interface that measure.cc uses.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/support/leveldb_filters.h"
#include "db_bench_ext/support/policies.h"

namespace bloomline::bench {

struct ReadCounts {
  uint64_t data_block_reads = 0;
  uint64_t filter_positives = 0;  // Gets for which the filter said "may match"
};

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

  virtual void StartCounting() = 0;
  virtual ReadCounts StopCounting() = 0;

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

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_
