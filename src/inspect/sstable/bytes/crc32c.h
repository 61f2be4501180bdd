// CRC-32C (Castagnoli), the checksum of LevelDB's blocks and of RocksDB's older ones.
#ifndef BLOOMLINE_INSPECT_SSTABLE_BYTES_CRC32C_H_
#define BLOOMLINE_INSPECT_SSTABLE_BYTES_CRC32C_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::sstable {

// With the CPU's instruction where there is one.
uint32_t Crc32c(const char* data, size_t n);
// Without it, for CPUs that have none and for tests.
uint32_t PortableCrc32c(const char* data, size_t n);

// How both engines store it: a CRC over data that contains its own CRC is weak.
inline uint32_t MaskCrc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_BYTES_CRC32C_H_
