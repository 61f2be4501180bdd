// The hashes of docs/format.md, section 1.
#ifndef BLOOMLINE_CORE_HASH_H_
#define BLOOMLINE_CORE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

// The header alone: a call into libxxhash costs as much as hashing a 16-byte key.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomline::core {

// Keys of up to so many bytes are hashed inline where the seed is 0.
constexpr size_t kMaxInlineKeyBytes = 16;

inline bool HashesInline(std::string_view key, uint64_t seed) {
  return seed == 0 && key.size() <= kMaxInlineKeyBytes;
}

// Out of line: longer keys, whose hashing outweighs the call, and seeds.
uint64_t LongHash64(std::string_view key, uint64_t seed);

// Where a call per key counts, the caller is marked flatten: then xxHash's code for short keys
// inlines into it, which the compiler does not do by itself because of the code for long keys
// beside it.
inline uint64_t Hash64(std::string_view key, uint64_t seed) {
  return HashesInline(key, seed) ? XXH3_64bits(key.data(), key.size()) : LongHash64(key, seed);
}

// LevelDB's Hash(key, 0xbc9f1d34): util/hash.cc of google/leveldb.
uint32_t LevelDBHash32(std::string_view key);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_HASH_H_
