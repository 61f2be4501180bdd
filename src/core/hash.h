// The hashes of docs/format.md, section 1.
#ifndef BLOOMLINE_CORE_HASH_H_
#define BLOOMLINE_CORE_HASH_H_

#include <cstdint>
#include <string_view>

// Inlined because a call into libxxhash costs as much as hashing a 16-byte key.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomline::core {

inline uint64_t Hash64(std::string_view key, uint64_t seed) {
  // withSeed(0) is defined to equal the seedless form, which is cheaper on keys past 240 bytes.
  return seed == 0 ? XXH3_64bits(key.data(), key.size())
                   : XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

// LevelDB's Hash(key, 0xbc9f1d34): util/hash.cc of google/leveldb.
uint32_t LevelDBHash32(std::string_view key);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_HASH_H_
