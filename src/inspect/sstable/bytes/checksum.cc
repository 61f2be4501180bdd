#include "src/inspect/sstable/bytes/checksum.h"

#include "src/filter/format/xxhash.h"
#include "src/inspect/sstable/bytes/crc32c.h"

namespace bloomline::sstable {

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

}  // namespace bloomline::sstable
