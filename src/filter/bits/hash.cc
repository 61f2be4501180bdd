#include "src/filter/bits/hash.h"

#include "src/filter/bits/bytes.h"

namespace bloomline::filter {
namespace {

// `Byte` says whether the one to three bytes after the last multiple of four are signed.
template <typename Byte>
uint32_t Hash32(std::string_view key) {
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
      h += static_cast<uint32_t>(static_cast<Byte>(*p++)) << shift;
    }
    h *= kMultiplier;
    h ^= h >> 24;
  }
  return h;
}

}  // namespace

uint64_t SeededLongKeyHash64(std::string_view key, uint64_t seed) {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

uint64_t Hash64OutOfLine(std::string_view key, uint64_t seed) { return Hash64(key, seed); }

uint32_t LevelDBHash32(std::string_view key) { return Hash32<unsigned char>(key); }

uint32_t RocksDBHash32(std::string_view key) { return Hash32<signed char>(key); }

}  // namespace bloomline::filter
