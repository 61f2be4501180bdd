// Names for how keys look, since the false-positive rate of a weak hash depends on it
// (docs/affected.md).
#ifndef BLOOMLINE_DB_MEASURE_KEY_SHAPE_H_
#define BLOOMLINE_DB_MEASURE_KEY_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bloomline::db {

enum class ShapeKind : uint8_t {
  kDecimal,      // "0000000000001234"
  kTextDecimal,  // "user:0001234"
  kUuid,         // "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
  kHex,          // hexadecimal digits
  kText,         // printable ASCII
  kCounter,  // differs from the next key in one or two bytes at the end, or before a constant end
  kRandom,   // differs from the next key in most of its bytes
  kBinary,   // any other
};

struct KeyShape {
  ShapeKind kind = ShapeKind::kBinary;
  uint16_t length = 0;       // of the key; 65535: that, or more
  uint16_t counter_end = 0;  // of kCounter: behind the last byte that counts

  bool operator<(const KeyShape& other) const;
};

// The shape of a key that stands beside `next` in a table.
KeyShape ShapeOf(std::string_view key, std::string_view next);

// "8-byte big-endian counters", "decimal numbers of 16 digits"
std::string ShapeName(const KeyShape& shape);

// A key of the same length that is above `low` and below `high` as bytes, adjacent to `low` in the
// way of its shape: the next number, the next hexadecimal digit, the next byte. False: there is
// none. low < high.
bool Neighbour(const KeyShape& shape, std::string_view low, std::string_view high,
               std::string* key);

// splitmix64: fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }

 private:
  uint64_t state_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_KEY_SHAPE_H_
