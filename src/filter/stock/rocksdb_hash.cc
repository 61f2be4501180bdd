#include "src/filter/stock/rocksdb_hash.h"

#include "bloomline/inline_query.h"
#include "src/filter/bits/bytes.h"

namespace bloomline::stock {
namespace {

using kernels::LoadLittleEndian64;

// XXH3's default secret: 192 bytes, here as characters so that they can be read at any offset.
constexpr char kSecret[] =
    "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c"
    "\xde\xd4\x6d\xe9\x83\x90\x97\xdb\x72\x40\xa4\xa4\xb7\xb3\x67\x1f"
    "\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21"
    "\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c"
    "\x3c\x28\x52\xbb\x91\xc3\x00\xcb\x88\xd0\x65\x8b\x1b\x53\x2e\xa3"
    "\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8"
    "\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d"
    "\x8a\x51\xe0\x4b\xcd\xb4\x59\x31\xc8\x9f\x7e\xc9\xd9\x78\x73\x64"
    "\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb"
    "\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e"
    "\x2b\x16\xbe\x58\x7d\x47\xa1\xfc\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce"
    "\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e";
constexpr size_t kSecretBytes = sizeof(kSecret) - 1;
static_assert(kSecretBytes == 192);

inline uint64_t Secret(size_t offset) { return LoadLittleEndian64(kSecret + offset); }

inline uint64_t Mix16(const char* bytes, size_t secret_offset) {
  return FoldedProduct(LoadLittleEndian64(bytes) ^ Secret(secret_offset),
                       LoadLittleEndian64(bytes + 8) ^ Secret(secret_offset + 8));
}

// Pairs of 16 bytes, from both ends towards the middle.
inline uint64_t Of17To128(const char* p, size_t n) {
  uint64_t sum = n * kPrime64[0];
  for (size_t pair = (n - 1) / 32 + 1; pair-- > 0;) {
    sum += Mix16(p + 16 * pair, 32 * pair);
    sum += Mix16(p + n - 16 * (pair + 1), 32 * pair + 16);
  }
  return Avalanche(sum);
}

constexpr size_t kMinSecretBytes = 136;

uint64_t Of129To240(const char* p, size_t n) {
  uint64_t sum = n * kPrime64[0];
  for (size_t i = 0; i < 8; ++i) sum += Mix16(p + 16 * i, 16 * i);
  sum = Avalanche(sum);
  for (size_t i = 8; i < n / 16; ++i) sum += Mix16(p + 16 * i, 16 * (i - 8) + 3);
  sum += Mix16(p + n - 16, kMinSecretBytes - 17);
  return Avalanche(sum);
}

constexpr size_t kStripe = 64;
constexpr size_t kLanes = 8;
constexpr size_t kStripesPerBlock = (kSecretBytes - kStripe) / 8;

inline void Accumulate(const char* p, size_t secret_offset, uint64_t* lanes) {
  for (size_t i = 0; i < kLanes; ++i) {
    const uint64_t value = LoadLittleEndian64(p + 8 * i);
    const uint64_t keyed = value ^ Secret(secret_offset + 8 * i);
    lanes[i] += value + (keyed & 0xFFFFFFFF) * (keyed >> 32);
  }
}

inline void Scramble(uint64_t* lanes) {
  for (size_t i = 0; i < kLanes; ++i) {
    const uint64_t keyed = lanes[i] ^ lanes[i] >> 47 ^ Secret(kSecretBytes - kStripe + 8 * i);
    lanes[i] = keyed * kPrime32[0];
  }
}

uint64_t OfMoreThan240(const char* p, size_t n) {
  uint64_t lanes[kLanes] = {kPrime32[2], kPrime64[0], kPrime64[1], kPrime64[2],
                            kPrime64[3], kPrime32[1], kPrime64[4], kPrime32[0]};
  const char* const end = p + n;
  size_t stripe = 0;  // of the block
  for (; static_cast<size_t>(end - p) >= kStripe; p += kStripe) {
    Accumulate(p, 8 * stripe, lanes);
    if (++stripe == kStripesPerBlock) {
      Scramble(lanes);
      stripe = 0;
    }
  }
  if (p != end) Accumulate(end - kStripe, kSecretBytes - kStripe - 7, lanes);
  uint64_t sum = n * kPrime64[0];
  for (size_t i = 0; i < kLanes; i += 2) {
    sum += FoldedProduct(lanes[i] ^ Secret(11 + 8 * i), lanes[i + 1] ^ Secret(11 + 8 * i + 8));
  }
  return Avalanche(sum);
}

}  // namespace

uint64_t RocksDBHash64(std::string_view key) {
  const char* const p = key.data();
  const size_t n = key.size();
  if (n <= kMaxShortKeyBytes) return ShortRocksDBHash64(key);
  if (n <= 128) return Of17To128(p, n);
  return n <= 240 ? Of129To240(p, n) : OfMoreThan240(p, n);
}

}  // namespace bloomline::stock
