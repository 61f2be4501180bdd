// Keys that are made from a number, so that none of them has to be stored.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_KEYS_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace bloomline::bench {

// SplitMix64 (Steele, Lea and Flood 2014): Mix(seed + kGoldenRatio), Mix(seed + 2 * kGoldenRatio)
// and so on are its random numbers.
constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

// One to one, so different inputs give different outputs.
inline uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr size_t kKeyBytes = 16;

// Random-looking. Writes key number `index` to dst; different indexes give different keys.
inline void WriteKey(uint64_t index, char* dst) {
  const uint64_t first = Mix(index + 1);
  const uint64_t second = Mix(~first);
  std::memcpy(dst, &first, sizeof(first));
  std::memcpy(dst + sizeof(first), &second, sizeof(second));
}

// Such keys, in an array of their own.
struct KeyBatch {
  explicit KeyBatch(size_t most) : bytes(most * kKeyBytes), views(most) {
    for (size_t i = 0; i < most; ++i)
      views[i] = std::string_view(bytes.data() + i * kKeyBytes, kKeyBytes);
  }
  KeyBatch(KeyBatch&&) = default;  // no copy, because the views are of these bytes

  // Keys number first, first + stride, ...
  void Fill(uint64_t first, uint64_t stride, size_t n) {
    for (size_t i = 0; i < n; ++i) WriteKey(first + i * stride, &bytes[i * kKeyBytes]);
    size = n;
  }

  size_t size = 0;
  std::vector<char> bytes;
  std::vector<std::string_view> views;
};

// "%016d" and 8 bytes big-endian: keys that differ mostly in their last bytes.
constexpr size_t kDecimalBytes = 16;
constexpr size_t kBigEndianBytes = 8;

inline void WriteDecimal(uint64_t number, char* dst) {
  for (size_t i = kDecimalBytes; i-- > 0; number /= 10)
    dst[i] = static_cast<char>('0' + number % 10);
}

inline void WriteBigEndian(uint64_t number, char* dst) {
  for (size_t i = kBigEndianBytes; i-- > 0; number >>= 8) dst[i] = static_cast<char>(number);
}

// A value of `size` random-looking bytes, a different one for each number.
inline void WriteValue(uint64_t number, size_t size, char* dst) {
  for (size_t i = 0; i < size; i += sizeof(number)) {
    const uint64_t word = Mix(number + (i + 1) * kGoldenRatio);
    std::memcpy(dst + i, &word, std::min(sizeof(word), size - i));
  }
}

// A filter of n keys holds the keys 0 to n - 1. Keys from this index on are missing in every
// filter.
constexpr uint64_t kFirstMissingIndex = uint64_t{1} << 40;

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_KEYS_H_
