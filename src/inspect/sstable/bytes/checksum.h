// The checksums of blocks and footers: RocksDB table/format.cc, ComputeBuiltinChecksum.
#ifndef BLOOMLINE_INSPECT_SSTABLE_BYTES_CHECKSUM_H_
#define BLOOMLINE_INSPECT_SSTABLE_BYTES_CHECKSUM_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::sstable {

// RocksDB's numbers.
enum class ChecksumType : uint8_t { kNone, kCrc32c, kXxHash, kXxHash64, kXxh3 };

inline bool IsKnown(ChecksumType type) { return type <= ChecksumType::kXxh3; }

// As it is stored, but without context. 0 for kNone.
uint32_t Checksum(ChecksumType type, const char* data, size_t n);

// From format_version 6 on, this is added: a block in another place or of another file is noticed.
// Before, `base` is 0, and so is the result.
inline uint32_t ChecksumContext(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^ (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_BYTES_CHECKSUM_H_
