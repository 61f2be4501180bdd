// Include filter.h or bloom_filter.h instead.
#ifndef BLOOMLINE_INLINE_QUERY_H_
#define BLOOMLINE_INLINE_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bloomline/cpp17.h"

namespace bloomline {

namespace kernels {

// A payload of num_blocks >= 1 blocks (bytes in a flat filter) at any alignment. num_probes is 1 to
// 30.
struct PayloadView {
  const char* data = nullptr;
  uint64_t num_blocks = 0;
  int num_probes = 0;
};

// The kernels of RocksDB's own layouts and of Ribbon filters cast their PayloadView to a
// DetailedView: pass them no other.
struct DetailedView : PayloadView {
  uint32_t detail = 0;
  uint64_t wide_detail = 0;
};

struct Product {
  uint64_t low;
  uint64_t high;
};

inline Product Multiply(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 product = static_cast<Uint128>(a) * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#else
  const uint64_t a_low = static_cast<uint32_t>(a), a_high = a >> 32;
  const uint64_t b_low = static_cast<uint32_t>(b), b_high = b >> 32;
  // No sum exceeds 2^64 - 1.
  const uint64_t low = a_low * b_low;
  const uint64_t upper = a_high * b_low + (low >> 32);
  const uint64_t lower = a_low * b_high + static_cast<uint32_t>(upper);
  return {lower << 32 | static_cast<uint32_t>(low),
          a_high * b_high + (upper >> 32) + (lower >> 32)};
#endif
}

}  // namespace kernels

namespace filter {

// XXH3-64 (docs/format.md, section 1) of keys of 4 to 16 bytes.
class ShortKeyHasher {
 public:
  constexpr explicit ShortKeyHasher(uint64_t seed = 0)
      : flip_4_to_8_((Secret(1) ^ Secret(2)) - (seed ^ uint64_t{Swap32(seed)} << 32)),
        flip_first_((Secret(3) ^ Secret(4)) + seed),
        flip_last_((Secret(5) ^ Secret(6)) - seed) {}

  static constexpr bool IsShort(size_t key_bytes) {
    return key_bytes - kMinBytes <= kMaxBytes - kMinBytes;
  }

  // Requires IsShort(key.size()).
  uint64_t operator()(std::string_view key) const {
    return key.size() > 8 ? Of9To16Bytes(key) : Of4To8Bytes(key);
  }

  uint64_t Of4To8Bytes(std::string_view key) const {
    const size_t size = key.size();
    const uint64_t first = Load<uint32_t>(key.data());
    const uint64_t last = Load<uint32_t>(key.data() + size - 4);
    uint64_t h = (last + (first << 32)) ^ flip_4_to_8_;
    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= 0x9fb21c651e98df25;
    h ^= (h >> 35) + size;
    h *= 0x9fb21c651e98df25;
    return h ^ h >> 28;
  }

  uint64_t Of9To16Bytes(std::string_view key) const {
    const size_t size = key.size();
    const uint64_t first = Load<uint64_t>(key.data()) ^ flip_first_;
    const uint64_t last = Load<uint64_t>(key.data() + size - 8) ^ flip_last_;
    const kernels::Product product = kernels::Multiply(first, last);
    uint64_t h = product.low ^ product.high;
    h += size + __builtin_bswap64(first) + last;  // slower in one sum (GCC 12)
    h ^= h >> 37;
    h *= 0x165667919e3779f9;
    return h ^ h >> 32;
  }

 private:
  static constexpr size_t kMinBytes = 4;
  static constexpr size_t kMaxBytes = 16;

  static constexpr uint64_t Secret(int i) {
    constexpr uint64_t kWords[] = {0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de,
                                   0x1f67b3b7a4a44072, 0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82,
                                   0x8e2443f7744608b8};
    return kWords[i];
  }
  static constexpr uint32_t Swap32(uint64_t x) {
    return __builtin_bswap32(static_cast<uint32_t>(x));
  }

  template <typename Number>
  static uint64_t Load(const char* p) {
    Number number;
    std::memcpy(&number, p, sizeof(number));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(uint64_t{number}) >> (64 - 8 * sizeof(number));
#else
    return number;
#endif
  }

  uint64_t flip_4_to_8_;
  uint64_t flip_first_;
  uint64_t flip_last_;
};

// A static filter, and the kernel's functions that query it.
struct OpenFilter : kernels::DetailedView {
  bool (*may_match)(const kernels::PayloadView& filter, uint64_t hash) = nullptr;
  void (*may_match_many)(const kernels::PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  uint32_t block_bytes = 0;
  bool always_matches = false;
  bool is_large = false;  // prefetching pays
};

}  // namespace filter
}  // namespace bloomline

#endif  // BLOOMLINE_INLINE_QUERY_H_
