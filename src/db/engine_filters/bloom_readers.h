// Queries of the engines' Bloom filters. Hash, prefetch and probe are apart, so that the keys of a
// batch wait for memory together.
//
// A reader has MayMatch(hash) and Prefetch(hash) for any hash, and Hash(key). Its fields were
// checked by whoever made it: no query reads outside the payload.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_BLOOM_READERS_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_BLOOM_READERS_H_

#include <cstdint>
#include <string_view>

#include "src/db/engine_filters/rocksdb_hash.h"
#include "src/filter/cpu/bits.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/hash/hash.h"

namespace bloomline::engine_filters {

// ---- Where a hash of 32 bits falls in a number of places: its remainder, without a division.

// hash % size for any 32-bit hash (Lemire, Kaser and Kurz, "Faster remainder by direct
// computation", 2019). A present key's query has 6 remainders at 10 bits per key.
class Remainder {
 public:
  explicit Remainder(uint64_t size)
      : size_(size), reciprocal_(size <= 1 ? 0 : ~uint64_t{0} / size + 1) {}

  uint64_t size() const { return size_; }
  uint64_t operator()(uint32_t hash) const {
    if (size_ > UINT32_MAX) return hash;
    const uint64_t fraction = reciprocal_ * hash;  // modulo 2^64
    return kernels::ScaledTo(size_, fraction);
  }

 private:
  uint64_t size_;
  uint64_t reciprocal_;
};

// RocksDB's FastLocalBloom (util/bloom_impl.h): k probes of 9 bits in one block of 64 bytes.
struct LocalBloomReader {
  static constexpr uint32_t kBlockBytes = 64;

  const char* data;
  uint32_t num_blocks;  // > 0
  int num_probes;

  static uint64_t Hash(std::string_view key) { return RocksDBHash64(key); }

  const char* Block(uint64_t hash) const {
    return data + (uint64_t{static_cast<uint32_t>(hash)} * num_blocks >> 32) * kBlockBytes;
  }
  void Prefetch(uint64_t hash) const {
    const char* const block = Block(hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + kBlockBytes - 1);
  }
  bool MayMatch(uint64_t hash) const {
    const char* const block = Block(hash);
    uint32_t h = static_cast<uint32_t>(hash >> 32);
    for (int i = 0; i < num_probes; ++i, h *= 0x9e3779b9) {
      if (!kernels::TestBit(block, h >> 23)) return false;
    }
    return true;
  }
};

// Double hashing with one hash of 32 bits, as in all older filters: h, h + d, h + 2d, ... mod 2^32,
// where d is h rotated.
inline uint32_t Step(uint32_t hash) { return hash >> 17 | hash << 15; }

// RocksDB's LegacyBloom: the probes lie in one block, whose size is that of a cache line of the
// machine that wrote it.
struct LegacyBloomReader {
  const char* data;
  Remainder num_blocks;
  int num_probes;
  int log2_block_bytes;  // at most 28

  static uint64_t Hash(std::string_view key) { return RocksDBHash32(key); }

  const char* Block(uint64_t hash) const {
    return data + (num_blocks(static_cast<uint32_t>(hash)) << log2_block_bytes);
  }
  void Prefetch(uint64_t hash) const {
    const char* const block = Block(hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + (uint64_t{1} << log2_block_bytes) - 1);
  }
  bool MayMatch(uint64_t hash) const {
    const char* const block = Block(hash);
    const uint32_t mask = (uint32_t{1} << (log2_block_bytes + 3)) - 1;
    uint32_t h = static_cast<uint32_t>(hash);
    const uint32_t step = Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      if (!kernels::TestBit(block, h & mask)) return false;
    }
    return true;
  }
};

// Which bytes of a key count as signed.
enum class Bytes { kUnsigned, kSigned, kEither };

// LevelDB's Bloom filter (util/bloom.cc), and RocksDB's block-based one: k probes in all bits.
template <Bytes kBytes>
struct ClassicReader {
  const char* data;
  Remainder num_bits;  // > 0
  int num_probes;

  // kEither: both hashes.
  static uint64_t Hash(std::string_view key) {
    if constexpr (kBytes == Bytes::kUnsigned) return filter::LevelDBHash32(key);
    if constexpr (kBytes == Bytes::kSigned) return RocksDBHash32(key);
    return filter::LevelDBHash32(key) | uint64_t{RocksDBHash32(key)} << 32;
  }

  void Prefetch(uint64_t hash) const {
    __builtin_prefetch(data + num_bits(static_cast<uint32_t>(hash)) / 8);
  }
  bool MayMatch(uint64_t hash) const {
    if (HashMayMatch(static_cast<uint32_t>(hash))) return true;
    return kBytes == Bytes::kEither && HashMayMatch(static_cast<uint32_t>(hash >> 32));
  }

 private:
  bool HashMayMatch(uint32_t h) const {
    const uint32_t step = Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      if (!kernels::TestBit(data, num_bits(h))) return false;
    }
    return true;
  }
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_BLOOM_READERS_H_
