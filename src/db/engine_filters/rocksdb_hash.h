// The hashes in RocksDB's filters. Both are part of RocksDB's format.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_ROCKSDB_HASH_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_ROCKSDB_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::engine_filters {

// The hash of Bloom and Ribbon filters: a preview of XXH3_64bits (xxHash 0.7.2, util/xxph3.h of
// RocksDB). The final XXH3 gives other values at every length.
uint64_t RocksDBHash64(std::string_view key);

// The hash of legacy Bloom filters: LevelDB's Hash(key, 0xbc9f1d34), but the one to three bytes
// behind the last multiple of four count as signed (util/hash.cc). LevelDB before 1.18 did the
// same.
uint32_t RocksDBHash32(std::string_view key);

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_ROCKSDB_HASH_H_
