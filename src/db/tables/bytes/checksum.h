// The checksums of blocks and footers: RocksDB table/format.cc, ComputeBuiltinChecksum.
#ifndef BLOOMLINE_DB_TABLES_BYTES_CHECKSUM_H_
#define BLOOMLINE_DB_TABLES_BYTES_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::tables {

// RocksDB's numbers.
enum class ChecksumType : uint8_t { kNone, kCrc32c, kXxHash, kXxHash64, kXxh3 };

// Returns the checksum in its stored form, but without context. 0 for kNone.
uint32_t Checksum(ChecksumType type, const char* data, size_t n);

// From format_version 6 on, this value is added to the checksum of a block, so that a block from
// another place or file is noticed. In older versions, `base` and the result are 0.
inline uint32_t ChecksumContext(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^ (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// ---- CRC-32C (Castagnoli), the checksum of LevelDB's blocks and of RocksDB's older ones.

// Returns the CRC of bytes whose first ones have the CRC `before`; 0: there are none before. Uses
// the instruction of x86-64 CPUs, if there is one.
uint32_t Crc32c(const char* data, size_t n, uint32_t before = 0);
// Crc32c without the instruction, for other CPUs and for tests.
uint32_t PortableCrc32c(const char* data, size_t n, uint32_t before = 0);

// Both engines store CRCs masked, because a CRC over data that contains its own CRC is weak.
inline uint32_t MaskCrc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

// The upper half of XXH3's 128 bits, from which RocksDB derives a table's unique id.
uint64_t UpperXxh3(std::string_view data, uint64_t seed);

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BYTES_CHECKSUM_H_
