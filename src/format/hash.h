// The hashes of docs/format.md, section 1.
#ifndef BLOOMLINE_FORMAT_HASH_H_
#define BLOOMLINE_FORMAT_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

// The header alone: a call into libxxhash costs as much as hashing a 16-byte key.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomline::core {

// Most keys are short, and a function that hashes no others needs fewer registers.
constexpr size_t kMaxShortKeyBytes = 16;

// XXH3_64bits_withSeed of a key longer than kMaxShortKeyBytes. Out of line, as few filters have a
// seed.
uint64_t SeededLongKeyHash64(std::string_view key, uint64_t seed);

// Where a call per key counts, the caller is marked flatten: xxHash's short-key paths then inline
// into it, which the compiler does not do by itself because of the long-key paths beside them.
inline uint64_t Hash64(std::string_view key, uint64_t seed) {
  // withSeed(0) is defined to equal the seedless form, which is cheaper.
  if (seed == 0) return XXH3_64bits(key.data(), key.size());
  if (key.size() > kMaxShortKeyBytes) return SeededLongKeyHash64(key, seed);
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

// KeyHasher uses internal functions of xxHash, which these versions have. With others it calls the
// public one, which gives the same hashes more slowly.
#if XXH_VERSION_NUMBER >= 801 && XXH_VERSION_NUMBER <= 803
#define BLOOMLINE_KNOWN_XXHASH
#endif

// Hash64 of many keys with one seed. XXH3 combines the seed with its secret, and the result with a
// short key. The first half is done here once for all keys, so that a seed costs nothing; with
// XXH3_64bits_withSeed, a query of 2.8 ns takes 0.2 ns more (docs/design.md).
class KeyHasher {
 public:
#ifdef BLOOMLINE_KNOWN_XXHASH
  explicit KeyHasher(uint64_t seed)
      : seed_(seed),
        flip_4_to_8_((SecretWord(8) ^ SecretWord(16)) -
                     (seed ^ uint64_t{XXH_swap32(static_cast<uint32_t>(seed))} << 32)),
        flip_first_((SecretWord(24) ^ SecretWord(32)) + seed),
        flip_last_((SecretWord(40) ^ SecretWord(48)) - seed) {}
#else
  explicit KeyHasher(uint64_t seed) : seed_(seed) {}
#endif

  uint64_t seed() const { return seed_; }

  // Hash64(key, seed()).
  uint64_t operator()(std::string_view key) const {
    return key.size() <= kMaxShortKeyBytes ? ShortKey(key) : LongKey(key);
  }

  // The same for keys of at most kMaxShortKeyBytes, and for longer ones.
  uint64_t ShortKey(std::string_view key) const {
    const size_t size = key.size();
    const char* const data = key.data();
    if (size > kMaxShortKeyBytes) __builtin_unreachable();
#ifdef BLOOMLINE_KNOWN_XXHASH
    if (size > 8) {
      const uint64_t first = XXH_readLE64(data) ^ flip_first_;
      const uint64_t last = XXH_readLE64(data + size - 8) ^ flip_last_;
      return XXH3_avalanche(size + XXH_swap64(first) + last + XXH3_mul128_fold64(first, last));
    }
    if (size >= 4) {
      const uint64_t first = XXH_readLE32(data);
      const uint64_t last = XXH_readLE32(data + size - 4);
      return XXH3_rrmxmx((last + (first << 32)) ^ flip_4_to_8_, size);
    }
#endif
    return XXH3_64bits_withSeed(data, size, seed_);
  }
  uint64_t LongKey(std::string_view key) const {
    if (key.size() <= kMaxShortKeyBytes) __builtin_unreachable();
    return seed_ == 0 ? XXH3_64bits(key.data(), key.size()) : SeededLongKeyHash64(key, seed_);
  }

 private:
  uint64_t seed_;
#ifdef BLOOMLINE_KNOWN_XXHASH
  static uint64_t SecretWord(size_t offset) { return XXH_readLE64(XXH3_kSecret + offset); }

  uint64_t flip_4_to_8_;  // XOR of a key of so many bytes
  uint64_t flip_first_;   // of the first 8 bytes of a key of 9 to 16
  uint64_t flip_last_;    // and of its last 8
#endif
};

// LevelDB's Hash(key, 0xbc9f1d34): util/hash.cc of google/leveldb.
uint32_t LevelDBHash32(std::string_view key);

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_HASH_H_
