#include "src/filter/format/hash.h"

namespace bloomline::filter {
namespace {

inline uint32_t Byte(const char* p) { return static_cast<unsigned char>(*p); }

}  // namespace

uint64_t SeededLongKeyHash64(std::string_view key, uint64_t seed) {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

uint64_t OtherKeyHash64(std::string_view key, uint64_t seed) { return Hash64(key, seed); }

uint32_t LevelDBHash32(std::string_view key) {
  constexpr uint32_t kSeed = 0xbc9f1d34;
  constexpr uint32_t kMultiplier = 0xc6a4a793;
  const char* p = key.data();
  const char* const end = p + key.size();
  uint32_t h = kSeed ^ (static_cast<uint32_t>(key.size()) * kMultiplier);
  for (; end - p >= 4; p += 4) {
    h += Byte(p) | Byte(p + 1) << 8 | Byte(p + 2) << 16 | Byte(p + 3) << 24;
    h *= kMultiplier;
    h ^= h >> 16;
  }
  if (p != end) {
    for (int shift = 0; p != end; ++p, shift += 8) h += Byte(p) << shift;
    h *= kMultiplier;
    h ^= h >> 24;
  }
  return h;
}

}  // namespace bloomline::filter
