// The hashes of docs/format.md, section 1.
#ifndef BLOOMLINE_FILTER_BITS_HASH_H_
#define BLOOMLINE_FILTER_BITS_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bloomline/inline_query.h"

// xxHash inside each file that includes it: a call into libxxhash costs as much as hashing a
// 16-byte key.
#define XXH_INLINE_ALL
#if __has_include("table/block_based/filter_policy_internal.h") && __has_include("util/xxhash.h")
// RocksDB's own tree, recognised as in filter_bits_abi.h, has a copy, so a plugin there needs no
// other. (A util/xxhash.h alone may belong to a program that builds bloomline as a part of itself.)
// Until 7.9 that copy refuses XXH_INLINE_ALL, because it has its own namespace; the next three
// lines do the same.
#define XXH_INLINE_ALL_31684351384
#define XXH_STATIC_LINKING_ONLY
#define XXH_PUBLIC_API static __inline __attribute__((unused))
#if defined(__AVX512F__) && !defined(XXH_VECTOR)
#define XXH_VECTOR 2  // AVX2: in GCC 12's AVX-512 header -Werror finds uninitialised variables
#endif
#include "util/xxhash.h"
#else
#include <xxhash.h>
#endif

#if XXH_VERSION_NUMBER < 800
#error "bloomline needs xxHash 0.8.0 or later: older versions of XXH3 have other hashes"
#endif

namespace bloomline::filter {

// Most keys are short, and a function that hashes only those needs fewer registers.
constexpr size_t kMaxShortKeyBytes = 16;

// XXH3_64bits_withSeed of a key longer than kMaxShortKeyBytes. Out of line, because few filters
// have a seed.
uint64_t SeededLongKeyHash64(std::string_view key, uint64_t seed);

// Hash64 of a key of any length, out of line: for callers that hash short keys inline.
uint64_t Hash64OutOfLine(std::string_view key, uint64_t seed);

// If a call per key matters, mark the caller flatten: xxHash's short-key paths then inline into it.
// The compiler does not do that by itself because of the long-key paths beside them.
inline uint64_t Hash64(std::string_view key, uint64_t seed) {
  // The seedless form equals withSeed(0) by definition, and is cheaper.
  if (seed == 0) return XXH3_64bits(key.data(), key.size());
  if (key.size() > kMaxShortKeyBytes) return SeededLongKeyHash64(key, seed);
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

// Hash64 of many keys with one seed. A seed costs nothing (inline_query.h); with
// XXH3_64bits_withSeed, a query of 2.8 ns takes 0.2 ns more (docs/rejected.md).
class KeyHasher {
 public:
  explicit KeyHasher(uint64_t seed) : seed_(seed), short_(seed) {}

  uint64_t seed() const { return seed_; }

  // Hash64(key, seed()).
  uint64_t operator()(std::string_view key) const {
    return key.size() <= kMaxShortKeyBytes ? ShortKey(key) : LongKey(key);
  }

  // The same for keys of at most kMaxShortKeyBytes, and for longer ones.
  uint64_t ShortKey(std::string_view key) const {
    const size_t size = key.size();
    if (size > kMaxShortKeyBytes) __builtin_unreachable();
    if (size > 8) return short_.Of9To16Bytes(key);
    if (size >= 4) return short_.Of4To8Bytes(key);
    return XXH3_64bits_withSeed(key.data(), size, seed_);
  }
  uint64_t LongKey(std::string_view key) const {
    if (key.size() <= kMaxShortKeyBytes) __builtin_unreachable();
    return seed_ == 0 ? XXH3_64bits(key.data(), key.size()) : SeededLongKeyHash64(key, seed_);
  }

 private:
  uint64_t seed_;
  ShortKeyHasher short_;
};

// LevelDB's Hash(key, 0xbc9f1d34): util/hash.cc of google/leveldb.
uint32_t LevelDBHash32(std::string_view key);

// The hash of RocksDB's legacy Bloom filters (util/hash.cc): LevelDB's, but the one to three bytes
// after the last multiple of four count as signed. LevelDB before 1.18 did the same.
uint32_t RocksDBHash32(std::string_view key);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_BITS_HASH_H_
