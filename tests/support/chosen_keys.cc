#include "tests/support/chosen_keys.h"

#include "src/filter/format/hash.h"

namespace bloomline::tests {
namespace {

// The inverse of an odd number modulo 2^64; each step doubles the bits that are right.
uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

uint64_t RotateLeft(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::string Bytes(const void* data, size_t size) {
  return std::string(static_cast<const char*>(data), size);
}

}  // namespace

std::string KeyWithHash(uint64_t hash) {
  // XXH3 of 8 bytes, step by step backwards.
  constexpr uint64_t kMultiplier = 0x9FB21C651E98DF25;
  constexpr uint64_t kSecret = 0xC73AB174C5ECD5A2;
  uint64_t x = hash ^ hash >> 28 ^ hash >> 56;
  x *= Inverse(kMultiplier);
  x ^= (x >> 35) + 8;
  x *= Inverse(kMultiplier);
  // x ^ rotl(x, 49) ^ rotl(x, 24), done 64 times, changes nothing; so 63 times undo one.
  for (int i = 0; i < 63; ++i) x ^= RotateLeft(x, 49) ^ RotateLeft(x, 24);
  x = RotateLeft(x ^ kSecret, 32);
  return Bytes(&x, sizeof(x));
}

std::string KeyWithLevelDBHash(uint32_t hash) {
  // The last 4 bytes go in by h += w; h *= m; h ^= h >> 16.
  constexpr uint32_t kMultiplier = 0xc6a4a793;
  const std::string prefix = "chosen..";
  const uint32_t before = filter::LevelDBHash32(prefix + std::string(4, '\0'));
  const auto undo = [](uint32_t h) {
    h ^= h >> 16;
    return h * static_cast<uint32_t>(Inverse(kMultiplier));
  };
  const uint32_t word = undo(hash) - undo(before);
  return prefix + Bytes(&word, sizeof(word));
}

std::string_view RandomKeys::Next() {
  const uint64_t first = Mix(++counter_), second = Mix(~first);
  std::memcpy(key_, &first, sizeof(first));
  std::memcpy(key_ + sizeof(first), &second, sizeof(second));
  return {key_, sizeof(key_)};
}

}  // namespace bloomline::tests
