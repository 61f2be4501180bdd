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

// XXH3_64bits_withSeed, out of line: only filters with a seed of their own come here.
uint64_t SeededHash64(std::string_view key, uint64_t seed);

// Where a call per key counts, the caller is marked flatten: xxHash's short-key paths then inline
// into it, which the compiler does not do by itself because of the long-key paths beside them.
inline uint64_t Hash64(std::string_view key, uint64_t seed) {
  // withSeed(0) is defined to equal the seedless form, which is cheaper.
  return seed == 0 ? XXH3_64bits(key.data(), key.size()) : SeededHash64(key, seed);
}

// Most keys are short, and a function that hashes no others needs fewer registers.
constexpr size_t kMaxShortKeyBytes = 16;

// Hash64(key, 0) of a key of at most kMaxShortKeyBytes.
inline uint64_t ShortKeyHash64(std::string_view key) {
  if (key.size() > kMaxShortKeyBytes) __builtin_unreachable();
  return XXH3_64bits(key.data(), key.size());
}

// LevelDB's Hash(key, 0xbc9f1d34): util/hash.cc of google/leveldb.
uint32_t LevelDBHash32(std::string_view key);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_HASH_H_
