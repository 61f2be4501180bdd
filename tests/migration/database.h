// A database of either engine with a choice of filters, which counts what its filters answer.
#ifndef BLOOMLINE_TESTS_MIGRATION_DATABASE_H_
#define BLOOMLINE_TESTS_MIGRATION_DATABASE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/injected/fault_points.h"
#include "tests/migration/model.h"

namespace bloomline::tests {

enum class Engine { kLevelDB, kRocksDB };

// What a database is opened with.
enum class Filter {
  kNone,
  kBloom,       // the engine's own
  kRibbon,      // RocksDB
  kLegacy,      // RocksDB: its Bloom filter with format_version 4
  kBlockBased,  // RocksDB: as RocksDB wrote before 7.0; LevelDB writes the same file (below)
  kClassic,     // LevelDB
  kBlocked,
  kCompact,
  kNamedClassic,  // LevelDB, with a policy name of the user's own
  kNamedBlocked,
  kNamedCompact,
};
const char* Name(Filter filter);
bool IsOurs(Filter filter);
bool IsNamed(Filter filter);
// Whether filters written with `writer` are used where the database is opened with `reader`.
bool Uses(Engine engine, Filter reader, Filter writer);

struct Mode {
  const char* name = "full, whole keys";
  bool partitioned = false;
  bool prefix = false;
  bool whole_keys = true;
};

// What the bytes of a filter are.
enum class Kind { kBloom, kRibbon, kLegacy, kOurs, kOther };
constexpr int kNumKinds = 5;
const char* Name(Kind kind);
Kind KindOf(Engine engine, Filter writer);

struct FilterCounts {
  std::atomic<uint64_t> yes[kNumKinds] = {};
  std::atomic<uint64_t> no[kNumKinds] = {};
};

// For the control of the check: filters of this kind answer "no" to a key, unless it is empty.
struct Denial {
  std::string key;
  Kind kind = Kind::kOther;
};

struct DatabaseOptions {
  Engine engine = Engine::kRocksDB;
  Filter filter = Filter::kNone;
  Mode mode;
  uint64_t num_keys = 0;  // for the size of tables
  bool create = false;
  bool read_only = false;  // RocksDB
  Denial denial;
  FaultPoints* faults = nullptr;
};

enum class Answer { kFound, kNotFound, kError };

// Functions return false on failure and set *error, which must not be null.
class Database {
 public:
  virtual ~Database() = default;
  virtual bool Write(const std::vector<Change>& batch, std::string* error) = 0;
  virtual bool Flush(std::string* error) = 0;
  // Writes every table anew.
  virtual bool Rewrite(std::string* error) = 0;
  // The engine's full compaction with its default options.
  virtual bool Compact(std::string* error) = 0;
  virtual Answer Get(const std::string& key, std::string* value) = 0;
  // In one call if the engine has one.
  virtual void GetMany(const std::vector<std::string>& keys, std::vector<Answer>* answers,
                       std::vector<std::string>* values) = 0;
  // The first key at or after `key`, in its prefix if the database has prefixes; or empty.
  virtual std::string Seek(const std::string& key) = 0;
  virtual const FilterCounts& counts() const = 0;
  // Data blocks that Gets have read, from the cache or the file.
  virtual uint64_t data_blocks_read() const = 0;
  // The number of tables by what they say of their filters.
  virtual std::map<std::string, int> Tables() = 0;
};

// Returns null and sets *error if it cannot be opened.
std::unique_ptr<Database> OpenDatabase(const DatabaseOptions& options, const std::string& path,
                                       std::string* error);
std::unique_ptr<Database> OpenLevelDB(const DatabaseOptions& options, const std::string& path,
                                      std::string* error);
std::unique_ptr<Database> OpenRocksDB(const DatabaseOptions& options, const std::string& path,
                                      std::string* error);

// Under this policy name, LevelDB's tables are those of RocksDB before 7.0 with its block-based
// filter: RocksDB took the layout from LevelDB.
constexpr char kBlockBasedName[] = "rocksdb.BuiltinBloomFilter";

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_DATABASE_H_
