// The engines, and what both of them write.
#ifndef BLOOMLINE_SUPPORT_ENGINE_H_
#define BLOOMLINE_SUPPORT_ENGINE_H_

#include <cstdint>

namespace bloomline::support {

enum class Engine { kLevelDB, kRocksDB };

constexpr const char* EngineName(Engine engine) {
  return engine == Engine::kLevelDB ? "LevelDB" : "RocksDB";
}

// The trailer of each block of a table: its compression type and its checksum.
constexpr uint64_t kBlockTrailerBytes = 5;

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_ENGINE_H_
