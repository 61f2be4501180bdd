#include "src/sets/file_header.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"

namespace bloomline::sets {
namespace {

// Says what a source that begins with `first_bytes` holds instead of what was expected: "is ..." if
// it is empty, a saved filter of any kind, a static filter, or a table of LevelDB or RocksDB. Empty
// for other sources.
std::string WhatItHolds(const support::ByteSource& source, std::string_view first_bytes) {
  if (source.size() == 0) return "is empty (0 bytes)";
  std::string_view kind = SavedKind(first_bytes);
  if (kind.empty()) {
    char bytes[filter::kTrailerBytes];
    const auto num_bytes = static_cast<size_t>(std::min<uint64_t>(source.size(), sizeof(bytes)));
    std::string ignored;
    if (!source.ReadAt(source.size() - num_bytes, num_bytes, bytes, &ignored)) return "";
    const std::string_view end(bytes, num_bytes);
    if (filter::HasTrailer(end)) {
      return "is a static filter, as FilterBuilder makes it; FilterView::Open takes its bytes";
    }
    kind = TableKind(end);
  }
  return kind.empty() ? "" : "is " + std::string(kind);
}

std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%016" PRIx64, value);
  return text;
}

uint32_t Version(const FileHeader& header) {
  return static_cast<uint32_t>(header.Number(kVersionOffset));
}

}  // namespace

std::string_view SavedKind(std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, sizeof(uint64_t));
  if (magic == kBloomMagic) return "a saved BloomFilter";
  if (magic == kScalableMagic) return "a saved ScalableBloomFilter";
  if (magic == kCountingMagic) return "a saved CountingBloomFilter";
  return {};
}

std::string_view TableKind(std::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) return {};
  switch (kernels::LoadLittleEndian64(bytes.data() + bytes.size() - sizeof(uint64_t))) {
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

FileHeader FileHeader::New(const char* magic) {
  FileHeader header;
  std::memcpy(header.bytes_ + kMagicOffset, magic, sizeof(uint64_t));
  header.SetNumber(kVersionOffset, kFileVersion);
  return header;
}

double FileHeader::Real(size_t offset) const {
  const uint64_t bits = Number(offset);
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void FileHeader::SetReal(size_t offset, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  SetNumber(offset, bits);
}

uint64_t FileHeader::Checksum() const { return filter::Hash64({bytes_, kHeaderChecksumOffset}, 0); }

void FileHeader::Seal() { SetNumber(kHeaderChecksumOffset, Checksum()); }

bool FileHeader::Read(const support::ByteSource& source, uint64_t offset, const char* magic,
                      FileHeader* header, std::string* error) {
  const auto is_other = [&](std::string_view first_bytes) {
    const std::string found = offset == 0 ? WhatItHolds(source, first_bytes) : "";
    if (found.empty()) return false;
    *error = source.name() + ": " + found + "; expected " + std::string(SavedKind(magic));
    return true;
  };
  // Static filters and other tables may be shorter than a header.
  if (source.size() < kFileHeaderBytes && is_other({})) return false;
  if (!source.ReadAt(offset, kFileHeaderBytes, header->bytes_, error)) return false;
  const FileHeader expected = New(magic);
  const auto fail = [&](size_t field, const char* name, const std::string& value,
                        const std::string& allowed) {
    *error = FieldError(source, offset + field, name, value, allowed);
    return false;
  };
  if (header->Number(kMagicOffset) != expected.Number(kMagicOffset)) {
    if (is_other({header->bytes_, kFileHeaderBytes})) return false;
    return fail(kMagicOffset, "magic", Hex(header->Number(kMagicOffset)),
                "expected " + Hex(expected.Number(kMagicOffset)) + " (\"" + magic + "\"), " +
                    std::string(SavedKind(magic)));
  }
  if (Version(*header) != kFileVersion) {
    return fail(kVersionOffset, "version", std::to_string(Version(*header)),
                "this library reads " + std::to_string(kFileVersion));
  }
  const uint64_t checksum = header->Number(kHeaderChecksumOffset);
  if (checksum != header->Checksum()) {
    return fail(kHeaderChecksumOffset, "header checksum", Hex(checksum),
                "the header's bytes give " + Hex(header->Checksum()));
  }
  const int reserved = header->Byte(kReservedOffset) | header->Byte(kReservedOffset + 1) << 8;
  if (reserved != 0)
    return fail(kReservedOffset, "reserved", std::to_string(reserved), "allowed: 0");
  return true;
}

std::string FieldError(const support::ByteSource& source, uint64_t offset, const std::string& name,
                       const std::string& value, const std::string& allowed) {
  return source.name() + ", offset " + std::to_string(offset) + ": " + name + " is " + value +
         "; " + allowed;
}

}  // namespace bloomline::sets
