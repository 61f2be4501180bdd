#include "tests/engines/store.h"

namespace bloomline::tests {

const char* Name(Engine engine) {
  constexpr const char* kNames[] = {"leveldb", "rocksdb", "rocksdb-partitioned"};
  return kNames[static_cast<int>(engine)];
}

const char* Name(FilterKind filter) {
  constexpr const char* kNames[] = {"classic", "blocked", "compact", "stock"};
  return kNames[static_cast<int>(filter)];
}

FilterOptions OptionsOf(FilterKind filter) {
  FilterOptions options;
  if (filter == FilterKind::kClassic) options.format = Format::kClassic;
  if (filter == FilterKind::kCompact) options.format = Format::kCompact;
  return options;
}

std::unique_ptr<Store> OpenStore(const StoreOptions& options, const std::string& path,
                                 std::string* error) {
  return options.engine == Engine::kLevelDB ? OpenLevelDB(options, path, error)
                                            : OpenRocksDB(options, path, error);
}

}  // namespace bloomline::tests
