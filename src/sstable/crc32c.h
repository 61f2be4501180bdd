// CRC-32C, and the mask under which both engines store it.
#ifndef BLOOMLINE_SSTABLE_CRC32C_H_
#define BLOOMLINE_SSTABLE_CRC32C_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/sstable/coding.h"

namespace bloomline::sstable {

using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Crc32cTables MakeCrc32cTables() {
  Crc32cTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t crc = tables[t - 1][i];
      tables[t][i] = crc >> 8 ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}
inline constexpr Crc32cTables kCrc32cTables = MakeCrc32cTables();

inline uint32_t Crc32c(const char* data, size_t size) {
  uint32_t crc = ~uint32_t{0};
  for (; size >= 8; data += 8, size -= 8) {
    const uint64_t word = DecodeFixed64(data) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kCrc32cTables[7 - i][word >> (8 * i) & 0xff];
  }
  for (size_t i = 0; i < size; ++i) {
    crc = crc >> 8 ^ kCrc32cTables[0][(crc ^ static_cast<unsigned char>(data[i])) & 0xff];
  }
  return ~crc;
}

constexpr uint32_t UnmaskCrc32c(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return rotated >> 17 | rotated << 15;
}

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_SSTABLE_CRC32C_H_
