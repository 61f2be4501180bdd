// A database of either engine behind one interface, for tests that kill its process or exchange its
// files between CPUs.
#ifndef BLOOMLINE_TESTS_FAULTS_STORE_H_
#define BLOOMLINE_TESTS_FAULTS_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/filter_options.h"

namespace bloomline::tests {

enum class Engine { kLevelDB, kRocksDB, kRocksDBPartitioned };
constexpr Engine kAllEngines[] = {Engine::kLevelDB, Engine::kRocksDB, Engine::kRocksDBPartitioned};
const char* Name(Engine engine);

// kStock: the engine's own policy. kClassic: in LevelDB only.
enum class FilterKind { kClassic, kBlocked, kCompact, kStock };
constexpr int kNumFilterKinds = 4;
constexpr FilterKind kOurFilters[] = {FilterKind::kClassic, FilterKind::kBlocked,
                                      FilterKind::kCompact};
const char* Name(FilterKind filter);
// Of a policy of ours, 10 bits per key.
FilterOptions OptionsOf(FilterKind filter);

struct StoreOptions {
  Engine engine = Engine::kLevelDB;
  FilterKind filter = FilterKind::kBlocked;
  // RocksDB: detect_filter_construct_corruption.
  bool verify_filters = false;
  // Small buffers and files, so that flushes and compactions run all the time. Otherwise only the
  // caller flushes and compacts.
  bool small_buffers = true;
  // LevelDB: all keys of a small table share a filter, which then takes memory to build. Otherwise
  // a filter has about five keys.
  bool large_blocks = false;
};

enum class Durability {
  kSync,  // the log is synced
  kLog,   // the operating system has the log: it outlives the process, not the machine
  kNone,  // no log; RocksDB only
};

enum class Answer { kFound, kNotFound, kError };

using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

struct FilterCounts {
  uint64_t yes = 0;
  uint64_t no = 0;
};

// Functions return false on failure and set *error, which must not be null.
class Store {
 public:
  virtual ~Store() = default;
  virtual bool Write(const KeysAndValues& pairs, Durability durability, std::string* error) = 0;
  // LevelDB has no such function; there it compacts.
  virtual bool Flush(std::string* error) = 0;
  virtual bool Compact(std::string* error) = 0;
  virtual Answer Get(const std::string& key, std::string* value) = 0;
  // In one call if the engine has such a call.
  virtual std::vector<Answer> GetMany(const std::vector<std::string>& keys) = 0;
  // The answers of filters since the database was opened.
  virtual FilterCounts filter_counts() const = 0;
};

// Returns null and sets *error if it cannot be opened.
std::unique_ptr<Store> OpenStore(const StoreOptions& options, const std::string& path,
                                 std::string* error);
std::unique_ptr<Store> OpenLevelDB(const StoreOptions& options, const std::string& path,
                                   std::string* error);
std::unique_ptr<Store> OpenRocksDB(const StoreOptions& options, const std::string& path,
                                   std::string* error);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_STORE_H_
