// Preloaded, it makes RocksDB look like a version that bloomline was not compiled for.
#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
std::string GetRocksVersionAsString(bool) { return "99.9"; }
}  // namespace rocksdb
