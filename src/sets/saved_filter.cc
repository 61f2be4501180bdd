#include "src/sets/saved_filter.h"

#include "bloomline/sizing.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "src/support/hex.h"

namespace bloomline::sets {
namespace {

uint32_t Version(const FileHeader& header) {
  return kernels::LoadLittleEndian32(header.bytes() + kVersionOffset);
}

constexpr const char* Magic(FilePayload kind) {
  return kind == FilePayload::kBits ? sets::kBloomMagic : sets::kCountingMagic;
}
constexpr size_t kNumProbesOffset = 13;
constexpr size_t kNumBitsOffset = 24;
constexpr size_t kCapacityOffset = 32;
constexpr size_t kNumKeysOffset = 40;
constexpr size_t kPayloadChecksumOffset = 48;

uint64_t PayloadChecksum(const char* payload, uint64_t num_bytes) {
  return filter::Hash64({payload, static_cast<size_t>(num_bytes)}, 0);
}

}  // namespace

std::string_view SavedKind(std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, sizeof(uint64_t));
  if (magic == kBloomMagic) return "a saved BloomFilter";
  if (magic == kScalableMagic) return "a saved ScalableBloomFilter";
  if (magic == kCountingMagic) return "a saved CountingBloomFilter";
  return {};
}

FileHeader FileHeader::New(const char* magic) {
  FileHeader header;
  std::memcpy(header.bytes_ + kMagicOffset, magic, sizeof(uint64_t));
  kernels::StoreLittleEndian32(kFileVersion, header.bytes_ + kVersionOffset);
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
  if (!source.ReadAt(offset, kFileHeaderBytes, header->bytes_, error)) return false;
  const FileHeader expected = New(magic);
  const auto fail = [&](size_t field, const char* name, const auto& value, const auto&... allowed) {
    return RefuseField(source, offset + field, name, value, error, allowed...);
  };
  if (header->Number(kMagicOffset) != expected.Number(kMagicOffset)) {
    const std::string_view other = SavedKind({header->bytes_, kFileHeaderBytes});
    if (!other.empty()) {
      return support::Refuse(error, source.name(), ": is ", other, "; expected ", SavedKind(magic));
    }
    return support::Refuse(error, source.name(), ", offset ", offset, ": is not ", SavedKind(magic),
                           "; magic is 0x", support::Hex(header->Number(kMagicOffset)), ", not 0x",
                           support::Hex(expected.Number(kMagicOffset)), " (\"", magic, "\")");
  }
  if (Version(*header) != kFileVersion) {
    return fail(kVersionOffset, "version", Version(*header), "this library reads ", kFileVersion);
  }
  const uint64_t checksum = header->Number(kHeaderChecksumOffset);
  if (checksum != header->Checksum()) {
    return fail(kHeaderChecksumOffset, "header checksum", "0x" + support::Hex(checksum),
                "the header's bytes give ", "0x" + support::Hex(header->Checksum()));
  }
  const int reserved = header->Byte(kReservedOffset) | header->Byte(kReservedOffset + 1) << 8;
  return reserved == 0 || fail(kReservedOffset, "reserved", reserved, "allowed: 0");
}

bool ReadBloomHeader(const support::ByteSource& source, uint64_t offset, FilePayload kind,
                     BloomFileHeader* header, std::string* error) {
  FileHeader fields;
  if (!FileHeader::Read(source, offset, Magic(kind), &fields, error)) return false;
  const auto fail = [&](size_t field, const char* name, const auto& value, const auto&... allowed) {
    return RefuseField(source, offset + field, name, value, error, allowed...);
  };
  const uint8_t layout = fields.Byte(kLayoutOffset);
  const bool counters = kind == FilePayload::kCounters;
  if (!IsLayout(layout)) return fail(kLayoutOffset, "layout", layout, kAllowedLayouts);
  if (counters && !IsSmallBlocks(BloomLayout{layout})) {
    return fail(kLayoutOffset, "layout", layout, "allowed: 2 (4-bit counters), 3 (8-bit counters)");
  }
  const int num_probes = fields.Byte(kNumProbesOffset);
  if (num_probes < kMinProbes || num_probes > kMaxProbes) {
    return fail(kNumProbesOffset, "num_probes", num_probes, "allowed: 1 to 30");
  }
  const char* const unit = counters ? "num_counters" : "num_bits";
  const uint64_t num_bits = fields.Number(kNumBitsOffset);
  if (num_bits == 0 || num_bits > kMaxBloomBits || num_bits % kernels::kBlockBits != 0) {
    return fail(kNumBitsOffset, unit, num_bits, "allowed: multiples of 512 up to ", kMaxBloomBits);
  }
  header->shape = {BloomLayout{layout}, num_probes, num_bits / kernels::kBlockBits,
                   fields.Number(kSeedOffset)};
  header->capacity = fields.Number(kCapacityOffset);
  header->num_keys = fields.Number(kNumKeysOffset);
  header->payload_offset = offset + kFileHeaderBytes;
  header->payload_bytes = num_bits / 8;
  if (counters) header->payload_bytes *= CounterBits(header->shape.layout);
  header->payload_checksum = fields.Number(kPayloadChecksumOffset);
  if (header->end() > source.size()) {
    return fail(kNumBitsOffset, unit, num_bits, "the filter would end at byte ", header->end(),
                "; there are ", source.size());
  }
  return true;
}

bool ReadSoleBloomHeader(const support::ByteSource& source, FilePayload kind,
                         BloomFileHeader* header, std::string* error) {
  return ReadBloomHeader(source, 0, kind, header, error) && EndsAt(source, header->end(), error);
}

bool EndsAt(const support::ByteSource& source, uint64_t end, std::string* error) {
  if (source.size() == end) return true;
  return support::Refuse(error, source.name(), ": size is ", source.size(),
                         " bytes; the filter ends at byte ", end);
}

bool PayloadMatches(const support::ByteSource& source, const BloomFileHeader& header,
                    const char* payload, std::string* error) {
  const uint64_t num_bytes = header.payload_bytes;
  const uint64_t checksum = PayloadChecksum(payload, num_bytes);
  if (checksum == header.payload_checksum) return true;
  const uint64_t field = header.payload_offset - kFileHeaderBytes + kPayloadChecksumOffset;
  return RefuseField(source, field, "payload checksum", header.payload_checksum, error, "the ",
                     num_bytes, " bytes from offset ", header.payload_offset, " on give ",
                     checksum);
}

bool AppendFilter(FilePayload kind, const BloomFileHeader& header, const char* payload,
                  support::ByteSink* sink, std::string* error) {
  FileHeader fields = FileHeader::New(Magic(kind));
  fields.SetByte(kLayoutOffset, static_cast<uint8_t>(header.shape.layout));
  fields.SetByte(kNumProbesOffset, static_cast<uint8_t>(header.shape.num_probes));
  fields.SetNumber(kSeedOffset, header.shape.seed);
  fields.SetNumber(kNumBitsOffset, header.shape.num_lines * kernels::kBlockBits);
  fields.SetNumber(kCapacityOffset, header.capacity);
  fields.SetNumber(kNumKeysOffset, header.num_keys);
  fields.SetNumber(kPayloadChecksumOffset, PayloadChecksum(payload, header.payload_bytes));
  fields.Seal();
  return sink->Append(fields.bytes(), kFileHeaderBytes, error) &&
         sink->Append(payload, header.payload_bytes, error);
}

}  // namespace bloomline::sets
