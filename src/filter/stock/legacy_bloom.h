// RocksDB's Bloom filter of format_version below 5, "LegacyBloom" (util/bloom_impl.h): the probes
// of a key lie in one block, whose size is that of a cache line of the machine that wrote it.
#ifndef BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_
#define BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_

#include <cstdint>
#include <string_view>

#include "src/filter/bits/bits.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/rocksdb_hash.h"

namespace bloomline::stock {

// hash % size for any 32-bit hash, without a division (Lemire, Kaser and Kurz, "Faster remainder by
// direct computation", 2019). In LevelDB's filters, a stored key's query has 6 remainders at 10
// bits per key.
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

// Double hashing with one hash of 32 bits, as in all older filters: h, h + d, h + 2d, ... mod 2^32.
// d is h rotated.
inline uint32_t Step(uint32_t hash) { return hash >> 17 | hash << 15; }

struct LegacyBloomReader {
  const char* data;
  Remainder num_blocks;
  int num_probes;
  int log2_block_bytes;  // at most 28

  static uint64_t Hash(std::string_view key) { return RocksDBHash32(key); }
  static uint64_t ShortHash(std::string_view key) { return RocksDBHash32(key); }

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

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_
