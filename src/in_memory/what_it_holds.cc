#include "src/in_memory/what_it_holds.h"

#include <algorithm>
#include <cstdint>

#include "src/format/trailer.h"
#include "src/kernels/little_endian.h"

namespace bloomline::filters {
namespace {

constexpr size_t kMagicBytes = sizeof(kBloomMagic) - 1;
static_assert(sizeof(kScalableMagic) == sizeof(kBloomMagic));
static_assert(sizeof(kCountingMagic) == sizeof(kBloomMagic));

// The last 8 bytes of a table, as a number. RocksDB's oldest format_version has LevelDB's.
constexpr uint64_t kLevelDBTable = 0xdb4775248b80fb57;
constexpr uint64_t kRocksDBTable = 0x88e241b785f4cff7;
constexpr uint64_t kRocksDBPlainTable = 0x8242229663bf9564;
constexpr uint64_t kRocksDBCuckooTable = 0x926789d0c5f17873;

std::string WhatEndsSo(std::string_view end) {
  if (core::HasTrailer(end)) {
    return "is a static filter, as FilterBuilder makes it; FilterView::Open takes its bytes";
  }
  switch (end.size() < 8 ? 0 : kernels::LoadLittleEndian64(end.data() + end.size() - 8)) {
    case kLevelDBTable:
      return "is a table (SSTable) of LevelDB";
    case kRocksDBTable:
    case kRocksDBPlainTable:
    case kRocksDBCuckooTable:
      return "is a table (SST file) of RocksDB";
    default:
      return "";
  }
}

}  // namespace

std::string_view SavedKind(std::string_view magic) {
  if (magic == kBloomMagic) return "a saved BloomFilter";
  if (magic == kScalableMagic) return "a saved ScalableBloomFilter";
  if (magic == kCountingMagic) return "a saved CountingBloomFilter";
  return {};
}

std::string WhatItHolds(const ByteSource& source, std::string_view first_bytes) {
  if (source.size() == 0) return "is empty (0 bytes)";
  const std::string_view kind = SavedKind(first_bytes.substr(0, kMagicBytes));
  if (!kind.empty()) return "is " + std::string(kind);
  if (source.size() == ByteSource::kUnknownSize) return "";
  char end[core::kTrailerBytes];
  const uint64_t end_bytes = std::min<uint64_t>(source.size(), sizeof(end));
  std::string ignored;
  if (!source.ReadAt(source.size() - end_bytes, end_bytes, end, &ignored)) return "";
  return WhatEndsSo({end, end_bytes});
}

}  // namespace bloomline::filters
