// Keys and bounds for tests of ranges: of few different bytes, so that they meet.
#ifndef BLOOMLINE_TESTS_SUPPORT_RANGE_KEYS_H_
#define BLOOMLINE_TESTS_SUPPORT_RANGE_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace bloomline::tests {

// The least and the greatest bytes, their neighbours, and two delimiters.
inline std::string RandomKey(std::mt19937_64* random, size_t min_bytes, size_t max_bytes) {
  constexpr char kBytes[] = {0, 0, 1, 'a', '/', char(0x7f), char(0x80), char(0xfe), char(0xff)};
  std::string key(min_bytes + (*random)() % (max_bytes - min_bytes + 1), '\0');
  for (char& byte : key) byte = kBytes[(*random)() % sizeof(kBytes)];
  return key;
}

// What all keys of a set have in common: their first bytes, and a suffix of equal bytes, which
// fields of ranges record if all keys have one length. Both are mostly empty.
struct RangeKeyShape {
  std::string start;
  size_t min_bytes = 0;  // of what is between
  size_t max_bytes = 0;
  std::string suffix;
  // If it is not empty: the least byte at each position between. Up to three bytes follow it.
  std::string least = {};

  std::string Key(std::mt19937_64* random) const {
    std::string between = RandomKey(random, min_bytes, max_bytes);
    for (size_t i = 0; i < std::min(between.size(), least.size()); ++i) {
      between[i] = char(least[i] + (*random)() % (1 + i % 4));
    }
    return start + between + suffix;
  }
};

// `starts`: lengths, of which one is drawn.
template <size_t n>
RangeKeyShape RandomShape(std::mt19937_64* random, const size_t (&starts)[n]) {
  const auto draw = [&](size_t limit) { return (*random)() % limit; };
  RangeKeyShape shape;
  // Nearly all keys have delimiters of depth 8, or the first bytes of small numbers.
  constexpr char kStartBytes[] = {'x', 'x', '/', 0};
  shape.start.assign(starts[draw(n)], kStartBytes[draw(4)]);
  shape.max_bytes = 2 + draw(5);
  shape.min_bytes = draw(3) == 0 ? shape.max_bytes : draw(2);
  if (shape.max_bytes >= 4 && draw(3) == 0) {  // or there would be few keys
    shape.least.resize(shape.max_bytes);
    for (char& byte : shape.least) byte = "\0-/0a\xfc"[draw(6)];
  }
  if (draw(4) != 0) return shape;
  constexpr char kSuffixBytes[] = {0, '0', '/', char(0xff)};
  size_t suffix_bytes = 1 + draw(9);
  // Up to the length of the longest cells, or to one more.
  const size_t to_longest = 64 + draw(2) - shape.max_bytes;
  if (draw(4) == 0 && shape.start.size() < to_longest) {
    suffix_bytes = to_longest - shape.start.size();
  }
  shape.suffix.assign(suffix_bytes, kSuffixBytes[draw(4)]);
  if (draw(4) != 0) shape.min_bytes = shape.max_bytes;
  return shape;
}

// A number as a key of `bytes` bytes, which has the order of numbers.
inline std::string BigEndian(uint64_t number, size_t bytes = 8) {
  std::string text(bytes, '\0');
  for (size_t i = bytes; i-- > 0; number >>= 8) text[i] = char(number);
  return text;
}

// The key, or a bound beside it.
inline std::string KeyNear(std::mt19937_64* random, std::string key) {
  const auto draw = [&](size_t n) { return (*random)() % n; };
  switch (draw(10)) {
    case 0:
      return key.substr(0, draw(key.size() + 1));
    case 1:
      return key + RandomKey(random, 1, 3);
    case 2:
      return key + std::string(1 + draw(4), '\0');
    case 3:
      return key + std::string(1 + draw(3), '\xff');
    case 4:  // the next key of this length
      for (size_t i = key.size(); i-- > 0 && ++key[i] == 0;) {
      }
      return key;
    case 5:  // the end of the keys that begin so
      key.resize(draw(key.size() + 1));
      if (!key.empty()) key.back() = char(key.back() + 1);
      return key;
    case 6:
      key.resize(draw(key.size() + 1));
      return key + char(draw(3)) + std::string(draw(4), '\0');
    case 7:
      if (!key.empty()) key.back() = char(key.back() + 1);
      return key;
    default:
      return key;
  }
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_RANGE_KEYS_H_
