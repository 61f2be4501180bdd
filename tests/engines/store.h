// A database of either engine behind one interface. It flushes and compacts only when it is told to.
#ifndef BLOOMLINE_TESTS_ENGINES_STORE_H_
#define BLOOMLINE_TESTS_ENGINES_STORE_H_

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
const char* Name(FilterKind filter);
// Of a policy of ours, 10 bits per key.
FilterOptions OptionsOf(FilterKind filter);

struct StoreOptions {
  Engine engine = Engine::kLevelDB;
  FilterKind filter = FilterKind::kBlocked;
  // LevelDB: all keys of a small table share a filter, which then takes memory to build. Otherwise
  // a filter has about five keys.
  bool large_blocks = false;
};

enum class Answer { kFound, kNotFound, kError };

using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

// Functions return false on failure and set *error, which must not be null.
class Store {
 public:
  virtual ~Store() = default;
  virtual bool Write(const KeysAndValues& pairs, std::string* error) = 0;
  // LevelDB has no such function; there it compacts.
  virtual bool Flush(std::string* error) = 0;
  virtual bool Compact(std::string* error) = 0;
  virtual Answer Get(const std::string& key, std::string* value) = 0;
  // In one call if the engine has such a call.
  virtual std::vector<Answer> GetMany(const std::vector<std::string>& keys) = 0;
  // How often filters said "no" since the database was opened.
  virtual uint64_t num_excluded() const = 0;
};

// Returns null and sets *error if it cannot be opened.
std::unique_ptr<Store> OpenStore(const StoreOptions& options, const std::string& path,
                                 std::string* error);
std::unique_ptr<Store> OpenLevelDB(const StoreOptions& options, const std::string& path,
                                   std::string* error);
std::unique_ptr<Store> OpenRocksDB(const StoreOptions& options, const std::string& path,
                                   std::string* error);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_STORE_H_
