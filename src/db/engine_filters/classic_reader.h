// Queries of LevelDB's Bloom filter. Hash, prefetch and probe are apart, so that the keys of a
// batch wait for memory together.
//
// A reader has MayMatch(hash) and Prefetch(hash) for any hash, and Hash(key), as those of
// src/filter/stock have. Its fields were checked by whoever made it: no query reads outside the
// payload.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_CLASSIC_READER_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_CLASSIC_READER_H_

#include <cstdint>
#include <string_view>

#include "src/filter/bits/bits.h"
#include "src/filter/bits/hash.h"
#include "src/filter/stock/legacy_bloom.h"
#include "src/filter/stock/rocksdb_hash.h"

namespace bloomline::engine_filters {

// Which bytes of a key count as signed.
enum class Bytes { kUnsigned, kSigned, kEither };

// LevelDB's Bloom filter (util/bloom.cc), and RocksDB's block-based one: k probes in all bits.
template <Bytes kBytes>
struct ClassicReader {
  const char* data;
  stock::Remainder num_bits;  // > 0
  int num_probes;

  // kEither: both hashes.
  static uint64_t Hash(std::string_view key) {
    if constexpr (kBytes == Bytes::kUnsigned) return filter::LevelDBHash32(key);
    if constexpr (kBytes == Bytes::kSigned) return stock::RocksDBHash32(key);
    return filter::LevelDBHash32(key) | uint64_t{stock::RocksDBHash32(key)} << 32;
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
    const uint32_t step = stock::Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      if (!kernels::TestBit(data, num_bits(h))) return false;
    }
    return true;
  }
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_CLASSIC_READER_H_
