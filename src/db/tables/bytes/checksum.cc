#include "src/db/tables/bytes/checksum.h"

#include <array>

#include "src/db/tables/bytes/coding.h"
#include "src/filter/bits/hash.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace bloomline::tables {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected

// tables[i][b]: what byte b contributes if i more bytes follow it in a group of eight.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables MakeCrcTables() {
  CrcTables tables{};
  for (size_t i = 0; i < 8; ++i) {
    for (uint32_t b = 0; b < 256; ++b) {
      uint32_t crc = i == 0 ? b : tables[i - 1][b];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
      tables[i][b] = crc;
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = MakeCrcTables();

#if defined(__x86_64__)

// Clang can have the instruction without SSE4.2, and SSE4.2 without the instruction.
#ifdef __clang__
#define BLOOMLINE_CRC32_TARGET "sse4.2,crc32"
#else
#define BLOOMLINE_CRC32_TARGET "sse4.2"
#endif

__attribute__((target(BLOOMLINE_CRC32_TARGET))) uint32_t InstructionCrc32c(const char* data,
                                                                           size_t n,
                                                                           uint32_t before) {
  uint64_t crc = ~before;
  for (; n >= 8; data += 8, n -= 8) crc = _mm_crc32_u64(crc, LoadLittleEndian64(data));
  auto last = static_cast<uint32_t>(crc);
  for (; n > 0; ++data, --n) last = _mm_crc32_u8(last, static_cast<unsigned char>(*data));
  return ~last;
}

#endif

}  // namespace

uint32_t PortableCrc32c(const char* data, size_t n, uint32_t before) {
  uint32_t crc = ~before;
  for (; n >= 8; data += 8, n -= 8) {
    const uint64_t group = LoadLittleEndian64(data) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kCrcTables[7 - i][(group >> (8 * i)) & 255];
  }
  for (; n > 0; ++data, --n) {
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ static_cast<unsigned char>(*data)) & 255];
  }
  return ~crc;
}

uint32_t Crc32c(const char* data, size_t n, uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return InstructionCrc32c(data, n, before);
#endif
  return PortableCrc32c(data, n, before);
}

uint32_t Checksum(ChecksumType type, const char* data, size_t n) {
  switch (type) {
    case ChecksumType::kNone:
      return 0;
    case ChecksumType::kCrc32c:
      return MaskCrc32c(Crc32c(data, n));
    case ChecksumType::kXxHash:
      return XXH32(data, n, 0);
    case ChecksumType::kXxHash64:
      return static_cast<uint32_t>(XXH64(data, n, 0));
    case ChecksumType::kXxh3: {
      // The last byte, a block's compression type, is not contiguous with the block when RocksDB
      // writes it, and XXH3 is slow on pieces.
      if (n == 0) return 0;
      const auto last = static_cast<unsigned char>(data[n - 1]);
      return static_cast<uint32_t>(XXH3_64bits(data, n - 1)) ^ last * 0x6b9083d9u;
    }
  }
  return 0;
}

uint64_t UpperXxh3(std::string_view data, uint64_t seed) {
  return XXH3_128bits_withSeed(data.data(), data.size(), seed).high64;
}

}  // namespace bloomline::tables
