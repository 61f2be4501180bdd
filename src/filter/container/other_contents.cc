#include "src/filter/container/other_contents.h"

#include <cstdint>

#include "src/filter/bits/little_endian.h"

namespace bloomline::filter {
namespace {

constexpr size_t kMagicBytes = sizeof(kBloomMagic) - 1;
static_assert(sizeof(kScalableMagic) == sizeof(kBloomMagic));
static_assert(sizeof(kCountingMagic) == sizeof(kBloomMagic));
static_assert(kMagicBytes == sizeof(uint64_t));

}  // namespace

std::string_view SavedKind(std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, kMagicBytes);
  if (magic == kBloomMagic) return "a saved BloomFilter";
  if (magic == kScalableMagic) return "a saved ScalableBloomFilter";
  if (magic == kCountingMagic) return "a saved CountingBloomFilter";
  return {};
}

std::string_view TableKind(std::string_view bytes) {
  if (bytes.size() < kMagicBytes) return {};
  switch (kernels::LoadLittleEndian64(bytes.data() + bytes.size() - kMagicBytes)) {
    case 0xdb4775248b80fb57:  // also of RocksDB's oldest format_version
      return "a table (SSTable) of LevelDB";
    case 0x88e241b785f4cff7:  // block-based
    case 0x8242229663bf9564:  // plain
    case 0x4f3418eb7a8f13b8:  // plain, of early versions
    case 0x926789d0c5f17873:  // cuckoo
      return "a table (SST file) of RocksDB";
    default:
      return {};
  }
}

}  // namespace bloomline::filter
