// The hash in RocksDB's Bloom and Ribbon filters, which is a part of RocksDB's format. Legacy
// filters have another one (RocksDBHash32, bits/hash.h).
#ifndef BLOOMLINE_FILTER_STOCK_ROCKSDB_HASH_H_
#define BLOOMLINE_FILTER_STOCK_ROCKSDB_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bloomline/inline_query.h"
#include "src/filter/bits/bytes.h"

namespace bloomline::stock {

// A preview of XXH3_64bits (xxHash 0.7.2, util/xxph3.h of RocksDB). The final XXH3 gives other
// values at every length.
uint64_t RocksDBHash64(std::string_view key);

// RocksDB compiled by GCC for POWER hashes keys of 1,024 bytes or more differently
// (docs/compatibility.md): there, only RocksDB can build its filters, and query those it built.
#if defined(__powerpc__)
constexpr bool kHashesAsRocksDB = false;
#else
constexpr bool kHashesAsRocksDB = true;
#endif

// Words of XXH3's default secret, and its constants.
constexpr uint64_t kSecret0 = 0xbe4ba423396cfeb8, kSecret8 = 0x1cad21f72c81017c;
inline constexpr uint64_t kPrime32[] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d};
inline constexpr uint64_t kPrime64[] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                        0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};

inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  const kernels::Product product = kernels::Multiply(a, b);
  return product.low ^ product.high;
}

inline uint64_t Avalanche(uint64_t h) {
  h ^= h >> 37;
  h *= kPrime64[2];
  return h ^ h >> 32;
}

// The same for keys of at most kMaxShortKeyBytes, in line.
constexpr size_t kMaxShortKeyBytes = 16;
inline uint64_t ShortRocksDBHash64(std::string_view key) {
  const char* const p = key.data();
  const size_t n = key.size();
  if (n > 8) {
    const uint64_t low = kernels::LoadLittleEndian64(p) ^ kSecret0;
    const uint64_t high = kernels::LoadLittleEndian64(p + n - 8) ^ kSecret8;
    return Avalanche(n + low + high + FoldedProduct(low, high));
  }
  if (n >= 4) {
    const uint64_t both =
        kernels::LoadLittleEndian32(p) | uint64_t{kernels::LoadLittleEndian32(p + n - 4)} << 32;
    const uint64_t keyed = both ^ kSecret0;
    const uint64_t mixed = n + (keyed ^ keyed >> 51) * kPrime32[0];
    return Avalanche((mixed ^ mixed >> 47) * kPrime64[1]);
  }
  if (n > 0) {
    const auto byte = [p](size_t i) { return uint64_t{static_cast<unsigned char>(p[i])}; };
    const uint64_t combined = byte(0) | byte(n >> 1) << 8 | byte(n - 1) << 16 | n << 24;
    return Avalanche((combined ^ (kSecret0 & 0xffffffff)) * kPrime64[0]);
  }
  return FoldedProduct(kSecret0, kPrime64[1]);
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_ROCKSDB_HASH_H_
