#include "src/filter/bits/hash.h"

#include "src/filter/bits/little_endian.h"

namespace bloomline::filter {

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
    h += kernels::LoadLittleEndian32(p);
    h *= kMultiplier;
    h ^= h >> 16;
  }
  if (p != end) {
    for (int shift = 0; p != end; shift += 8) {
      h += uint32_t{static_cast<unsigned char>(*p++)} << shift;
    }
    h *= kMultiplier;
    h ^= h >> 24;
  }
  return h;
}

}  // namespace bloomline::filter
